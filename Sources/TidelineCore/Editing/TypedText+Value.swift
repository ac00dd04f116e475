import Foundation
package import Replication

extension TypedText {
    /// Parses the text as a value of a store.
    ///
    /// Integers are decimal, up to 64 bits, signed or unsigned. Reals may also be `nan` and `inf`.
    /// Booleans are `true`, `false`, `yes`, `no`, `1`, `0`. Dates are ISO 8601, data is base64, and
    /// JSON has the forms of `JSONTreeReadable`.
    ///
    /// - Throws: ``EditError`` with code `.invalid` and the expected form, or `.unsupported` if the
    ///   store has no values of the type.
    package func value<Value: JSONTreeReadable>(
        as type: Value.Type = Value.self
    ) throws(EditError) -> Value {
        let content: TreeContent<Value>
        switch kind {
        case .string, .text: content = .string(text)
        case .integer, .counter:
            if let number = Int64(trimmed) {
                content = .integer(number)
            } else if let number = UInt64(trimmed) {
                content = .unsigned(number)
            } else {
                throw invalid("an integer of at most 64 bits")
            }
        case .real:
            guard let number = Double(trimmed) else { throw invalid("a number such as 1.5") }
            // Only the word `inf` means infinity. Digits that overflow are an error.
            guard number.isFinite || !trimmed.contains(where: \.isNumber) else {
                throw invalid("within the range of real numbers")
            }
            content = .double(number)
        case .boolean:
            switch trimmed.lowercased() {
            case "true", "yes", "1": content = .boolean(true)
            case "false", "no", "0": content = .boolean(false)
            default: throw invalid("true or false")
            }
        case .date:
            guard let instant = try? Timestamp(parsing: trimmed) else {
                throw invalid("a date such as 2026-11-21T09:15:00Z")
            }
            content = .instant(instant)
        case .data:
            guard let data = Data(base64: trimmed) else { throw invalid("base64") }
            content = .data(data)
        case .json:
            do {
                return try Value(jsonText: text)
            } catch {
                throw EditError(.invalid, error.description)
            }
        case .null: content = .null
        case .timestamp, .map, .list, .relationship: throw unsupported
        }
        if let value = Value(tree: content) { return value }
        if case .unsigned = content { throw invalid("within the range of signed 64-bit integers") }
        throw unsupported
    }

    /// The text without surrounding white space.
    var trimmed: String { text.trimmingCharacters(in: .whitespacesAndNewlines) }

    /// Returns the error of a text that doesn't have the expected form.
    func invalid(_ expected: String) -> EditError {
        let shown = text.count > 40 ? text.prefix(40) + "…" : text[...]
        return EditError(.invalid, "\(String(shown).quoted) is not \(expected)")
    }

    private var unsupported: EditError {
        EditError(.unsupported, "a value of type \(kind.rawValue) can't be stored here")
    }

    /// Creates the text for editing a value; `nil` for a value that can only be edited as JSON or
    /// that is of the store's own kind.
    init?(scalar value: some TreeValue) {
        switch value.treeContent {
        case .null: self.init(.null, "")
        case .boolean(let truth): self.init(.boolean, String(truth))
        case .integer(let number): self.init(.integer, String(number))
        case .unsigned(let number): self.init(.integer, String(number))
        case .double(let number): self.init(.real, number.description)
        case .string(let text): self.init(.string, text)
        case .data(let data): self.init(.data, data.base64EncodedString())
        case .instant(let instant): self.init(.date, instant.plainISO8601)
        case .date(let date):
            let instant = Timestamp(date)
            guard instant.date == date else { return nil }
            self.init(.date, instant.plainISO8601)
        case .array, .dictionary, .ownKind: return nil
        }
    }
}
