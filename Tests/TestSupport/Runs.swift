import Foundation

/// How often a random test runs: `TIDELINE_RUNS` from the environment, or what is quick.
public func runCount(_ quick: Int) -> Int {
    max(1, number("TIDELINE_RUNS") ?? quick)
}

/// The seeds of a random test, as many as ``runCount(_:)`` says. The first is `TIDELINE_SEED`, to
/// run again what failed or to share many out among processes, or else 0.
public func seeds(_ quick: Int) -> Range<UInt64> {
    let first = UInt64(max(0, number("TIDELINE_SEED") ?? 0))
    return first..<first + UInt64(runCount(quick))
}

/// The seeds of a random test, dealt out to what runs at once: all of a great number at once would
/// want more open files than there are.
public func seedHands(_ quick: Int) -> [[UInt64]] {
    let all = seeds(quick)
    return all.prefix(12).map { Array(stride(from: $0, to: all.upperBound, by: 12)) }
}

private func number(_ variable: String) -> Int? {
    ProcessInfo.processInfo.environment[variable].flatMap { Int($0) }
}
