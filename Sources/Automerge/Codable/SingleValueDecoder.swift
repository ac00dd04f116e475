/// A container that reads the single value of a place.
struct SingleValueDecoder: SingleValueDecodingContainer {
    let source: DecodingSource
    let place: CodingPlace
    let value: Value
    let codingPath: [any CodingKey]

    func decodeNil() -> Bool { value == .Scalar(.Null) }
    func decode(_ type: Bool.Type) throws -> Bool { try source.scalar(type, value, codingPath) }

    /// Decodes a string, or the characters of a text.
    func decode(_ type: String.Type) throws -> String {
        if case .Object(let object, .Text) = value { return try source.document.text(obj: object) }
        return try source.scalar(type, value, codingPath)
    }

    func decode(_: Double.Type) throws -> Double { try source.floatingPoint(value, codingPath) }
    func decode(_: Float.Type) throws -> Float { try source.floatingPoint(value, codingPath) }
    func decode(_: Int.Type) throws -> Int { try source.integer(value, codingPath) }
    func decode(_: Int8.Type) throws -> Int8 { try source.integer(value, codingPath) }
    func decode(_: Int16.Type) throws -> Int16 { try source.integer(value, codingPath) }
    func decode(_: Int32.Type) throws -> Int32 { try source.integer(value, codingPath) }
    func decode(_: Int64.Type) throws -> Int64 { try source.integer(value, codingPath) }
    func decode(_: UInt.Type) throws -> UInt { try source.integer(value, codingPath) }
    func decode(_: UInt8.Type) throws -> UInt8 { try source.integer(value, codingPath) }
    func decode(_: UInt16.Type) throws -> UInt16 { try source.integer(value, codingPath) }
    func decode(_: UInt32.Type) throws -> UInt32 { try source.integer(value, codingPath) }
    func decode(_: UInt64.Type) throws -> UInt64 { try source.integer(value, codingPath) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try source.decode(type, value, in: place, path: codingPath)
    }
}
