import LosslessJSON
public import Replication

/// A JSON value for output: integers exact to 64 bits, reals that stay reals, keys sorted.
///
/// Foundation's encoder writes `1.0` as `1` and cannot tell an integer from a real; the command
/// line promises the difference.
public enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case real(Double)
    case string(String)
    case array([JSONValue])
    case object([Name: JSONValue])
    /// Text that is JSON already, on one line.
    case verbatim(String)

    /// The value as one line, without spaces between its parts.
    public var line: String { text(.compact) }

    /// The value on as many lines as it takes, indented by two spaces a level.
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
    /// The text that the literal spells.
    public init(stringLiteral value: String) { self = .string(value) }
    /// The boolean that the literal spells.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// The integer that the literal spells.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// `null`.
    public init(nilLiteral: ()) { self = .null }
    /// An array of the elements, in their order.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object of the elements; a name given twice keeps its last value.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements.map { (Name($0), $1) }) { $1 })
    }
}

extension JSONValue {
    /// A count or an identifier.
    public static func count(_ value: Int) -> JSONValue { .integer(Int64(value)) }
    /// `null` where there is nothing.
    public static func optional(_ value: String?) -> JSONValue {
        value.map(JSONValue.string) ?? .null
    }
    /// `null` where there is nothing.
    public static func optional(_ value: Int64?) -> JSONValue {
        value.map(JSONValue.integer) ?? .null
    }
}
