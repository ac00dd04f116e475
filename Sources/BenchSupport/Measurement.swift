/// A measured value, with its baseline and limit.
package struct Measurement: Codable, Equatable {
    package enum Verdict: String, Codable {
        case held, missed
        /// The measurement has no limit.
        case unlimited
    }

    /// A name that is unique in its suite and stable across versions, because `compare` pairs
    /// measurements by it.
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
    package var ratio: Double? { baseline.map { $0 > 0 ? value / $0 : .infinity } }

    package var verdict: Verdict {
        guard let limit else { return .unlimited }
        return (ratio ?? value) <= limit ? .held : .missed
    }

    private enum CodingKeys: String, CodingKey {
        case name, suite, value, unit, baseline, limit, ratio, verdict
    }

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
    }

    /// `ratio` and `verdict` are written for other readers, and computed again when read.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        suite = try container.decode(String.self, forKey: .suite)
        value = try container.decode(Double.self, forKey: .value)
        unit = try container.decode(String.self, forKey: .unit)
        baseline = try container.decodeIfPresent(Double.self, forKey: .baseline)
        limit = try container.decodeIfPresent(Double.self, forKey: .limit)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(suite, forKey: .suite)
        try container.encode(value, forKey: .value)
        try container.encode(unit, forKey: .unit)
        try container.encodeIfPresent(baseline, forKey: .baseline)
        try container.encodeIfPresent(limit, forKey: .limit)
        try container.encodeIfPresent(ratio, forKey: .ratio)
        try container.encode(verdict, forKey: .verdict)
    }
}
