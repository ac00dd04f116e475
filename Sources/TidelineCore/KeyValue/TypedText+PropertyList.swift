import Foundation
public import KeyValueStore
import Replication

extension TypedText {
    /// Parses the value.
    ///
    /// Integers are decimal, up to 64 bits, signed or unsigned. Reals may also be `nan` and `inf`.
    /// Booleans are `true`, `false`, `yes`, `no`, `1`, `0`. Dates are ISO 8601, data is base64, and
    /// JSON has the forms of `PropertyList`.
    ///
    /// - Returns: The value.
    /// - Throws: ``EditError`` with code `.invalid` and the expected form.
    public func propertyList() throws(EditError) -> PropertyList {
        switch kind {
        case .string, .text: return .string(text)
        case .integer, .counter:
            if let number = Int64(trimmed) { return .integer(number) }
            if let number = UInt64(trimmed) { return .unsigned(number) }
            throw invalid("an integer of at most 64 bits")
        case .real:
            guard let number = Double(trimmed) else { throw invalid("a number such as 1.5") }
            // Only the word `inf` means infinity. Digits that overflow are an error.
            guard number.isFinite || !trimmed.contains(where: \.isNumber) else {
                throw invalid("within the range of real numbers")
            }
            return .real(number)
        case .boolean:
            switch trimmed.lowercased() {
            case "true", "yes", "1": return .boolean(true)
            case "false", "no", "0": return .boolean(false)
            default: throw invalid("true or false")
            }
        case .date:
            guard let instant = try? Timestamp(parsing: trimmed) else {
                throw invalid("a date such as 2026-11-21T09:15:00Z")
            }
            return .date(instant.date)
        case .data:
            guard let data = Data(base64Encoded: trimmed) else { throw invalid("base64") }
            return .data(data)
        case .json:
            do {
                return try PropertyList(json: text)
            } catch {
                // Valid JSON is not always a valid value.
                let isJSON = error.code != .malformed || error.offset == nil
                throw EditError(.invalid, isJSON ? error.description : "not JSON: \(error)")
            }
        case .timestamp, .map, .list, .null, .relationship:
            throw EditError(.unsupported, "keys can't hold a value of type \(kind.rawValue)")
        }
    }

    private var trimmed: String { text.trimmingCharacters(in: .whitespacesAndNewlines) }

    private func invalid(_ expected: String) -> EditError {
        let shown = text.count > 40 ? text.prefix(40) + "…" : text[...]
        return EditError(.invalid, "\(String(shown).quoted) is not \(expected)")
    }

    /// Creates the text for editing a value.
    public init(_ value: PropertyList) {
        switch value {
        case .string(let text): self.init(.string, text)
        case .integer(let number): self.init(.integer, String(number))
        case .unsigned(let number): self.init(.integer, String(number))
        case .real(let number): self.init(.real, number.description)
        case .boolean(let truth): self.init(.boolean, truth ? "true" : "false")
        case .date(let date):
            let instant = Timestamp(date)
            // A date finer than a microsecond keeps its exact form as JSON.
            if instant.date == date {
                self.init(.date, instant.plainISO8601)
            } else {
                self.init(.json, value.description)
            }
        case .data(let data): self.init(.data, data.base64EncodedString())
        case .array, .dictionary:
            self.init(.json, (try? value.json(.indented)) ?? value.description)
        }
    }
}
