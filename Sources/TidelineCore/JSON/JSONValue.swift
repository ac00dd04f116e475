public import Foundation
import LosslessJSON
public import Replication

/// A JSON value for output: exact 64-bit integers, reals that keep their decimal point, sorted
/// keys.
///
/// Foundation's encoder writes `1.0` as `1` and doesn't distinguish integers from reals. The
/// command line guarantees this distinction.
public enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case real(Double)
    case string(String)
    case array([JSONValue])
    case object([Name: JSONValue])
    /// A text that is already JSON, on one line.
    case verbatim(String)

    /// The value in one line, without spaces between its parts.
    public var line: String { text(.compact) }

    /// The value on several lines, indented by two spaces per level.
    public var indented: String { text(.indented) }

    private func text(_ layout: JSONWriter.Layout) -> String {
        var writer = JSONWriter(layout)
        write(to: &writer)
        return writer.text
    }

    private func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .boolean(let value): writer.boolean(value)
        case .integer(let value): writer.integer(value)
        case .unsigned(let value): writer.integer(value)
        case .real(let value): writer.real(value)
        case .string(let value): writer.string(value)
        case .verbatim(let json): writer.verbatim(json)
        case .array(let values):
            writer.array { for value in values { value.write(to: &$0) } }
        case .object(let members):
            writer.object { writer in
                let sorted = members.sorted { $0.key < $1.key }
                for (key, value) in sorted {
                    writer.key(key.text)
                    value.write(to: &writer)
                }
            }
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral,
    ExpressibleByArrayLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByNilLiteral
{
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates a boolean.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates `null`.
    public init(nilLiteral: ()) { self = .null }
    /// Creates an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates an object. If a name occurs twice, the last value is kept.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements.map { (Name($0), $1) }) { $1 })
    }
}

extension JSONValue {
    /// Creates an object that represents bytes: `{"$data": BASE64}`.
    public static func data(_ data: Data) -> JSONValue {
        tagged(.data, data.base64EncodedString())
    }

    /// Creates an object that represents an instant: `{"$date": TIME}`.
    static func date(_ instant: Timestamp) -> JSONValue { tagged(.date, instant.iso8601) }

    /// Creates an object that refers to bytes in another file: `{"$external": NAME}`.
    static func external(_ fileName: String) -> JSONValue { tagged(.external, fileName) }

    /// Creates an object that refers to bytes in another file and has its size:
    /// `{"$external": NAME, "size": 4}`.
    ///
    /// - Parameter byteCount: The size of the file; `nil` if it doesn't exist.
    static func external(_ fileName: String, byteCount: Int?) -> JSONValue {
        .object([
            Name(JSONTag.external.rawValue): .string(fileName),
            "size": .optional(byteCount.map { Int64($0) }),
        ])
    }

    private static func tagged(_ tag: JSONTag, _ text: String) -> JSONValue {
        .object([Name(tag.rawValue): .string(text)])
    }

    /// The text of an object that represents an instant; `nil` for any other value.
    var dateText: String? {
        guard case .object(let members) = self, members.count == 1,
            case .string(let text)? = members[Name(JSONTag.date.rawValue)]
        else { return nil }
        return text
    }

    /// Creates an integer from a count or an identifier.
    public static func count(_ value: Int) -> JSONValue { .integer(Int64(value)) }
    /// Creates a string, or `null` for `nil`.
    public static func optional(_ value: String?) -> JSONValue {
        value.map(JSONValue.string) ?? .null
    }
    /// Creates an integer, or `null` for `nil`.
    public static func optional(_ value: Int64?) -> JSONValue {
        value.map(JSONValue.integer) ?? .null
    }
}
