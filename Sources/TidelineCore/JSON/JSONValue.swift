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
    case object([String: JSONValue])
    /// Text that is JSON already, on one line.
    case verbatim(String)

    /// The value as one line, without spaces between its parts.
    public var line: String {
        var text = ""
        write(to: &text, indentation: nil)
        return text
    }

    /// The value on as many lines as it takes, indented by two spaces a level.
    public var indented: String {
        var text = ""
        write(to: &text, indentation: 0)
        return text
    }

    private func write(to text: inout String, indentation: Int?) {
        switch self {
        case .null: text += "null"
        case .boolean(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .unsigned(let value): text += String(value)
        case .real(let value): text += Self.literal(value)
        case .string(let value): Self.write(value, to: &text)
        case .verbatim(let json): text += json
        case .array(let values):
            Self.write(values, "[", "]", to: &text, indentation: indentation) {
                $0.write(to: &$1, indentation: $2)
            }
        case .object(let members):
            Self.write(
                members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) },
                "{", "}", to: &text, indentation: indentation
            ) { member, text, indentation in
                Self.write(member.key, to: &text)
                text += indentation == nil ? ":" : ": "
                member.value.write(to: &text, indentation: indentation)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element], _ open: String, _ close: String, to text: inout String,
        indentation: Int?, element write: (Element, inout String, Int?) -> Void
    ) {
        text += open
        let inner = indentation.map { $0 + 1 }
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            if let inner { text += "\n" + String(repeating: "  ", count: inner) }
            write(element, &text, inner)
        }
        if let indentation, !elements.isEmpty {
            text += "\n" + String(repeating: "  ", count: indentation)
        }
        text += close
    }

    /// The shortest decimal that reads back as the same number, always with a point or exponent;
    /// `{"$real": …}` for what JSON has no number for.
    public static func literal(_ value: Double) -> String {
        if value.isNaN { return #"{"$real":"nan"}"# }
        if value.isInfinite { return value < 0 ? #"{"$real":"-inf"}"# : #"{"$real":"inf"}"# }
        return value.description
    }

    /// `string` as a JSON string literal. Control characters, DEL and the C1 controls are escaped,
    /// so that a line of JSON never moves a terminal's cursor.
    public static func write(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..<"\u{20}", "\u{7F}"..."\u{9F}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral,
    ExpressibleByArrayLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(nilLiteral: ()) { self = .null }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}

extension JSONValue {
    /// A count or an identifier.
    public static func count(_ value: Int) -> JSONValue { .integer(Int64(value)) }
    /// `null` where there is nothing.
    public static func optional(_ value: String?) -> JSONValue {
        value.map(JSONValue.string) ?? .null
    }
    public static func optional(_ value: Int64?) -> JSONValue {
        value.map(JSONValue.integer) ?? .null
    }
}
