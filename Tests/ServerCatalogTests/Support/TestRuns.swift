import Foundation

/// How often a property test draws a case: `TIDELINE_RUNS`, or what is quick enough in debug.
func testRuns(default count: Int) -> Int {
    ProcessInfo.processInfo.environment["TIDELINE_RUNS"].flatMap { Int($0) }.map { max(1, $0) }
        ?? count
}
