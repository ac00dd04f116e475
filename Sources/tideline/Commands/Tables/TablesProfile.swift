import ArgumentParser
import CommandSupport
import Foundation
import Glibc
import Replication
import Synchronization
import Tables
import TidelineCore

extension TablesCommands {
    struct Profile: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the distribution of the values in columns.",
            discussion: """
                Counts rows, nulls, empty values, types and distinct values, and prints the most \
                frequent values. Numbers, and dates stored as numbers, have a mean, quantiles and a \
                histogram. Quantiles are exact up to 8,000 distinct numbers; beyond that, their rank \
                is off by at most 0.1% of the rows.

                Example: tideline tables profile shop.db orders
                Example: tideline tables profile shop.db orders total --json
                """)
        @OptionGroup var database: DatabaseArgument
        @Argument(help: "The table, view or entity.") var table: String
        @Argument(help: "The columns (default: all).") var columns: [String] = []
        @OptionGroup var json: JSONFlag

        func run() throws {
            let table = try database.table(table)
            if let note = table.readingNote { Output.note("tideline: \(table.name): \(note)") }
            let columns = try columns.isEmpty ? table.columns : columns.map { try table.known($0) }
            let interruption = Interruption()
            do {
                for (index, column) in columns.enumerated() {
                    let progress = Progress(
                        "\(column.name) (\(index + 1) of \(columns.count))")
                    let profile = try profile(column, table, progress, interruption.isSet)
                    progress.end()
                    if json.json {
                        Output.json(profile.json(column))
                    } else {
                        if index > 0 { Output.line("") }
                        for line in profile.lines(column) { Output.line(line) }
                    }
                }
            } catch {
                if let code = interruption.exitCode { throw code }
                throw error
            }
        }

        private func profile(
            _ column: NamedTable.Column, _ table: NamedTable, _ progress: Progress,
            _ isCancelled: @escaping @Sendable () -> Bool
        ) throws -> ColumnProfile {
            try Failure.of(database.path) {
                // There is no limit, because the user can interrupt the command.
                try database.file.read(
                    instructionsPerByte: .max,
                    isCancelled: {
                        progress.show()
                        return isCancelled()
                    }
                ) { try ColumnProfile($0, of: column, in: table) }.0
            }
        }
    }
}

extension NamedTable {
    func known(_ name: String) throws -> Column {
        guard let column = column(name) else {
            throw Failure(
                .noSuchItem, name, "\(self.name) has no such column",
                suggestion:
                    "choose one of \(columns.prefix(40).map(\.name).joined(separator: ", "))")
        }
        return column
    }
}

/// A line on the terminal with the time that a step of a command has taken.
private final class Progress: Sendable {
    private let title: String
    private let start = ContinuousClock.now
    private let shown = Atomic<Int>(0)

    init(_ title: String) { self.title = title }

    /// Updates the line once per second.
    func show() {
        let seconds = Int((ContinuousClock.now - start).components.seconds)
        guard seconds > shown.load(ordering: .relaxed), isatty(STDERR_FILENO) == 1 else { return }
        shown.store(seconds, ordering: .relaxed)
        Output.progress("\r\(Printable.line(title)): \(seconds) s ")
    }

    /// Clears the line.
    func end() {
        if shown.load(ordering: .relaxed) > 0 { Output.progress("\r\u{1B}[K") }
    }
}

extension ColumnProfile {
    // MARK: JSON

    fileprivate func json(_ column: NamedTable.Column) -> JSONValue {
        var members: [Name: JSONValue] = [
            "column": .string(column.name), "type": .string(column.schema.declaredType),
            "rows": .count(rowCount), "nulls": .count(nullCount), "empties": .count(emptyCount),
            "types": .object(
                Dictionary(uniqueKeysWithValues: types.map { (Name($0), .count($1)) })),
            "distinct": .count(distinctCount),
            "frequent": .array(
                frequent.map {
                    [
                        "value": column.json($0.value), "count": .count($0.count),
                        "share": .real(share($0.count)),
                    ]
                }),
        ]
        if numbers.count > 0 { members["numbers"] = numbersJSON(column) }
        if let epoch = epoch(column) { members["epoch"] = .string(epoch.rawValue) }
        return .object(members)
    }

    private func numbersJSON(_ column: NamedTable.Column) -> JSONValue {
        func json(_ value: TableValue?) -> JSONValue {
            value.map { column.json($0) } ?? .null
        }
        return [
            "count": .count(numbers.count), "infinite": .count(numbers.infiniteCount),
            "min": json(numbers.minimum), "max": json(numbers.maximum),
            "mean": json(numbers.mean.map { .real($0) }),
            "quantiles": .object(
                Dictionary(
                    uniqueKeysWithValues: Self.quantileParts.map {
                        (Name($0.name), json(numbers.quantile($0.part)))
                    })),
            "histogram": .array(
                numbers.histogram().map {
                    [
                        "from": json(.real($0.lowerBound)), "to": json(.real($0.upperBound)),
                        "count": .count($0.count),
                    ]
                }),
        ]
    }

    private func epoch(_ column: NamedTable.Column) -> Epoch? {
        column.isCoreDataDate ? .seconds2001 : numbers.epoch(of: column.schema)
    }

    // MARK: Text

    private static let width = 80

    /// Returns the profile as lines of at most 80 columns.
    fileprivate func lines(_ column: NamedTable.Column) -> [String] {
        let epoch = epoch(column)
        func text(_ value: TableValue) -> String {
            if let date = epoch?.date(value) {
                return String(Timestamp(date).iso8601.prefix(19)).replacing("T", with: " ")
            }
            return Printable.line(String(NamedTable.text(value, column).prefix(Self.width)))
        }
        let type = column.schema.declaredType
        var lines = [Printable.line(type.isEmpty ? column.name : "\(column.name) \(type)")]
        lines += wrapped(facts(text).map { "\($0.name) \($0.text)" })
        // Don't print the frequencies of a key column, because each value occurs only once.
        if frequent.count == distinctCount || frequent.contains(where: { $0.count > 1 }) {
            lines += bars("most frequent", frequent.map { (text($0.value), $0.count) })
        }
        lines += bars("histogram", histogramRanges(text))
        return lines
    }

    private func wrapped(_ items: [String]) -> [String] {
        var lines: [String] = []
        for item in items {
            if let last = lines.last,
                !CharacterWidth.exceeds("\(last)   \(item)", columns: Self.width)
            {
                lines[lines.count - 1] = "\(last)   \(item)"
            } else {
                lines.append("  \(item)")
            }
        }
        return lines
    }

    private func bars(_ title: String, _ rows: [(text: String, count: Int)]) -> [String] {
        guard !rows.isEmpty else { return [] }
        let most = rows.map(\.count).max() ?? 1
        let counts = rows.map { Counted.grouped($0.count) }
        let widest = counts.map(\.count).max() ?? 0
        return ["  \(title)"]
            + zip(rows, counts).map { row, count in
                let padding = String(repeating: " ", count: widest - count.count)
                let percentage = FractionText.percentage(share(row.count))
                let gap = String(repeating: " ", count: max(0, 6 - percentage.count))
                let bar = FractionText.bar(Double(row.count) / Double(max(1, most)), width: 16)
                let rest = String(repeating: " ", count: 16 - bar.count)
                return Printable.clipped(
                    "    \(padding)\(count) \(gap)\(percentage) \(bar)\(rest) \(row.text)",
                    columns: Self.width)
            }
    }
}
