import LosslessJSON

/// The structure of an interchange file in Swift's `Codable`: `JSONEncoder` writes text that
/// ``EntityInterchange/init(_:)`` reads, and `JSONDecoder` reads both forms of the file. Other
/// encoders represent the same structure.
///
/// Coders have limits that ``EntityInterchange/data(_:)`` and ``EntityInterchange/init(_:)`` don't:
/// of canonically equal keys, they keep only one, and a decoder reads the bare real 1.0 of a file as
/// an integer.
extension EntityInterchange: Codable {
    /// Encodes the structure of the normalized form.
    ///
    /// - Throws: ``EntityStoreError`` with code `.invalidInterchange`, as ``data(_:)``; errors of
    ///   the encoder.
    public func encode(to encoder: any Encoder) throws {
        try CodedJSON(json: JSONParser.parse(Array(data()))).encode(to: encoder)
    }

    /// Decodes the structure of either form.
    ///
    /// - Throws: `DecodingError` for a structure that isn't an interchange file's.
    /// - Complexity: O(*n*) in the size of the content. ``init(_:)`` reads a file in less time.
    public init(from decoder: any Decoder) throws {
        let json = try CodedJSON(from: decoder).json
        do {
            self.init(entities: try InterchangeReader.entities(json))
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: error.message,
                    underlyingError: error))
        }
    }
}

/// A JSON value in the containers of any encoder.
///
/// Encoders don't distinguish the real 1.0 from the integer 1, so a real without a fraction is
/// encoded as `{"$real": "1.0"}`.
private struct CodedJSON: Codable {
    var json: JSON

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }

    init(json: JSON) { self.json = json }

    func encode(to encoder: any Encoder) throws {
        switch json {
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(CodedJSON(json: element)) }
        case .object(let members):
            var container = encoder.container(keyedBy: Key.self)
            for member in members {
                let key = Key(stringValue: member.name)
                try container.encode(CodedJSON(json: member.value), forKey: key)
            }
        case .number(let digits) where JSON.isReal(digits):
            let real = Double(digits) ?? .nan
            guard real.rounded() == real else {
                var container = encoder.singleValueContainer()
                return try container.encode(real)
            }
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(digits, forKey: Key(stringValue: JSONTag.real.rawValue))
        default:
            var container = encoder.singleValueContainer()
            switch json {
            case .boolean(let value): try container.encode(value)
            case .number(let digits): try container.encode(Int64(digits))
            case .string(let text): try container.encode(text)
            case .null, .array, .object: try container.encodeNil()
            }
        }
    }

    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Key.self) {
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
        if let text = try? container.decode(String.self) { return .string(text) }
        if let value = try? container.decode(Bool.self) { return .boolean(value) }
        if let number = try? container.decode(Int64.self) { return .number(String(number)) }
        return .number("\(try container.decode(Double.self))")
    }
}
