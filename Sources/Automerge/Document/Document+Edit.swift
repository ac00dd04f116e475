/// Methods that edit the document. An edit that fails throws an error and changes nothing.
extension Document {
    // MARK: Dictionaries

    /// Sets a key. Setting an equal value doesn't create an operation.
    ///
    /// - Throws: `DocError` with code `.unknownObject` or `.wrongObjectType`.
    /// - Complexity: Logarithmic in the size of the document, linear in that of the value.
    public func put(obj: ObjId, key: String, value: ScalarValue) throws {
        try withEngine { (engine) throws(FormatError) in
            _ = try engine.write(Action.set, value, to: key, of: obj)
        }
    }

    /// Sets a key to a new, empty object and returns the object.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`.
    public func putObject(obj: ObjId, key: String, ty: ObjType) throws -> ObjId {
        try withEngine { (engine) throws(FormatError) in
            engine.id(madeBy: try engine.write(ty.action, nil, to: key, of: obj))
        }
    }

    /// Deletes a key. Deleting a missing key doesn't create an operation.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`.
    public func delete(obj: ObjId, key: String) throws {
        try withEngine { (engine) throws(FormatError) in
            let object = try engine.map(obj)
            guard let name = engine.opSet.names.find(key) else { return }
            try engine.begin()
            _ = try engine.opSet.writeKey(
                name, of: object, action: Action.delete, value: .nothing)
        }
    }

    /// Adds `by` to the counter of a key.
    ///
    /// - Throws: `DocError` with code `.notACounter` if the key has no counter.
    public func increment(obj: ObjId, key: String, by: Int64) throws {
        try withEngine { (engine) throws(FormatError) in
            _ = try engine.write(Action.increment, .Int(by), to: key, of: obj)
        }
    }

    // MARK: Lists

    /// Replaces the value at an index.
    ///
    /// - Throws: `DocError` with code `.outOfRange` if the index is not below the length.
    /// - Complexity: Logarithmic in the length of the list.
    public func put(obj: ObjId, index: UInt64, value: ScalarValue) throws {
        try withEngine { (engine) throws(FormatError) in
            _ = try engine.write(Action.set, value, at: index, of: obj)
        }
    }

    /// Replaces the value at an index with a new, empty object and returns the object.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`, `.outOfRange`.
    /// - Complexity: Logarithmic in the length of the list.
    public func putObject(obj: ObjId, index: UInt64, ty: ObjType) throws -> ObjId {
        try withEngine { (engine) throws(FormatError) in
            engine.id(madeBy: try engine.write(ty.action, nil, at: index, of: obj))
        }
    }

    /// Inserts a value before the element at an index, or at the end.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`, `.outOfRange`. The length
    ///   itself is a valid index.
    /// - Complexity: Logarithmic in the length of the list.
    public func insert(obj: ObjId, index: UInt64, value: ScalarValue) throws {
        try withEngine { (engine) throws(FormatError) in
            _ = try engine.insert(Action.set, value, at: index, of: obj)
        }
    }

    /// Inserts a new, empty object before the element at an index, or at the end, and returns the
    /// object.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`, `.outOfRange`. The length
    ///   itself is a valid index.
    /// - Complexity: Logarithmic in the length of the list.
    public func insertObject(obj: ObjId, index: UInt64, ty: ObjType) throws -> ObjId {
        try withEngine { (engine) throws(FormatError) in
            engine.id(madeBy: try engine.insert(ty.action, nil, at: index, of: obj))
        }
    }

    /// Deletes the value at an index.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`, `.outOfRange`.
    /// - Complexity: Logarithmic in the length of the list.
    public func delete(obj: ObjId, index: UInt64) throws {
        try withEngine { (engine) throws(FormatError) in
            _ = try engine.write(Action.delete, nil, at: index, of: obj)
        }
    }

    /// Adds `by` to the counter at an index.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`, `.outOfRange`, `.notACounter`.
    /// - Complexity: Logarithmic in the length of the list.
    public func increment(obj: ObjId, index: UInt64, by: Int64) throws {
        try withEngine { (engine) throws(FormatError) in
            _ = try engine.write(Action.increment, .Int(by), at: index, of: obj)
        }
    }

    /// Deletes values of a list and inserts others in their place.
    ///
    /// - Parameters:
    ///   - start: The index at which to delete and insert.
    ///   - delete: The number of values to delete from `start` on. A negative number deletes values
    ///     before `start`. Values beyond the end are ignored.
    ///   - values: The values to insert.
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`; `.outOfRange` if a
    ///   negative `delete` reaches beyond the first value, or if the insertion is beyond the end.
    /// - Complexity: Logarithmic in the length of the list, linear in the number of values deleted
    ///   and inserted.
    public func splice(obj: ObjId, start: UInt64, delete: Int64, values: [ScalarValue]) throws {
        try withEngine { (engine) throws(FormatError) in
            let object = try engine.list(obj)
            let range = try engine.spliceRange(
                start: start, delete: delete, inserts: !values.isEmpty, in: object)
            try engine.begin()
            var stored: [OpSet.Stored] = []
            for value in values {
                stored.append(try engine.opSet.store(value, inText: false))
            }
            let position = try engine.opSet.deleteElements(
                at: range.start, count: range.count, of: object)
            engine.opSet.insertElements(stored, at: position, of: object)
        }
    }

    // MARK: Texts

    /// Deletes a part of a text and inserts another text in its place.
    ///
    /// Positions and lengths are in units of ``textEncoding``.
    ///
    /// - Parameters:
    ///   - start: The position at which to delete and insert.
    ///   - delete: The length to delete from `start` on. A negative length deletes text before
    ///     `start`.
    ///   - value: The text to insert.
    /// - Throws: ``DocError``, as ``splice(obj:start:delete:values:)``.
    /// - Complexity: Logarithmic in the length of the text, linear in the length deleted and
    ///   inserted.
    public func spliceText(
        obj: ObjId, start: UInt64, delete: Int64, value: String? = nil
    ) throws {
        try withEngine { (engine) throws(FormatError) in
            let object = try engine.text(obj)
            let inserts = value.map { !$0.isEmpty } ?? false
            let range = try engine.spliceRange(
                start: start, delete: delete, inserts: inserts, in: object)
            try engine.begin()
            var position = range.start
            if range.count > 0 {
                position = try engine.opSet.deleteElements(
                    at: position, count: range.count, of: object)
            }
            if let value, inserts {
                try engine.opSet.insertText(value, at: position, of: object)
            }
        }
    }

    /// Changes a text to `value` by deleting and inserting only the characters that differ.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`.
    /// - Complexity: O(*n*) in the lengths of the old and the new text, plus a bounded search
    ///   between the first and the last difference. If the search reaches its bound, everything
    ///   between the two is replaced.
    public func updateText(obj: ObjId, value: String) throws {
        try withEngine { (engine) throws(FormatError) in
            let object = try engine.text(obj)
            try engine.updateText(object, to: value)
        }
    }

    /// Sets a mark on a range of a text. The value `.Null` removes the mark.
    ///
    /// - Parameter expand: Whether text inserted at the range's ends is also marked.
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`; `.outOfRange` if a position is
    ///   beyond the end, or the end is before the start.
    public func mark(
        obj: ObjId, start: UInt64, end: UInt64, expand: ExpandMark, name: String,
        value: ScalarValue
    ) throws {
        try withEngine { (engine) throws(FormatError) in
            let object = try engine.text(obj)
            let first = try engine.insertionIndex(start, in: object)
            let last = try engine.insertionIndex(end, in: object)
            guard first <= last else {
                throw FormatError(.outOfRange, "a mark ends before it starts")
            }
            if first == last, expand == .none { return }
            try engine.begin()
            try engine.opSet.mark(
                object, from: first, to: last, expand: expand, name: name, value: value)
        }
    }
}

extension Engine {
    /// Writes an operation to a key of a map. Returns the operation's row, or `nil` if none is
    /// needed.
    fileprivate mutating func write(
        _ action: UInt8, _ value: ScalarValue?, to key: String, of id: ObjId
    ) throws(FormatError) -> UInt32? {
        let object = try map(id)
        try begin()
        return try opSet.writeKey(
            try opSet.names.intern(key), of: object, action: action, value: try store(value))
    }

    /// Writes an operation to an element of a list. Returns the operation's row, or `nil` if none
    /// is needed.
    fileprivate mutating func write(
        _ action: UInt8, _ value: ScalarValue?, at index: UInt64, of id: ObjId
    ) throws(FormatError) -> UInt32? {
        let object = try list(id)
        let position = try self.index(index, in: object)
        try begin()
        return try opSet.writeElement(
            at: position, of: object, action: action, value: try store(value))
    }

    /// Inserts an element into a list and returns its row.
    fileprivate mutating func insert(
        _ action: UInt8, _ value: ScalarValue?, at index: UInt64, of id: ObjId
    ) throws(FormatError) -> UInt32 {
        let object = try list(id)
        let position = try insertionIndex(index, in: object)
        try begin()
        return opSet.insertElement(
            at: position, of: object, action: action, value: try store(value))
    }

    private mutating func store(_ value: ScalarValue?) throws(FormatError) -> OpSet.Stored {
        guard let value else { return .nothing }
        return try opSet.store(value, inText: false)
    }
}

extension ObjType {
    var action: UInt8 {
        switch self {
        case .Map: Action.makeMap
        case .List: Action.makeList
        case .Text: Action.makeText
        }
    }
}
