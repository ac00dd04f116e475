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

    private mutating func scalar<S: ScalarValueRepresentable>() throws -> S {
        let element = try next(S.self)
        let result = try source.scalar(S.self, element.value, element.path)
        currentIndex += 1
        return result
    }

    private mutating func integer<Number: FixedWidthInteger>() throws -> Number {
        let element = try next(Number.self)
        let result: Number = try source.integer(element.value, element.path)
        currentIndex += 1
        return result
    }

    private mutating func floatingPoint<Number: BinaryFloatingPoint>() throws -> Number {
        let element = try next(Number.self)
        let result: Number = try source.floatingPoint(element.value, element.path)
        currentIndex += 1
        return result
    }

    mutating func decodeNil() throws -> Bool {
        guard try next(Never.self).value == .Scalar(.Null) else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode(_: Bool.Type) throws -> Bool { try scalar() }
    mutating func decode(_: String.Type) throws -> String { try scalar() }
    mutating func decode(_: Double.Type) throws -> Double { try floatingPoint() }
    mutating func decode(_: Float.Type) throws -> Float { try floatingPoint() }
    mutating func decode(_: Int.Type) throws -> Int { try integer() }
    mutating func decode(_: Int8.Type) throws -> Int8 { try integer() }
    mutating func decode(_: Int16.Type) throws -> Int16 { try integer() }
    mutating func decode(_: Int32.Type) throws -> Int32 { try integer() }
    mutating func decode(_: Int64.Type) throws -> Int64 { try integer() }
    mutating func decode(_: UInt.Type) throws -> UInt { try integer() }
    mutating func decode(_: UInt8.Type) throws -> UInt8 { try integer() }
    mutating func decode(_: UInt16.Type) throws -> UInt16 { try integer() }
    mutating func decode(_: UInt32.Type) throws -> UInt32 { try integer() }
    mutating func decode(_: UInt64.Type) throws -> UInt64 { try integer() }

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
