/// Reading. Whatever takes `heads` reads the document as it was there, without copying it.
extension Document {
    // MARK: Single values

    /// The value of a key; where several writers disagree, the one all replicas choose.
    ///
    /// - Throws: `DocError` with code `.unknownObject` or `.wrongObjectType`.
    public func get(obj: ObjId, key: String) throws -> Value? {
        try withEngine { (engine) throws(FormatError) in
            try engine.values(obj, key: key, at: nil).last
        }
    }

    /// The value at an index of a list, `nil` beyond its end. Of a text, the character there.
    public func get(obj: ObjId, index: UInt64) throws -> Value? {
        try withEngine { (engine) throws(FormatError) in
            try engine.values(obj, index: index, at: nil).last
        }
    }

    /// All values of a key that no other value supersedes.
    public func getAll(obj: ObjId, key: String) throws -> Set<Value> {
        try withEngine { (engine) throws(FormatError) in
            Set(try engine.values(obj, key: key, at: nil))
        }
    }

    /// All values at an index of a list that no other value supersedes.
    public func getAll(obj: ObjId, index: UInt64) throws -> Set<Value> {
        try withEngine { (engine) throws(FormatError) in
            Set(try engine.values(obj, index: index, at: nil))
        }
    }

    public func getAt(obj: ObjId, key: String, heads: Set<ChangeHash>) throws -> Value? {
        try withEngine { (engine) throws(FormatError) in
            try engine.values(obj, key: key, at: try engine.clock(at: heads)).last
        }
    }

    public func getAt(obj: ObjId, index: UInt64, heads: Set<ChangeHash>) throws -> Value? {
        try withEngine { (engine) throws(FormatError) in
            try engine.values(obj, index: index, at: try engine.clock(at: heads)).last
        }
    }

    public func getAllAt(obj: ObjId, key: String, heads: Set<ChangeHash>) throws -> Set<Value> {
        try withEngine { (engine) throws(FormatError) in
            Set(try engine.values(obj, key: key, at: try engine.clock(at: heads)))
        }
    }

    public func getAllAt(
        obj: ObjId, index: UInt64, heads: Set<ChangeHash>
    ) throws -> Set<Value> {
        try withEngine { (engine) throws(FormatError) in
            Set(try engine.values(obj, index: index, at: try engine.clock(at: heads)))
        }
    }

    /// The values of a key in the order by which a winner is chosen: the last one.
    public func conflicts(obj: ObjId, key: String) throws -> [Value] {
        try withEngine { (engine) throws(FormatError) in
            try engine.values(obj, key: key, at: nil)
        }
    }

    /// The values at an index in the order by which a winner is chosen: the last one.
    public func conflicts(obj: ObjId, index: UInt64) throws -> [Value] {
        try withEngine { (engine) throws(FormatError) in
            try engine.values(obj, index: index, at: nil)
        }
    }

    // MARK: Whole objects

    /// The keys of a dictionary, in the order of their UTF-8 bytes.
    public func keys(obj: ObjId) -> [String] {
        withEngine { $0.keys(obj, at: nil) }
    }

    public func keysAt(obj: ObjId, heads: Set<ChangeHash>) -> [String] {
        withEngine { engine in
            engine.clockIfKnown(at: heads).map { engine.keys(obj, at: $0) } ?? []
        }
    }

    /// The values of a list, or of a dictionary in the order of its keys.
    public func values(obj: ObjId) throws -> [Value] {
        try withEngine { (engine) throws(FormatError) in try engine.values(obj, at: nil) }
    }

    public func valuesAt(obj: ObjId, heads: Set<ChangeHash>) throws -> [Value] {
        try withEngine { (engine) throws(FormatError) in
            try engine.values(obj, at: try engine.clock(at: heads))
        }
    }

    /// The keys and values of a dictionary, in the order of the keys' UTF-8 bytes.
    public func mapEntries(obj: ObjId) throws -> [(String, Value)] {
        try withEngine { (engine) throws(FormatError) in try engine.entries(obj, at: nil) }
    }

    public func mapEntriesAt(
        obj: ObjId, heads: Set<ChangeHash>
    ) throws -> [(String, Value)] {
        try withEngine { (engine) throws(FormatError) in
            try engine.entries(obj, at: try engine.clock(at: heads))
        }
    }

    /// The number of keys or elements; of a text, its length in units of ``textEncoding``.
    /// 0 for an object that is not there.
    public func length(obj: ObjId) -> UInt64 {
        withEngine { $0.length(obj, at: nil) }
    }

    public func lengthAt(obj: ObjId, heads: Set<ChangeHash>) -> UInt64 {
        withEngine { engine in
            engine.clockIfKnown(at: heads).map { engine.length(obj, at: $0) } ?? 0
        }
    }

    /// The kind of an object; `.Map` for one that is not there.
    public func objectType(obj: ObjId) -> ObjType {
        withEngine { engine in
            guard let object = try? engine.opSet.object(obj) else { return .Map }
            return engine.opSet.type(of: object)
        }
    }

    /// The keys and indices that lead from the root to an object.
    ///
    /// Each element names a key or index and the object it is in. The path of the root is empty,
    /// as is that of an object that has been deleted.
    public func path(obj: ObjId) throws -> [PathElement] {
        try withEngine { (engine) throws(FormatError) in
            engine.commit()
            return engine.path(of: try engine.opSet.object(obj), at: nil) ?? []
        }
    }

    // MARK: Texts

    /// The content of a text. Blocks in it are object replacement characters, U+FFFC.
    public func text(obj: ObjId) throws -> String {
        try withEngine { (engine) throws(FormatError) in
            engine.opSet.text(of: try engine.text(obj), at: nil)
        }
    }

    public func textAt(obj: ObjId, heads: Set<ChangeHash>) throws -> String {
        try withEngine { (engine) throws(FormatError) in
            engine.opSet.text(of: try engine.text(obj), at: try engine.clock(at: heads))
        }
    }

    /// A part of a text, between two positions in units of ``textEncoding``. What reaches beyond
    /// the end is left out.
    ///
    /// - Complexity: Logarithmic in the length of the text, linear in that of the part.
    public func text(obj: ObjId, in range: Range<UInt64>) throws -> String {
        try withEngine { (engine) throws(FormatError) in
            engine.opSet.text(
                of: try engine.text(obj), from: Int(clamping: range.lowerBound),
                to: Int(clamping: range.upperBound))
        }
    }

    /// A place in a list or text that stays with its element as others come and go before it.
    ///
    /// A position at the end stays at the end.
    public func cursor(obj: ObjId, position: UInt64) throws -> Cursor {
        try withEngine { (engine) throws(FormatError) in
            try engine.cursor(obj, position: position, at: nil)
        }
    }

    public func cursor(
        obj: ObjId, position: UInt64, heads: Set<ChangeHash>
    ) throws -> Cursor {
        try withEngine { (engine) throws(FormatError) in
            try engine.cursor(obj, position: position, at: try engine.clock(at: heads))
        }
    }

    /// Where a cursor is now. Of an element that was deleted, it is where that was.
    public func position(obj: ObjId, cursor: Cursor) throws -> UInt64 {
        try withEngine { (engine) throws(FormatError) in
            try engine.position(of: cursor, in: obj, at: nil)
        }
    }

    public func position(
        obj: ObjId, cursor: Cursor, heads: Set<ChangeHash>
    ) throws -> UInt64 {
        try withEngine { (engine) throws(FormatError) in
            try engine.position(of: cursor, in: obj, at: try engine.clock(at: heads))
        }
    }

    /// The marks of a text, by name and then by position. Neighbours of one value are one mark.
    public func marks(obj: ObjId) throws -> [Mark] {
        try withEngine { (engine) throws(FormatError) in
            engine.opSet.marks(of: try engine.text(obj), at: nil)
        }
    }

    public func marksAt(obj: ObjId, heads: Set<ChangeHash>) throws -> [Mark] {
        try withEngine { (engine) throws(FormatError) in
            engine.opSet.marks(of: try engine.text(obj), at: try engine.clock(at: heads))
        }
    }

    /// The marks that hold at a position, by name; each starts and ends there.
    public func marksAt(obj: ObjId, position: Position) throws -> [Mark] {
        try withEngine { (engine) throws(FormatError) in
            try engine.marks(obj, at: position, clock: nil)
        }
    }

    public func marksAt(
        obj: ObjId, position: Position, heads: Set<ChangeHash>
    ) throws -> [Mark] {
        try withEngine { (engine) throws(FormatError) in
            try engine.marks(obj, at: position, clock: try engine.clock(at: heads))
        }
    }
}
