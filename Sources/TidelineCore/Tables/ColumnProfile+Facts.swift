import Foundation
package import Tables

extension ColumnProfile {
    package static let quantileParts: [(name: String, part: Double)] = [
        ("p5", 0.05), ("p25", 0.25), ("p50", 0.5), ("p75", 0.75), ("p95", 0.95),
    ]

    /// Returns named facts about a column: counts of its values, and the distribution of its
    /// numbers.
    ///
    /// - Parameter text: Formats a value of the column.
    package func facts(_ text: (TableValue) -> String) -> [(name: String, text: String)] {
        var facts = [
            ("rows", Counted.grouped(rowCount)), ("nulls", counted(nullCount)),
            ("empties", counted(emptyCount)), ("distinct", Counted.grouped(distinctCount)),
        ]
        for (type, count) in types.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) })
        where type != "null" {
            facts.append((type, counted(count)))
        }
        guard let minimum = numbers.minimum, let maximum = numbers.maximum else { return facts }
        facts.append(("min", text(minimum)))
        for (_, part) in Self.quantileParts {
            guard let value = numbers.quantile(part) else { continue }
            facts.append((part == 0.5 ? "median" : "\(Int(part * 100))%", text(value)))
        }
        facts.append(("max", text(maximum)))
        if let mean = numbers.mean { facts.append(("mean", text(.real(mean)))) }
        if numbers.infiniteCount > 0 { facts.append(("infinite", counted(numbers.infiniteCount))) }
        return facts
    }

    /// Returns the ranges of the histogram with their row counts; empty for fewer than two ranges.
    package func histogramRanges(
        _ text: (TableValue) -> String
    ) -> [(text: String, count: Int)] {
        let bins = numbers.histogram()
        guard bins.count > 1 else { return [] }
        return bins.map { bin in
            // Round to three significant digits of the width, so that both ends look different.
            let width = bin.upperBound - bin.lowerBound
            let digits = width > 0 && width.isFinite ? 2 - Int(log10(width).rounded(.down)) : 0
            func bound(_ value: Double) -> String {
                text(.real(Double(String(format: "%.\(max(0, min(digits, 17)))f", value)) ?? value))
            }
            return ("\(bound(bin.lowerBound)) … \(bound(bin.upperBound))", bin.count)
        }
    }

    /// Returns the facts and the histogram for the inspector.
    ///
    /// - Parameter text: Formats a value of the column.
    func sections(_ text: (TableValue) -> String) -> [Detail.Section] {
        let facts = facts(text).map { Detail.Line($0.name, $0.text) }
        let ranges = histogramRanges(text)
        let most = ranges.map(\.count).max() ?? 0
        guard most > 0 else { return [Detail.Section("Column", facts)] }
        let bars = ranges.map { range, count in
            let bar = FractionText.bar(Double(count) / Double(most), width: 16)
            return Detail.Line(range, "\(Counted.grouped(count)) \(bar)", .number)
        }
        return [Detail.Section("Column", facts), Detail.Section("Histogram", bars)]
    }

    /// Returns a row count as a fraction of all rows.
    package func share(_ count: Int) -> Double { Double(count) / Double(max(1, rowCount)) }

    private func counted(_ count: Int) -> String {
        count == 0 ? "0" : "\(Counted.grouped(count)) (\(FractionText.percentage(share(count))))"
    }
}
