/// Methods that read the document.
///
/// Methods with a `heads` parameter read an earlier state without copying the document. The error
/// `.unknownChange` means that one of the heads is missing in the document. Finding the heads is
/// O(*n*) in the number of changes, unless one of the last four such calls used the same heads.
extension Document {
    // MARK: Single values

    /// Returns the value of a key. If values are concurrent, all replicas choose the same one.
    ///
    /// - Throws: `DocError` with code `.unknownObject` or `.wrongObjectType`.
    /// - Complexity: A look-up.
    public func get(obj: ObjId, key: String) throws -> Value? {
        try values(.Key(key), of: obj).last
    }

    /// Returns the value at an index of a list, or the character at an index of a text. The result
    /// is `nil` for an index beyond the end.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`.
    /// - Complexity: Logarithmic in the length of the list.
    public func get(obj: ObjId, index: UInt64) throws -> Value? {
        try values(.Index(index), of: obj).last
    }

    /// Returns all values of a key that no other value supersedes.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`.
    /// - Complexity: A look-up, and O(*n*) in the number of values.
    public func getAll(obj: ObjId, key: String) throws -> Set<Value> {
        Set(try values(.Key(key), of: obj))
    }

    /// Returns all values at an index of a list that no other value supersedes.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`.
    /// - Complexity: Logarithmic in the length of the list.
    public func getAll(obj: ObjId, index: UInt64) throws -> Set<Value> {
        Set(try values(.Index(index), of: obj))
    }

    /// Returns the value that ``get(obj:key:)`` would have returned at `heads`.
    ///
    /// - Throws: As ``get(obj:key:)``; `.unknownChange`.
    /// - Complexity: As ``get(obj:key:)``, after finding the heads.
    public func getAt(obj: ObjId, key: String, heads: Set<ChangeHash>) throws -> Value? {
        try values(.Key(key), of: obj, at: heads).last
    }

    /// Returns the value that ``get(obj:index:)`` would have returned at `heads`.
    ///
    /// - Throws: As ``get(obj:index:)``; `.unknownChange`.
    /// - Complexity: As ``values(obj:)``, after finding the heads.
    public func getAt(obj: ObjId, index: UInt64, heads: Set<ChangeHash>) throws -> Value? {
        try values(.Index(index), of: obj, at: heads).last
    }

    /// Returns the values that ``getAll(obj:key:)`` would have returned at `heads`.
    ///
    /// - Throws: As ``getAll(obj:key:)``; `.unknownChange`.
    /// - Complexity: As ``getAll(obj:key:)``, after finding the heads.
    public func getAllAt(obj: ObjId, key: String, heads: Set<ChangeHash>) throws -> Set<Value> {
        Set(try values(.Key(key), of: obj, at: heads))
    }

    /// Returns the values that ``getAll(obj:index:)`` would have returned at `heads`.
    ///
    /// - Throws: As ``getAll(obj:index:)``; `.unknownChange`.
    /// - Complexity: As ``values(obj:)``, after finding the heads.
    public func getAllAt(
        obj: ObjId, index: UInt64, heads: Set<ChangeHash>
    ) throws -> Set<Value> {
        Set(try values(.Index(index), of: obj, at: heads))
    }

    /// Returns all concurrent values of a key, in ascending order of precedence. The last one wins.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`.
    /// - Complexity: A look-up, and O(*n*) in the number of values.
    public func conflicts(obj: ObjId, key: String) throws -> [Value] {
        try values(.Key(key), of: obj)
    }

    /// Returns all concurrent values at an index, in ascending order of precedence. The last one
    /// wins.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`.
    /// - Complexity: Logarithmic in the length of the list.
    public func conflicts(obj: ObjId, index: UInt64) throws -> [Value] {
        try values(.Index(index), of: obj)
    }

    /// Returns the values of a key or at an index, in ascending order of precedence; at `heads` if
    /// given.
    private func values(
        _ prop: Prop, of obj: ObjId, at heads: Set<ChangeHash>? = nil
    ) throws(DocError) -> [Value] {
        try withEngine { (engine) throws(FormatError) in
            // Reading the current values must not commit pending edits.
            let clock: Clock? = if let heads { try engine.clock(at: heads) } else { nil }
            switch prop {
            case .Key(let key): return try engine.values(obj, key: key, at: clock)
            case .Index(let index): return try engine.values(obj, index: index, at: clock)
            }
        }
    }

    // MARK: Whole objects

    /// Returns the keys of a map, in the order of their UTF-8 bytes. The result is empty if
    /// the object doesn't exist.
    ///
    /// - Complexity: O(*n* log *n*) in the number of keys.
    public func keys(obj: ObjId) -> [String] {
        withEngine { $0.keys(obj, at: nil) }
    }

    /// Returns the keys that a map had at `heads`, in the order of their UTF-8 bytes. The
    /// result is empty if the document doesn't have the object or one of the heads.
    ///
    /// - Complexity: As ``keys(obj:)``, after finding the heads.
    public func keysAt(obj: ObjId, heads: Set<ChangeHash>) -> [String] {
        withEngine { engine in
            engine.clockIfKnown(at: heads).map { engine.keys(obj, at: $0) } ?? []
        }
    }

    /// Returns the values of a list, or of a map in the order of its keys.
    ///
    /// - Throws: ``DocError``, `.unknownObject`.
    /// - Complexity: O(*n*) in the number of values.
    public func values(obj: ObjId) throws -> [Value] {
        try withEngine { (engine) throws(FormatError) in try engine.values(obj, at: nil) }
    }

    /// Returns the values that ``values(obj:)`` would have returned at `heads`.
    ///
    /// - Throws: As ``values(obj:)``; `.unknownChange`.
    /// - Complexity: As ``values(obj:)``, after finding the heads.
    public func valuesAt(obj: ObjId, heads: Set<ChangeHash>) throws -> [Value] {
        try withEngine { (engine) throws(FormatError) in
            try engine.values(obj, at: try engine.clock(at: heads))
        }
    }

    /// Returns the keys and values of a map, in the order of the keys' UTF-8 bytes.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`.
    /// - Complexity: O(*n* log *n*) in the number of keys.
    public func mapEntries(obj: ObjId) throws -> [(String, Value)] {
        try withEngine { (engine) throws(FormatError) in try engine.entries(obj, at: nil) }
    }

    /// Returns the entries that ``mapEntries(obj:)`` would have returned at `heads`.
    ///
    /// - Throws: As ``mapEntries(obj:)``; `.unknownChange`.
    /// - Complexity: As ``mapEntries(obj:)``, after finding the heads.
    public func mapEntriesAt(
        obj: ObjId, heads: Set<ChangeHash>
    ) throws -> [(String, Value)] {
        try withEngine { (engine) throws(FormatError) in
            try engine.entries(obj, at: try engine.clock(at: heads))
        }
    }

    /// Returns the number of keys or elements of an object, or the length of a text in units of
    /// ``textEncoding``. The result is 0 if the object doesn't exist.
    public func length(obj: ObjId) -> UInt64 {
        withEngine { $0.length(obj, at: nil) }
    }

    /// Returns the length that ``length(obj:)`` would have returned at `heads`. The result is 0 if
    /// the document doesn't have the object or one of the heads.
    ///
    /// - Complexity: O(*n*) in the length of the object, after finding the heads.
    public func lengthAt(obj: ObjId, heads: Set<ChangeHash>) -> UInt64 {
        withEngine { engine in
            engine.clockIfKnown(at: heads).map { engine.length(obj, at: $0) } ?? 0
        }
    }

    /// Returns the type of an object, or `.Map` if it doesn't exist.
    public func objectType(obj: ObjId) -> ObjType {
        withEngine { engine in
            guard let object = try? engine.opSet.object(obj) else { return .Map }
            return engine.opSet.type(of: object)
        }
    }

    /// Returns the keys and indices that lead from the root to an object.
    ///
    /// Each element names a key or index and the object that contains it. The path is empty for the
    /// root and for a deleted object.
    ///
    /// - Throws: ``DocError``, `.unknownObject`.
    /// - Complexity: O(*n*) in the length of the path. Each step through a list is logarithmic in
    ///   the list's length.
    public func path(obj: ObjId) throws -> [PathElement] {
        try withEngine { (engine) throws(FormatError) in
            engine.commit()
            return engine.path(of: try engine.opSet.object(obj), at: nil) ?? []
        }
    }

    // MARK: Texts

    /// Returns the content of a text. Blocks are represented by object replacement characters,
    /// U+FFFC.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`.
    /// - Complexity: O(*n*) in the length of the text.
    public func text(obj: ObjId) throws -> String {
        try withEngine { (engine) throws(FormatError) in
            engine.opSet.text(of: try engine.text(obj), at: nil)
        }
    }

    /// Returns the content that ``text(obj:)`` would have returned at `heads`.
    ///
    /// - Throws: As ``text(obj:)``; `.unknownChange`.
    /// - Complexity: As ``text(obj:)``, after finding the heads.
    public func textAt(obj: ObjId, heads: Set<ChangeHash>) throws -> String {
        try withEngine { (engine) throws(FormatError) in
            engine.opSet.text(of: try engine.text(obj), at: try engine.clock(at: heads))
        }
    }

    /// Returns the part of a text between two positions in units of ``textEncoding``. Positions
    /// beyond the end are ignored.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`.
    /// - Complexity: Logarithmic in the length of the text, linear in that of the part.
    public func text(obj: ObjId, in range: Range<UInt64>) throws -> String {
        try withEngine { (engine) throws(FormatError) in
            engine.opSet.text(
                of: try engine.text(obj), from: Int(clamping: range.lowerBound),
                to: Int(clamping: range.upperBound))
        }
    }

    /// Returns a cursor for a position in a list or text. The cursor stays with its element when
    /// earlier elements are inserted or deleted.
    ///
    /// A cursor at the end stays at the end.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`.
    /// - Complexity: Logarithmic in the length of the list or text.
    public func cursor(obj: ObjId, position: UInt64) throws -> Cursor {
        try withEngine { (engine) throws(FormatError) in
            try engine.cursor(obj, position: position, at: nil)
        }
    }

    /// Returns a cursor for the element that was at a position at `heads`.
    ///
    /// - Throws: As ``cursor(obj:position:)``; `.unknownChange`.
    /// - Complexity: As ``values(obj:)``, after finding the heads.
    public func cursor(
        obj: ObjId, position: UInt64, heads: Set<ChangeHash>
    ) throws -> Cursor {
        try withEngine { (engine) throws(FormatError) in
            try engine.cursor(obj, position: position, at: try engine.clock(at: heads))
        }
    }

    /// Returns the current position of a cursor. If its element was deleted, returns the position
    /// where it was.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`, `.invalidCursor`.
    /// - Complexity: Logarithmic in the length of the list or text.
    public func position(obj: ObjId, cursor: Cursor) throws -> UInt64 {
        try withEngine { (engine) throws(FormatError) in
            try engine.position(of: cursor, in: obj, at: nil)
        }
    }

    /// Returns the position that a cursor had at `heads`.
    ///
    /// - Throws: As ``position(obj:cursor:)``; `.unknownChange`.
    /// - Complexity: As ``values(obj:)``, after finding the heads.
    public func position(
        obj: ObjId, cursor: Cursor, heads: Set<ChangeHash>
    ) throws -> UInt64 {
        try withEngine { (engine) throws(FormatError) in
            try engine.position(of: cursor, in: obj, at: try engine.clock(at: heads))
        }
    }

    /// Returns the marks of a text, sorted by name and then by position. Adjacent marks with equal
    /// values are joined.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`.
    /// - Complexity: O(*n*) in the length of the text and the number of its marks.
    public func marks(obj: ObjId) throws -> [Mark] {
        try withEngine { (engine) throws(FormatError) in
            engine.opSet.marks(of: try engine.text(obj), at: nil)
        }
    }

    /// Returns the marks that ``marks(obj:)`` would have returned at `heads`.
    ///
    /// - Throws: As ``marks(obj:)``; `.unknownChange`.
    /// - Complexity: As ``marks(obj:)``, after finding the heads.
    public func marksAt(obj: ObjId, heads: Set<ChangeHash>) throws -> [Mark] {
        try withEngine { (engine) throws(FormatError) in
            engine.opSet.marks(of: try engine.text(obj), at: try engine.clock(at: heads))
        }
    }

    /// Returns the marks in effect at a position, sorted by name. Each result starts and ends at
    /// the position.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`; `.invalidCursor` if the cursor
    ///   refers to no element of the text.
    public func marksAt(obj: ObjId, position: Position) throws -> [Mark] {
        try withEngine { (engine) throws(FormatError) in
            try engine.marks(obj, at: position, clock: nil)
        }
    }

    /// Returns the marks that were in effect at a position at `heads`, sorted by name. Each result
    /// starts and ends at the position.
    ///
    /// - Throws: As ``marksAt(obj:position:)``; `.unknownChange`.
    /// - Complexity: As ``marks(obj:)``, after finding the heads.
    public func marksAt(
        obj: ObjId, position: Position, heads: Set<ChangeHash>
    ) throws -> [Mark] {
        try withEngine { (engine) throws(FormatError) in
            try engine.marks(obj, at: position, clock: try engine.clock(at: heads))
        }
    }
}
