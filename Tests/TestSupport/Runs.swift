import Foundation

/// How often a random test runs: `TIDELINE_RUNS` from the environment, or what is quick.
public func runCount(_ quick: Int) -> Int {
    ProcessInfo.processInfo.environment["TIDELINE_RUNS"].flatMap { Int($0) } ?? quick
}

/// The seeds of a random test, dealt out to what runs at once: all of a great number at once would
/// want more open files than there are.
public func seedHands(_ quick: Int) -> [[UInt64]] {
    let count = UInt64(max(1, runCount(quick)))
    return (0..<min(12, count)).map { Array(stride(from: $0, to: count, by: 12)) }
}
