import Replication
import TidelineCore

/// A condition on the new values of rows, such as `load/* value>30`.
struct AlertRule: Hashable, Sendable {
    /// The rule in the form that users type.
    let text: String
    /// The names of the rows that the rule is about.
    let names: Pattern
    private let condition: Filter

    /// The fields that a condition can compare.
    static let fields = [
        FilterField("value", .value, example: "value>30"),
        FilterField("device", .name, example: "device:ben"),
    ]

    /// Parses a rule, which consists of an optional pattern of names and a filter.
    ///
    /// - Returns: `nil` if no word is a condition.
    /// - Throws: ``FilterError`` for a condition that can't be parsed.
    init?(_ text: String) throws(FilterError) {
        var rest = text[...]
        if text.first == "\"", let end = text.dropFirst().firstIndex(of: "\"") {
            rest = text[end...].dropFirst()
        }
        let words = rest.split(separator: " ")
        guard let first = words.firstIndex(where: Self.isCondition) else { return nil }
        let condition = words[first]
        if first > 0, words[first - 1].lowercased() == "not" {
            throw FilterError(
                "write a minus sign for “not”: -\(condition)",
                at: 0..<text[..<condition.endIndex].utf8.count)
        }
        let names = text[..<condition.startIndex].split(separator: " ").joined(separator: " ")
        self.text = text
        self.names = Self.pattern(names.isEmpty ? "*" : names)
        self.condition = try Filter(String(text[condition.startIndex...]), fields: Self.fields)
    }

    /// Returns whether a word has the form of a condition, even if its field is unknown.
    private static func isCondition(_ word: Substring) -> Bool {
        let word = word.drop { "-(".contains($0) }
        let name = word.prefix { $0.isLetter || $0.isNumber || "-_".contains($0) }
        return name.first?.isLetter == true
            && word[name.endIndex...].first.map(":=<>~".contains) == true
    }

    /// Returns the pattern of a text. In quotation marks, a pattern can contain words that have the
    /// form of a condition.
    static func pattern(_ text: String) -> Pattern { Pattern(text.unquoted) }

    /// Returns whether a text is `device:NAME` instead of a rule about values.
    static func isDevice(_ text: String) -> Bool {
        text.hasPrefix("device:")
            && !text.split(separator: " ").dropFirst().contains(where: isCondition)
    }

    /// Returns whether a row satisfies the rule.
    ///
    /// - Parameters:
    ///   - value: The new value in one line. If it is unknown (`nil`), only the name is compared.
    ///   - devices: The names of the device that wrote the row.
    func matches(_ row: RowID, value: String?, by devices: [String]) -> Bool {
        guard names.matches(row.name) else { return false }
        guard let value else { return true }
        return condition.passes(Written(value: value.unquoted, devices: devices))
    }

    private struct Written: FilterSubject {
        let value: String
        let devices: [String]

        func contains(where test: (String) -> Bool) -> Bool { test(value) }
        func texts(of field: String) -> [String] { field == "device" ? devices : [value] }
        func numbers(of field: String) -> [FilterNumber] {
            field == "value" ? [FilterNumber(value)].compactMap(\.self) : []
        }
        func instant(of field: String) -> Timestamp? {
            field == "value" ? try? Timestamp(parsing: value) : nil
        }
    }
}

extension String {
    /// The text without surrounding quotation marks.
    fileprivate var unquoted: String {
        count > 1 && hasPrefix("\"") && hasSuffix("\"") ? String(dropFirst().dropLast()) : self
    }
}
