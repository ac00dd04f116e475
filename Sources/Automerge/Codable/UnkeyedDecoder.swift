/// A container that reads the elements of a list in order.
struct UnkeyedDecoder: UnkeyedDecodingContainer {
    private let decoder: ScopedDecoder
    private let object: ObjId
    private let length: Int

    private(set) var currentIndex = 0

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { length }
    var isAtEnd: Bool { currentIndex >= length }
    private var source: DecodingSource { decoder.source }

    init(decoder: ScopedDecoder, object: ObjId) {
        self.decoder = decoder
        self.object = object
        length = Int(clamping: decoder.source.document.length(obj: object))
    }

    private struct Element {
        let place: CodingPlace
        let value: Value
        let path: [any CodingKey]
    }

    private func next(_ type: Any.Type) throws -> Element {
        let key = AnyCodingKey(UInt64(currentIndex))
        let place = CodingPlace(object: object, key: key)
        guard !isAtEnd, let value = try place.value(in: source.document) else {
            throw DecodingError.valueNotFound(
                type,
                .init(
                    codingPath: codingPath + [key],
                    debugDescription: "\(codingPath.stringPath()) has \(length) elements"))
        }
        return Element(place: place, value: value, path: codingPath + [key])
    }

    mutating func decodeNil() throws -> Bool {
        guard try next(Never.self).value == .Scalar(.Null) else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let element = try next(type)
        let result = try source.decode(
            type, element.value, in: element.place, path: element.path)
        currentIndex += 1
        return result
    }

    private func nested(_ type: Any.Type) throws -> ScopedDecoder {
        let element = try next(type)
        return ScopedDecoder(
            source: source, subject: .value(element.place, element.value), codingPath: element.path)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        let container = try nested(type).container(keyedBy: type)
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try nested((any UnkeyedDecodingContainer).self).unkeyedContainer()
        currentIndex += 1
        return container
    }

    /// Returns a decoder for the next element, which belongs to the superclass.
    mutating func superDecoder() throws -> any Decoder {
        let decoder = try nested((any Decoder).self)
        currentIndex += 1
        return decoder
    }
}
