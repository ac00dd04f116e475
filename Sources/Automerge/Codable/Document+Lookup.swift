extension Document {
    /// The object that `path` leads to, as `list.[0].notes`.
    ///
    /// - Returns: The map, list or text there; the root for an empty path; `nil` where there is a
    ///   scalar or nothing.
    /// - Throws: ``PathParseError`` for a text that is not a path; ``CodingKeyLookupError`` where
    ///   the path goes through what is not a map or list, or to an index further than one beyond a
    ///   list.
    public func lookupPath(path: String) throws -> ObjId? {
        let keys = try AnyCodingKey.parsePath(path)
        guard let place = try place(at: keys, strategy: .readonly) else { return ObjId.ROOT }
        if let index = place.key.index, index > length(obj: place.object) {
            throw CodingKeyLookupError.IndexOutOfBounds(
                "\(keys.stringPath()) has \(length(obj: place.object)) elements before it")
        }
        guard case .Object(let object, _) = try place.value(in: self) else { return nil }
        return object
    }

    /// The place that `path` names, with its parents, which are made where the strategy says so.
    ///
    /// - Returns: `nil` for the empty path: the root is in no place.
    func place(
        at path: [AnyCodingKey], strategy: SchemaStrategy
    ) throws(CodingKeyLookupError) -> CodingPlace? {
        guard let last = path.last else { return nil }
        var object = ObjId.ROOT
        var type = ObjType.Map
        for (position, key) in path.dropLast().enumerated() {
            try check(key, of: object, type, path)
            let next: ObjType = path[position + 1].index == nil ? .Map : .List
            let step = path[...position].stringPath()
            let place = CodingPlace(object: object, key: key)
            let value: Value?
            do { value = try place.value(in: self) } catch { throw .AutomergeDocError(error) }
            switch value {
            case .Object(let child, let childType) where childType != .Text:
                (object, type) = (child, childType)
            case .Object where strategy != .override:
                throw .PathExtendsThroughText("\(path.stringPath()) goes on below the text \(step)")
            case .Scalar where strategy != .override:
                throw .PathExtendsThroughScalar("\(path.stringPath()) goes on below \(step)")
            default:
                object = try make(next, in: place, strategy, step)
                type = next
            }
        }
        try check(last, of: object, type, path)
        return CodingPlace(object: object, key: last)
    }

    /// The map or list in a place, made where the strategy says so.
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
        guard strategy != .readonly else { throw .SchemaMissing("Nothing is at \(path)") }
        if let index = place.key.index, index > length(obj: place.object) {
            throw .IndexOutOfBounds("\(path) has \(length(obj: place.object)) elements before it")
        }
        do { return try place.putObject(type, in: self) } catch { throw .AutomergeDocError(error) }
    }

    /// Whether the object can have such a key at all.
    private func check(
        _ key: AnyCodingKey, of object: ObjId, _ type: ObjType, _ path: [AnyCodingKey]
    ) throws(CodingKeyLookupError) {
        guard (key.index != nil) == (type == .List) else {
            throw .AutomergeDocError(
                DocError(.wrongObjectType, "\(path.stringPath()): \(key) in a \(type.kind)"))
        }
    }
}

extension ObjType {
    /// A word for it in messages.
    var kind: String {
        switch self {
        case .Map: "map"
        case .List: "list"
        case .Text: "text"
        }
    }
}

extension Value {
    /// A word for what it is, whatever its content. Two values of one kind replace each other in a
    /// cautious write.
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
