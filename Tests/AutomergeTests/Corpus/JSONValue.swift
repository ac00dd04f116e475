import Foundation

@testable import Automerge

/// A JSON value. Strings are compared by Unicode scalars, numbers by value.
enum JSONValue: Hashable {
    case null
    case boolean(Bool)
    case integer(Int64)
    /// An integer that doesn't fit in `Int64`.
    case unsigned(UInt64)
    case fraction(Double)
    case string(ExactText)
    case array([JSONValue])
    case object([ExactText: JSONValue])

    /// A number without a fractional part becomes an integer, however it was written.
    init(_ number: Double) {
        if let integer = Int64(exactly: number) {
            self = .integer(integer)
        } else {
            self = number.isFinite ? .fraction(number) : .null
        }
    }

    init(_ number: UInt64) {
        self = Int64(exactly: number).map(JSONValue.integer) ?? .unsigned(number)
    }

    /// Parses JSON text.
    init(parsing text: String) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    }
}

extension JSONValue: Decodable {
    private struct Key: CodingKey {
        let stringValue: String
        let intValue: Int? = nil
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Key.self) {
            var entries: [ExactText: JSONValue] = [:]
            for key in container.allKeys {
                entries[ExactText(key.stringValue)] = try container.decode(
                    JSONValue.self, forKey: key)
            }
            self = .object(entries)
            return
        }
        if var container = try? decoder.unkeyedContainer() {
            var elements: [JSONValue] = []
            while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
            self = .array(elements)
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = JSONValue(value)
        } else if let value = try? container.decode(Double.self) {
            self = JSONValue(value)
        } else {
            self = .string(ExactText(try container.decode(String.self)))
        }
    }
}
