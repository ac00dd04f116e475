/// A measured value, with its baseline and limit.
package struct Measurement: Codable, Equatable {
    package enum Verdict: String, Codable {
        case held, missed
        /// The measurement has no limit.
        case unlimited
    }

    /// A name that is unique in its suite and stable across versions, because `diff` pairs
    /// measurements by name.
    package let name: String
    package let suite: String
    package let value: Double
    /// The unit of `value` and `baseline`: `s`, `ms`, `µs`, `bytes`, `MB`.
    package let unit: String
    /// The baseline value from the same run, in the same unit.
    package let baseline: Double?
    /// The greatest acceptable ratio if there is a baseline, otherwise the greatest value.
    package let limit: Double?

    /// The value as a multiple of the baseline.
    package let ratio: Double?
    package let verdict: Verdict

    package init(
        name: String, suite: String, value: Double, unit: String, baseline: Double? = nil,
        limit: Double? = nil
    ) {
        self.name = name
        self.suite = suite
        self.value = value
        self.unit = unit
        self.baseline = baseline
        self.limit = limit
        let ratio = baseline.map { $0 > 0 ? value / $0 : .infinity }
        self.ratio = ratio
        verdict = limit.map { (ratio ?? value) <= $0 ? .held : .missed } ?? .unlimited
    }
}
