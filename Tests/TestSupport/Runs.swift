import Foundation

/// How often a random test runs: `TIDELINE_RUNS` from the environment, or what is quick.
public func runCount(_ quick: Int) -> Int {
    ProcessInfo.processInfo.environment["TIDELINE_RUNS"].flatMap { Int($0) } ?? quick
}
