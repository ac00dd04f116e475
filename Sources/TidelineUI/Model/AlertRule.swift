import Replication
import TidelineCore

/// A condition on the new values of rows, such as `load/* value>30`.
struct AlertRule: Hashable, Sendable {
    /// The rule as the user types it.
    let text: String
    private let names: Pattern
    private let condition: Filter

    /// The fields that a condition can compare.
    static let fields = [
        FilterField("value", .value, example: "value>30"),
        FilterField("device", .name, example: "device:ben"),
    ]

    /// Parses a rule: a pattern of names, or none, and a filter.
    ///
    /// - Returns: `nil` if no word is a condition.
    /// - Throws: ``FilterError`` for a condition that doesn't parse.
    init?(_ text: String) throws(FilterError) {
        let words = text.split(separator: " ")
        guard let first = words.first(where: Self.isCondition) else { return nil }
        let names = text[..<first.startIndex].split(separator: " ").joined(separator: " ")
        self.text = text
        self.names = Pattern(names.isEmpty ? "*" : names)
        condition = try Filter(String(text[first.startIndex...]), fields: Self.fields)
    }

    private static func isCondition(_ word: Substring) -> Bool {
        let word = word.drop { "-(".contains($0) }
        return fields.contains { field in
            word.hasPrefix(field.name)
                && word.dropFirst(field.name.count).first.map(":=<>~".contains) ?? false
        }
    }

    /// Returns whether a text is `device:NAME`, and not a rule about values.
    static func isDevice(_ text: String) -> Bool {
        text.hasPrefix("device:")
            && !text.split(separator: " ").dropFirst().contains(where: isCondition)
    }

    /// Returns whether a row satisfies the rule.
    ///
    /// - Parameters:
    ///   - value: The new value in one line; `nil` if it isn't known. Then only the name counts.
    ///   - devices: The names of the device that wrote it.
    func matches(_ row: RowID, value: String?, by devices: [String]) -> Bool {
        guard names.matches(row.name) else { return false }
        guard let value else { return true }
        return condition.passes(Written(value: value.unquoted, devices: devices))
    }

    private struct Written: FilterSubject {
        let value: String
        let devices: [String]

        func contains(where test: (String) -> Bool) -> Bool { test(value) }
        func text(of field: String) -> String? { texts(of: field).first }
        func texts(of field: String) -> [String] { field == "device" ? devices : [value] }
        func number(of field: String) -> Double? { field == "value" ? Double(value) : nil }
        func instant(of field: String) -> Timestamp? {
            field == "value" ? try? Timestamp(parsing: value) : nil
        }
    }
}

extension String {
    /// The text without the quotation marks around it.
    fileprivate var unquoted: String {
        count > 1 && hasPrefix("\"") && hasSuffix("\"") ? String(dropFirst().dropLast()) : self
    }
}
