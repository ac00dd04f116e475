import Foundation
import LosslessJSON
import Replication
import Tables

extension TypedText.Kind {
    /// The types that a file of keys or entities can name.
    static let importable: [Self] = [
        .string, .integer, .real, .boolean, .date, .data, .json, .relationship,
    ]

    /// Returns the type to which all texts can be converted without loss; otherwise `string`.
    ///
    /// Ignores texts that are the JSON form of another value, such as `{"$data": "AA=="}`.
    static func inferred(from texts: some Sequence<String>) -> Self {
        var candidates: [Self] = [.integer, .real, .boolean, .date]
        var isEmpty = true
        for text in texts where !TypedText.isTagged(text) {
            isEmpty = false
            candidates.removeAll { !$0.isSpelled(text) }
            if candidates.isEmpty { break }
        }
        return isEmpty ? .string : candidates.first ?? .string
    }

    private func isSpelled(_ text: String) -> Bool {
        switch self {
        case .integer: PlainNumber.integer(text) != nil
        case .real: PlainNumber.integer(text) != nil || PlainNumber.isReal(text)
        case .boolean: text == "true" || text == "false"
        // A day without a time has no time zone, so it isn't a date.
        case .date: text.contains("T") && (try? Timestamp(parsing: text)) != nil
        default: false
        }
    }
}

extension TypedText {
    /// Whether a text is the JSON form of a value that JSON lacks.
    static func isTagged(_ text: String) -> Bool {
        guard text.utf8.starts(with: "{\"$".utf8) else { return false }
        return (try? JSONParser.parse(Array(text.utf8)))?.tagged != nil
    }

    /// Creates the typed value of an untyped field.
    init(field text: String, inferred kind: Kind) {
        self.init(Self.isTagged(text) ? .json : kind, text)
    }
}
