/// A container that reads the single value of a place.
struct SingleValueDecoder: SingleValueDecodingContainer {
    let source: DecodingSource
    let place: CodingPlace
    let value: Value
    let codingPath: [any CodingKey]

    func decodeNil() -> Bool { value == .Scalar(.Null) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try source.decode(type, value, in: place, path: codingPath)
    }
}
