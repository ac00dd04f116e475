import Automerge
import Foundation
import LosslessJSON
import Replication

/// A value to be put into a document.
indirect enum DocumentValue {
    case scalar(ScalarValue)
    case text(String)
    case list([DocumentValue])
    case map([(key: String, value: DocumentValue)])

    /// Parses a typed value.
    ///
    /// - Throws: ``CoreError`` with code `.usage` and the expected form.
    init(_ typed: TypedText) throws(CoreError) {
        let trimmed = typed.text.trimmingCharacters(in: .whitespacesAndNewlines)
        switch typed.kind {
        case .string: self = .scalar(.String(typed.text))
        case .text: self = .text(typed.text)
        case .null: self = .scalar(.Null)
        case .integer: self = .scalar(try Self.integer(trimmed))
        case .counter:
            guard let number = Int64(trimmed) else {
                throw Self.invalid(typed, "an integer of at most 64 bits")
            }
            self = .scalar(.Counter(number))
        case .real:
            guard let number = Double(trimmed) else {
                throw Self.invalid(typed, "a number such as 1.5")
            }
            self = .scalar(.F64(number))
        case .boolean:
            switch trimmed.lowercased() {
            case "true", "yes", "1": self = .scalar(.Boolean(true))
            case "false", "no", "0": self = .scalar(.Boolean(false))
            default: throw Self.invalid(typed, "true or false")
            }
        case .date, .timestamp: self = .scalar(try Self.timestamp(trimmed, typed))
        case .data:
            guard let data = Data(base64Encoded: trimmed) else {
                throw Self.invalid(typed, "base64")
            }
            self = .scalar(.Bytes(data))
        case .json: self = try Self.parsed(trimmed)
        case .map:
            guard case .map(let members) = try Self.parsed(trimmed.isEmpty ? "{}" : trimmed) else {
                throw Self.invalid(typed, "a JSON object")
            }
            self = .map(members)
        case .list:
            guard case .list(let values) = try Self.parsed(trimmed.isEmpty ? "[]" : trimmed) else {
                throw Self.invalid(typed, "a JSON array")
            }
            self = .list(values)
        case .relationship: throw Self.invalid(typed, "possible: documents have no relationships")
        }
    }

    private static func integer(_ text: String) throws(CoreError) -> ScalarValue {
        if let number = Int64(text) { return .Int(number) }
        if let number = UInt64(text) { return .Uint(number) }
        throw CoreError(
            .usage, "\(text.quoted) is not an integer of at most 64 bits")
    }

    /// Parses a date, or milliseconds since 1970.
    private static func timestamp(
        _ text: String, _ typed: TypedText
    ) throws(CoreError) -> ScalarValue {
        if typed.kind == .timestamp, let milliseconds = Int64(text) {
            return .Timestamp(Date(timeIntervalSince1970: Double(milliseconds) / 1_000))
        }
        guard let instant = try? Timestamp(parsing: text) else {
            throw invalid(typed, "a date such as 2026-11-21T09:15:00Z")
        }
        return .Timestamp(instant.date)
    }

    private static func invalid(_ typed: TypedText, _ expected: String) -> CoreError {
        let shown = typed.text.count > 40 ? typed.text.prefix(40) + "…" : typed.text[...]
        return CoreError(.usage, "\(String(shown).quoted) is not \(expected)")
    }

    private static func parsed(_ text: String) throws(CoreError) -> DocumentValue {
        let json: JSON
        do {
            json = try JSONParser.parse(Array(text.utf8))
        } catch {
            throw CoreError(.usage, "not JSON: \(error)")
        }
        return try DocumentValue(json)
    }

    private init(_ json: JSON) throws(CoreError) {
        switch json {
        case .null: self = .scalar(.Null)
        case .boolean(let truth): self = .scalar(.Boolean(truth))
        case .string(let text): self = .scalar(.String(text))
        case .number(let digits):
            if JSON.isReal(digits) {
                guard let number = Double(digits), number.isFinite else {
                    throw CoreError(.usage, "\(digits) is out of range")
                }
                self = .scalar(.F64(number))
            } else {
                self = .scalar(try Self.integer(digits))
            }
        case .array(let values):
            var list: [DocumentValue] = []
            for value in values { list.append(try DocumentValue(value)) }
            self = .list(list)
        case .object(let members):
            if let (tag, content) = json.tagged, case .string(let text) = content,
                let value = try Self.tagged(tag, text)
            {
                self = value
                return
            }
            var map: [(key: String, value: DocumentValue)] = []
            for member in members { map.append((member.name, try DocumentValue(member.value))) }
            self = .map(map)
        }
    }

    /// Returns a value that JSON lacks, or `nil` for a tag that documents don't use.
    private static func tagged(
        _ tag: JSONTag, _ text: String
    ) throws(CoreError) -> DocumentValue? {
        switch tag {
        case .data: try DocumentValue(TypedText(.data, text))
        case .date: try DocumentValue(TypedText(.date, text))
        case .real: try DocumentValue(TypedText(.real, text))
        case .dictionary, .text, .external, .entity: nil
        }
    }
}
