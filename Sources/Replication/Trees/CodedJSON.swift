import Foundation
package import LosslessJSON

/// A JSON value in the containers of any encoder.
///
/// Encoders don't distinguish the real 1.0 from the integer 1, so a real without a fraction is
/// encoded as `{"$real": 1}`.
package struct CodedJSON: Codable {
    /// The form in which JSON is encoded. Decoders read all forms.
    package enum Form: Sendable {
        /// If two names in an object are canonically equivalent, the object is encoded as
        /// `{"$dictionary": [NAME, VALUE, NAME, VALUE, …]}`. Most encoders treat such names as
        /// equal.
        case everyName
        /// Objects are encoded unchanged. A tagged real contains text, such as `{"$real": "1.0"}`.
        case plainObjects
    }

    package let json: JSON
    private let form: Form

    package init(_ json: JSON, _ form: Form) { (self.json, self.form) = (json, form) }

    package func encode(to encoder: any Encoder) throws {
        switch json {
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(inner(element)) }
        case .object(let members): try encode(members, to: encoder)
        case .number(let digits) where JSON.isReal(digits):
            let real = Double(digits) ?? .nan
            guard real.rounded() == real else {
                var container = encoder.singleValueContainer()
                return try container.encode(real)
            }
            let content = form == .plainObjects ? JSON.string(digits) : json
            try encode([JSON.Member(name: JSONTag.real.rawValue, value: content)], to: encoder)
        default:
            var container = encoder.singleValueContainer()
            switch json {
            case .boolean(let value): try container.encode(value)
            case .number(let digits):
                if let number = Int64(digits) {
                    try container.encode(number)
                } else {
                    try container.encode(UInt64(digits))
                }
            case .string(let text): try container.encode(text)
            case .null, .array, .object: try container.encodeNil()
            }
        }
    }

    private func inner(_ json: JSON) -> Self { Self(json, form) }

    private func encode(_ members: [JSON.Member], to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: TreeKey.self)
        if form == .everyName, Set(members.map(\.name)).count < members.count {
            let list = members.flatMap { [JSON.string($0.name), $0.value] }
            return try container.encode(inner(.array(list)), forKey: TreeKey(.dictionary))
        }
        switch JSON.object(members).tagged {
        case (let tag, .number(let digits))?:
            try container.encode(Double(digits), forKey: TreeKey(tag))
        case (.dictionary, .object(let members))?:
            // The object's only member has the name of a tag, but is not a tag.
            var nested = container.nestedContainer(
                keyedBy: TreeKey.self, forKey: TreeKey(.dictionary))
            try encode(members, in: &nested)
        default: try encode(members, in: &container)
        }
    }

    private func encode(
        _ members: [JSON.Member], in container: inout KeyedEncodingContainer<TreeKey>
    ) throws {
        for member in members {
            try container.encode(inner(member.value), forKey: TreeKey(stringValue: member.name))
        }
    }

    package init(from decoder: any Decoder) throws {
        form = .everyName
        if let container = try? decoder.container(keyedBy: TreeKey.self) {
            json = .object(
                try container.allKeys.map { key in
                    JSON.Member(
                        name: key.stringValue,
                        value: try container.decode(CodedJSON.self, forKey: key).json)
                })
            return
        }
        if var container = try? decoder.unkeyedContainer() {
            var elements: [JSON] = []
            while !container.isAtEnd {
                elements.append(try container.decode(CodedJSON.self).json)
            }
            json = .array(elements)
            return
        }
        json = try Self.scalar(decoder.singleValueContainer())
    }

    private static func scalar(_ container: any SingleValueDecodingContainer) throws -> JSON {
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Bool.self) { return .boolean(value) }
        if let number = try? container.decode(Int64.self) {
            // The number inside a tag can be -0.
            let isNegative = number == 0 && (try? container.decode(Double.self))?.sign == .minus
            return .number(isNegative ? "-0" : "\(number)")
        }
        if let number = try? container.decode(UInt64.self) { return .number("\(number)") }
        if let number = try? container.decode(Double.self) {
            return .real(number)
        }
        if let text = try? container.decode(String.self) { return .string(text) }
        // These types come last, because some decoders also decode numbers and text as these types.
        if let date = try? container.decode(Date.self) {
            let seconds = date.timeIntervalSinceReferenceDate
            let text = DateText.text(secondsSince2001: seconds).map(JSON.string)
            return .tagged(.date, text ?? .number("\(seconds)"))
        }
        return .tagged(.data, .string(try container.decode(Data.self).base64EncodedString()))
    }
}

extension TreeValue where Self: JSONTreeReadable {
    /// Encodes the JSON of the value, in the form ``CodedJSON/Form/everyName``.
    package func encodeJSON(to encoder: any Encoder) throws {
        let json: JSON
        do {
            json = try jsonTree()
        } catch {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath, debugDescription: error.message))
        }
        try CodedJSON(json, .everyName).encode(to: encoder)
    }

    /// Creates the value that decoded JSON represents.
    package init(decoded json: CodedJSON, from decoder: any Decoder) throws {
        do {
            try self.init(reading: json.json)
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: error.message))
        }
    }
}

extension TreeKey {
    fileprivate init(_ tag: JSONTag) { self.init(stringValue: tag.rawValue) }
}
