import Foundation

/// The measurements of a run. Each measurement is printed as soon as it arrives.
package struct Report {
    package private(set) var measurements: [Measurement] = []
    private var suite = ""
    private let printsTable: Bool

    package init(printsTable: Bool) { self.printsTable = printsTable }

    /// Starts a suite. Later measurements belong to it.
    package mutating func begin(_ suite: String) {
        self.suite = suite
        guard printsTable else { return }
        print(Table.row("\(suite)", "value", "baseline", "ratio", "limit", ""))
    }

    /// Adds a measurement.
    ///
    /// - Parameters:
    ///   - baseline: The baseline value from the same run, in the same unit.
    ///   - limit: The greatest acceptable ratio to `baseline`. Without a baseline, the greatest
    ///     acceptable value.
    package mutating func add(
        _ name: String, _ value: Double, _ unit: String, baseline: Double? = nil,
        limit: Double? = nil
    ) {
        let measurement = Measurement(
            name: name, suite: suite, value: value, unit: unit, baseline: baseline, limit: limit)
        measurements.append(measurement)
        guard printsTable else { return }
        print(
            Table.row(
                name, Table.number(value, unit), baseline.map { Table.number($0, unit) } ?? "",
                measurement.ratio.map { Table.number($0) } ?? "",
                limit.map { "≤ " + Table.number($0, baseline == nil ? unit : "") } ?? "",
                measurement.verdict == .unlimited ? "" : measurement.verdict.rawValue))
        fflush(nil)
    }

    /// Adds a time, in milliseconds.
    package mutating func add(
        _ name: String, _ time: Duration, baseline: Duration? = nil, limit: Double? = nil
    ) {
        add(
            name, time.milliseconds, "ms", baseline: baseline?.milliseconds, limit: limit)
    }

    /// Encodes the measurements for ``ReportFile``.
    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let file = ReportFile(
            version: ReportFile.currentVersion, date: Date().ISO8601Format(),
            measurements: measurements)
        return String(decoding: try encoder.encode(file), as: UTF8.self)
    }
}

/// The JSON document that `--json` prints and `diff` reads.
package struct ReportFile: Codable {
    package static let currentVersion = 1

    package let version: Int
    package let date: String
    package let measurements: [Measurement]
}

extension ReportFile {
    package init(contentsOf path: String) throws {
        let data = try Data(contentsOf: URL(filePath: path))
        self = try JSONDecoder().decode(ReportFile.self, from: data)
        guard version == Self.currentVersion else {
            throw BenchError("\(path) has the version \(version), not \(Self.currentVersion)")
        }
    }
}

/// Layout of text columns.
package enum Table {
    package static func row(_ cells: String...) -> String {
        let widths = [44, 14, 14, 10, 14, 8]
        var line = ""
        for (index, cell) in cells.enumerated() {
            let padding = String(repeating: " ", count: max(0, widths[index] - cell.count))
            line += index == 0 ? cell + padding : padding + cell
        }
        return line
    }

    /// Formats a number with three significant digits, or all digits of an integer.
    package static func number(_ value: Double, _ unit: String = "") -> String {
        let text: String
        if value == value.rounded(), abs(value) < 1e12 {
            text = String(Int64(value))
        } else if abs(value) >= 100 {
            text = String(format: "%.0f", value)
        } else if abs(value) >= 10 {
            text = String(format: "%.1f", value)
        } else if abs(value) >= 1 {
            text = String(format: "%.2f", value)
        } else {
            text = String(format: "%.3g", value)
        }
        return unit.isEmpty ? text : text + " " + unit
    }
}
