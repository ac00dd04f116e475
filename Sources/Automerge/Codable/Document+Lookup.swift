extension Document {
    /// Returns the object at `path`, such as `list.[0].notes`.
    ///
    /// - Returns: The map, list or text; the root for an empty path; `nil` if the path holds a
    ///   scalar or no value.
    /// - Throws: ``PathParseError`` for a path that can't be parsed; ``CodingKeyLookupError`` if
    ///   the path continues into a value that is not a map or list, or has an index greater than
    ///   the length of its list.
    public func lookupPath(path: String) throws -> ObjId? {
        let keys = try AnyCodingKey.parsePath(path)
        guard let place = try place(at: keys, strategy: .readonly) else { return ObjId.ROOT }
        if let index = place.key.index, index > length(obj: place.object) {
            throw CodingKeyLookupError.IndexOutOfBounds(
                "\(keys.stringPath()) is out of range: the list has "
                    + "\(length(obj: place.object)) elements")
        }
        guard case .Object(let object, _) = try place.value(in: self) else { return nil }
        return object
    }

    /// Returns the place at `path`. Creates missing parents if the strategy allows it.
    ///
    /// - Returns: `nil` for the empty path: the root is not inside any object.
    func place(
        at path: [AnyCodingKey], strategy: SchemaStrategy
    ) throws(CodingKeyLookupError) -> CodingPlace? {
        guard let last = path.last else { return nil }
        var object = ObjId.ROOT
        var type = ObjType.Map
        for (position, key) in path.dropLast().enumerated() {
            try check(key, type, path)
            let next: ObjType = path[position + 1].index == nil ? .Map : .List
            let step = path[...position].stringPath()
            let place = CodingPlace(object: object, key: key)
            let value: Value?
            do { value = try place.value(in: self) } catch { throw .AutomergeDocError(error) }
            switch value {
            case .Object(let child, let childType) where childType != .Text:
                (object, type) = (child, childType)
            case .Object where strategy != .override:
                throw .PathExtendsThroughText(
                    "\(path.stringPath()) continues into \(step), which is a text")
            case .Scalar where strategy != .override:
                throw .PathExtendsThroughScalar(
                    "\(path.stringPath()) continues into \(step), which is a scalar")
            default:
                object = try make(next, in: place, strategy, step)
                type = next
            }
        }
        try check(last, type, path)
        return CodingPlace(object: object, key: last)
    }

    /// Returns the map or list at a place. Creates the object if the strategy allows it.
    func container(
        _ type: ObjType, in place: CodingPlace, strategy: SchemaStrategy, path: [any CodingKey]
    ) throws(CodingKeyLookupError) -> ObjId {
        let value: Value?
        do { value = try place.value(in: self) } catch { throw .AutomergeDocError(error) }
        if case .Object(let object, type) = value { return object }
        if let value, strategy != .override {
            throw .MismatchedSchema("\(path.stringPath()) is a \(value.kind), not a \(type.kind)")
        }
        return try make(type, in: place, strategy, path.stringPath())
    }

    private func make(
        _ type: ObjType, in place: CodingPlace, _ strategy: SchemaStrategy, _ path: String
    ) throws(CodingKeyLookupError) -> ObjId {
        guard strategy != .readonly else {
            throw .SchemaMissing("the document has no value at \(path)")
        }
        if let index = place.key.index, index > length(obj: place.object) {
            throw .IndexOutOfBounds(
                "\(path) is out of range: the list has \(length(obj: place.object)) elements")
        }
        do { return try place.putObject(type, in: self) } catch { throw .AutomergeDocError(error) }
    }

    /// Checks that the object can have the key: a map needs a name, and a list needs an index.
    private func check(
        _ key: AnyCodingKey, _ type: ObjType, _ path: [AnyCodingKey]
    ) throws(CodingKeyLookupError) {
        guard (key.index != nil) == (type == .List) else {
            throw .AutomergeDocError(
                DocError(.wrongObjectType, "\(path.stringPath()): \(key) in a \(type.kind)"))
        }
    }
}

extension ObjType {
    /// The name of the type in messages.
    var kind: String {
        switch self {
        case .Map: "map"
        case .List: "list"
        case .Text: "text"
        }
    }
}

extension Value {
    /// The name of the type in messages. A cautious write may only replace a value of the same
    /// type.
    var kind: String {
        switch self {
        case .Object(_, let type): type.kind
        case .Scalar(.Bytes): "byte buffer"
        case .Scalar(.String): "string"
        case .Scalar(.Uint): "unsigned integer"
        case .Scalar(.Int): "integer"
        case .Scalar(.F64): "floating point number"
        case .Scalar(.Counter): "counter"
        case .Scalar(.Timestamp): "timestamp"
        case .Scalar(.Boolean): "Boolean"
        case .Scalar(.Unknown(let typeCode, _)): "value of the unknown type \(typeCode)"
        case .Scalar(.Null): "null"
        }
    }
}
