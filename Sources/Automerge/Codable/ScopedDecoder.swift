/// The decoder passed to a type. It represents one place in the document.
struct ScopedDecoder: Decoder {
    enum Subject {
        case root
        /// A place and its value.
        case value(CodingPlace, Value)
    }

    let source: DecodingSource
    let subject: Subject
    let codingPath: [any CodingKey]

    var userInfo: [CodingUserInfoKey: Any] { source.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(KeyedDecoder<Key>(decoder: self, object: try object(.Map)))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        UnkeyedDecoder(decoder: self, object: try object(.List))
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        guard case .value(let place, let value) = subject else {
            throw CodingKeyLookupError.NoPathForSingleValue(
                "a document is a map: a single value needs a key in it")
        }
        return SingleValueDecoder(
            source: source, place: place, value: value, codingPath: codingPath)
    }

    private func object(_ type: ObjType) throws -> ObjId {
        switch subject {
        case .root where type == .Map: return .ROOT
        case .root:
            throw CodingKeyLookupError.InvalidIndexLookup(
                "the root of a document is a map and can't be a list")
        case .value(_, .Object(let object, type)): return object
        case .value(_, .Scalar(.Null)):
            throw CodingKeyLookupError.SchemaMissing(
                "the document has no value at \(codingPath.stringPath())")
        case .value(_, let value):
            throw CodingKeyLookupError.MismatchedSchema(
                "\(codingPath.stringPath()) is a \(value.kind), not a \(type.kind)")
        }
    }
}
