import Foundation
import LosslessJSON
import Replication

extension PropertyList: Codable {
    /// Encodes the value like the JSON of ``json(_:)``, with any encoder.
    ///
    /// Encoders don't distinguish kinds of numbers, so a real without a fraction is `{"$real": 3}`.
    /// Most encoders treat canonically equivalent names as equal, so a dictionary with two such
    /// names is `{"$dictionary": [NAME, VALUE, NAME, VALUE, …]}`. Every kind and every name
    /// therefore survives `JSONEncoder`, and ``init(json:)-(ContiguousBytes)`` reads its text as
    /// well.
    ///
    /// - Throws: `EncodingError` for a value deeper than ``depthLimit``; errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        try Nested(value: self, depth: 0).encode(to: encoder)
    }

    /// Decodes the format of ``encode(to:)``, and dates and data from decoders that support them.
    ///
    /// - Throws: `DecodingError` for null, and for values nested deeper than ``depthLimit``; errors
    ///   of the decoder.
    public init(from decoder: any Decoder) throws {
        self = try Self.read(decoder, depth: 0)
    }

    /// A nested value.
    private struct Nested: Encodable {
        let value: PropertyList
        let depth: Int

        func encode(to encoder: any Encoder) throws {
            switch value {
            case .string(let text): try encode(bare: text, to: encoder)
            case .integer(let number): try encode(bare: number, to: encoder)
            case .unsigned(let number): try encode(bare: number, to: encoder)
            case .boolean(let truth): try encode(bare: truth, to: encoder)
            case .real(let number): try encode(number, to: encoder)
            case .date(let date):
                let seconds = date.timeIntervalSinceReferenceDate
                if let text = DateText.text(secondsSince2001: seconds) {
                    try encode(text, as: .date, to: encoder)
                } else {
                    try encode(seconds, as: .date, to: encoder)
                }
            case .data(let data):
                try encode(data.base64EncodedString(), as: .data, to: encoder)
            case .array(let elements):
                try checkDepth(encoder)
                var container = encoder.unkeyedContainer()
                for element in elements { try container.encode(inner(element)) }
            case .dictionary(let members):
                try checkDepth(encoder)
                try encode(members, to: encoder)
            }
        }

        private func inner(_ value: PropertyList) -> Nested {
            Nested(value: value, depth: depth + 1)
        }

        private func checkDepth(_ encoder: any Encoder) throws {
            guard depth < PropertyList.depthLimit else {
                throw EncodingError.invalidValue(
                    value,
                    EncodingError.Context(
                        codingPath: encoder.codingPath,
                        debugDescription: "nested deeper than \(PropertyList.depthLimit) levels"))
            }
        }

        private func encode(bare value: some Encodable, to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }

        private func encode(
            _ content: some Encodable, as tag: JSONTag, to encoder: any Encoder
        ) throws {
            var container = encoder.container(keyedBy: TreeKey.self)
            try container.encode(content, forKey: TreeKey(stringValue: tag.rawValue))
        }

        private func encode(_ number: Double, to encoder: any Encoder) throws {
            if !number.isFinite {
                try encode(JSONTag.exactText(for: number), as: .real, to: encoder)
            } else if number == number.rounded(.towardZero) {
                try encode(number, as: .real, to: encoder)
            } else {
                try encode(bare: number, to: encoder)
            }
        }

        private func encode(_ members: [Name: PropertyList], to encoder: any Encoder) throws {
            let sorted = members.sorted { $0.key < $1.key }
            if Set(sorted.map(\.key.text)).count < sorted.count {
                var form = encoder.container(keyedBy: TreeKey.self)
                var container = form.nestedUnkeyedContainer(
                    forKey: TreeKey(stringValue: JSONTag.dictionary.rawValue))
                for (name, member) in sorted {
                    try container.encode(name.text)
                    try container.encode(inner(member))
                }
                return
            }
            var container = encoder.container(keyedBy: TreeKey.self)
            if let only = sorted.first, sorted.count == 1, jsonTag(only.key.text) != nil {
                container = container.nestedContainer(
                    keyedBy: TreeKey.self, forKey: TreeKey(stringValue: JSONTag.dictionary.rawValue)
                )
            }
            for (name, member) in sorted {
                try container.encode(inner(member), forKey: TreeKey(stringValue: name.text))
            }
        }
    }
}

extension PropertyList {
    private static func read(_ decoder: any Decoder, depth: Int) throws -> PropertyList {
        if let container = try? decoder.container(keyedBy: TreeKey.self) {
            try checkDepth(decoder, depth)
            return try read(container, depth)
        }
        if var container = try? decoder.unkeyedContainer() {
            try checkDepth(decoder, depth)
            var elements: [PropertyList] = []
            while !container.isAtEnd {
                elements.append(try read(container.superDecoder(), depth: depth + 1))
            }
            return .array(elements)
        }
        return try read(decoder.singleValueContainer())
    }

    private static func checkDepth(_ decoder: any Decoder, _ depth: Int) throws {
        guard depth < depthLimit else {
            throw corrupted("nested deeper than \(depthLimit) levels", decoder.codingPath)
        }
    }

    private static func corrupted(_ reason: String, _ path: [any CodingKey]) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: reason))
    }

    private static func read(
        _ container: any SingleValueDecodingContainer
    ) throws -> PropertyList {
        if container.decodeNil() {
            throw DecodingError.valueNotFound(
                PropertyList.self,
                DecodingError.Context(
                    codingPath: container.codingPath, debugDescription: "null is not a value"))
        }
        if let truth = try? container.decode(Bool.self) { return .boolean(truth) }
        if let number = try? container.decode(Int64.self) { return .integer(number) }
        if let number = try? container.decode(UInt64.self) { return .unsigned(number) }
        if let number = try? container.decode(Double.self) { return .real(number) }
        if let text = try? container.decode(String.self) { return .string(text) }
        // These types come last, because some decoders decode numbers and text as them.
        if let date = try? container.decode(Date.self) { return .date(date) }
        return .data(try container.decode(Data.self))
    }

    private static func read(
        _ container: KeyedDecodingContainer<TreeKey>, _ depth: Int
    ) throws -> PropertyList {
        let keys = container.allKeys
        if keys.count == 1, let key = keys.first, let tag = jsonTag(key.stringValue) {
            return try read(tag, key, container, depth)
        }
        var members: [Name: PropertyList] = [:]
        for key in keys {
            members[key.stringValue] = try read(
                container.superDecoder(forKey: key), depth: depth + 1)
        }
        return .dictionary(members)
    }

    private static func read(
        _ tag: JSONTag, _ key: TreeKey, _ container: KeyedDecodingContainer<TreeKey>, _ depth: Int
    ) throws -> PropertyList {
        if tag == .dictionary {
            if let inner = try? container.nestedContainer(keyedBy: TreeKey.self, forKey: key) {
                var members: [Name: PropertyList] = [:]
                for key in inner.allKeys {
                    members[key.stringValue] = try read(
                        inner.superDecoder(forKey: key), depth: depth + 1)
                }
                return .dictionary(members)
            }
            let list = try read(container.superDecoder(forKey: key), depth: depth + 1)
            guard case .array(let elements) = list, let members = members(inTurn: elements) else {
                throw corrupted("the content of \(tag.rawValue) is invalid", container.codingPath)
            }
            return .dictionary(members)
        }
        // Prefer a number to an integer, which would lose the sign of zero.
        let content: PropertyList =
            if let number = try? container.decode(Double.self, forKey: key) {
                .real(number)
            } else {
                .string(try container.decode(String.self, forKey: key))
            }
        guard let value = value(of: tag, content) else {
            throw corrupted("the content of \(tag.rawValue) is invalid", container.codingPath)
        }
        return value
    }
}
