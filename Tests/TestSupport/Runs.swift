import Foundation

/// The number of runs of a random test: `TIDELINE_RUNS` from the environment, or a quick default.
public func runCount(_ quick: Int) -> Int {
    max(1, number("TIDELINE_RUNS") ?? quick)
}

/// The seeds of a random test, as many as ``runCount(_:)`` returns. The first is `TIDELINE_SEED`,
/// to repeat a failure or to share many seeds among processes, or 0.
public func seeds(_ quick: Int) -> Range<UInt64> {
    let first = UInt64(max(0, number("TIDELINE_SEED") ?? 0))
    return first..<first + UInt64(runCount(quick))
}

/// The seeds of a random test, divided among concurrent runs: a large number at once would exceed
/// the limit of open files.
public func seedHands(_ quick: Int) -> [[UInt64]] {
    let all = seeds(quick)
    return all.prefix(12).map { Array(stride(from: $0, to: all.upperBound, by: 12)) }
}

private func number(_ variable: String) -> Int? {
    ProcessInfo.processInfo.environment[variable].flatMap { Int($0) }
}
