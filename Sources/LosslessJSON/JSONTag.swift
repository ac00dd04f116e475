/// A tag for a type of value that JSON lacks. The value is an object with one member, whose name is
/// the tag, such as `{"$date": "2026-11-21T09:15:00Z"}`.
///
/// Each store decides which of the tags it reads and writes.
public enum JSONTag: String, Hashable, Sendable {
    /// Bytes, in base64.
    case data = "$data"
    /// An instant, in ISO 8601.
    case date = "$date"
    /// A number that JSON can't represent. See ``text(for:)``.
    case real = "$real"
    /// A dictionary that would otherwise be read as a tagged value.
    case dictionary = "$dictionary"
    /// The bytes of a text that isn't UTF-8, in base64.
    case text = "$text"
    /// The name of the file that contains the value.
    case external = "$external"
    /// The identifier of an entity.
    case entity = "$entity"
}

extension JSONTag {
    /// Returns the content of ``real`` for a number that isn't finite: `nan`, `inf` or `-inf`.
    public static func text(for number: Double) -> String {
        number.isNaN ? "nan" : number < 0 ? "-inf" : "inf"
    }

    /// Returns the number that the content of a tag ``real`` represents.
    ///
    /// - Parameter text: `nan`, `inf`, `-inf`, or `nan:` with the bits of a NaN in hexadecimal.
    /// - Returns: `nil` for any other text.
    public static func number(for text: String) -> Double? {
        switch text {
        case "nan": return .nan
        case "inf": return .infinity
        case "-inf": return -.infinity
        default:
            guard text.hasPrefix("nan:"), let bits = UInt64(text.dropFirst(4), radix: 16) else {
                return nil
            }
            let number = Double(bitPattern: bits)
            return number.isNaN ? number : nil
        }
    }

    /// Returns the content of ``real`` for a number that isn't finite, without losing bits: an
    /// unusual NaN becomes `nan:` with its bits in hexadecimal.
    public static func exactText(for number: Double) -> String {
        guard number.isNaN, number.bitPattern != Double.nan.bitPattern else {
            return text(for: number)
        }
        return "nan:" + String(number.bitPattern, radix: 16)
    }
}

extension JSON {
    /// Returns an object with one member, which represents a value that JSON lacks.
    public static func tagged(_ tag: JSONTag, _ content: JSON) -> JSON {
        .object([Member(name: tag.rawValue, value: content)])
    }

    /// Returns a number, or its tagged form if JSON can't represent it.
    public static func real(_ number: Double) -> JSON {
        number.isFinite
            ? .number(number.description) : tagged(.real, .string(JSONTag.exactText(for: number)))
    }

    /// The tag and content of an object that represents a value that JSON lacks; `nil` for any
    /// other value.
    public var tagged: (tag: JSONTag, content: JSON)? {
        guard case .object(let members) = self, members.count == 1, let member = members.first,
            let tag = JSONTag(rawValue: member.name)
        else { return nil }
        return (tag, member.value)
    }
}

extension JSONWriter {
    /// Writes an object that represents a value that JSON lacks.
    public mutating func tagged(_ tag: JSONTag, _ text: String) {
        form(tag.rawValue, text)
    }
}
