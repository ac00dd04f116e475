import Foundation
import TestSupport

/// How much is tried, and from which seeds.
enum RandomSettings {
    /// How many runs each random test makes: the variable TIDELINE_RUNS, else few enough for a quick
    /// debug build.
    static func runs(default count: Int) -> Int {
        ProcessInfo.processInfo.environment["TIDELINE_RUNS"].flatMap(Int.init) ?? count
    }

    /// The seed of the first run: the variable TIDELINE_SEED, to run again what failed.
    static var firstSeed: UInt64 {
        ProcessInfo.processInfo.environment["TIDELINE_SEED"].flatMap(UInt64.init) ?? 1
    }

    static func seeds(default count: Int) -> Range<UInt64> {
        firstSeed..<firstSeed + UInt64(runs(default: count))
    }
}

extension SeededRandom {
    mutating func chance(_ numerator: Int, in denominator: Int) -> Bool {
        Int.random(in: 0..<denominator, using: &self) < numerator
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }

    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }
}
