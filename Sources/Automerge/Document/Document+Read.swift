/// Reading. Whatever takes `heads` reads the document as it was there, without copying it.
extension Document {
    // MARK: Single values

    /// The value of a key; where several writers disagree, the one all replicas choose.
    ///
    /// - Throws: `DocError` with code `.unknownObject` or `.wrongObjectType`.
    /// - Complexity: A look-up.
    public func get(obj: ObjId, key: String) throws -> Value? {
        try withEngine { (engine) throws(FormatError) in
            try engine.values(obj, key: key, at: nil).last
        }
    }

    /// The value at an index of a list, `nil` beyond its end. Of a text, the character there.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`.
    /// - Complexity: Logarithmic in the length of the list.
    public func get(obj: ObjId, index: UInt64) throws -> Value? {
        try withEngine { (engine) throws(FormatError) in
            try engine.values(obj, index: index, at: nil).last
        }
    }

    /// All values of a key that no other value supersedes.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`.
    /// - Complexity: A look-up, and O(*n*) in the number of values.
    public func getAll(obj: ObjId, key: String) throws -> Set<Value> {
        try withEngine { (engine) throws(FormatError) in
            Set(try engine.values(obj, key: key, at: nil))
        }
    }

    /// All values at an index of a list that no other value supersedes.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`.
    /// - Complexity: Logarithmic in the length of the list.
    public func getAll(obj: ObjId, index: UInt64) throws -> Set<Value> {
        try withEngine { (engine) throws(FormatError) in
            Set(try engine.values(obj, index: index, at: nil))
        }
    }

    /// The value that a key had at `heads`, as ``get(obj:key:)`` gives it now.
    ///
    /// - Throws: As ``get(obj:key:)``; `.unknownChange` for a head that the document does not have.
    /// - Complexity: As ``get(obj:key:)``, and O(*n*) in the number of changes for heads that none
    ///   of the last four such calls was about.
    public func getAt(obj: ObjId, key: String, heads: Set<ChangeHash>) throws -> Value? {
        try withEngine { (engine) throws(FormatError) in
            try engine.values(obj, key: key, at: try engine.clock(at: heads)).last
        }
    }

    /// The value that was at an index at `heads`, as ``get(obj:index:)`` gives it now.
    ///
    /// - Throws: As ``get(obj:index:)``; `.unknownChange` for a head that the document does not
    ///   have.
    /// - Complexity: As ``values(obj:)``, and O(*n*) in the number of changes for heads that none
    ///   of the last four such calls was about.
    public func getAt(obj: ObjId, index: UInt64, heads: Set<ChangeHash>) throws -> Value? {
        try withEngine { (engine) throws(FormatError) in
            try engine.values(obj, index: index, at: try engine.clock(at: heads)).last
        }
    }

    /// All values of a key that none superseded at `heads`.
    ///
    /// - Throws: As ``getAll(obj:key:)``; `.unknownChange` for a head that the document does not
    ///   have.
    /// - Complexity: As ``getAll(obj:key:)``, and O(*n*) in the number of changes for heads that
    ///   none of the last four such calls was about.
    public func getAllAt(obj: ObjId, key: String, heads: Set<ChangeHash>) throws -> Set<Value> {
        try withEngine { (engine) throws(FormatError) in
            Set(try engine.values(obj, key: key, at: try engine.clock(at: heads)))
        }
    }

    /// All values at an index that none superseded at `heads`.
    ///
    /// - Throws: As ``getAll(obj:index:)``; `.unknownChange` for a head that the document does not
    ///   have.
    /// - Complexity: As ``values(obj:)``, and O(*n*) in the number of changes for heads that none
    ///   of the last four such calls was about.
    public func getAllAt(
        obj: ObjId, index: UInt64, heads: Set<ChangeHash>
    ) throws -> Set<Value> {
        try withEngine { (engine) throws(FormatError) in
            Set(try engine.values(obj, index: index, at: try engine.clock(at: heads)))
        }
    }

    /// The values of a key in the order by which a winner is chosen: the last one.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`.
    /// - Complexity: A look-up, and O(*n*) in the number of values.
    public func conflicts(obj: ObjId, key: String) throws -> [Value] {
        try withEngine { (engine) throws(FormatError) in
            try engine.values(obj, key: key, at: nil)
        }
    }

    /// The values at an index in the order by which a winner is chosen: the last one.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`.
    /// - Complexity: Logarithmic in the length of the list.
    public func conflicts(obj: ObjId, index: UInt64) throws -> [Value] {
        try withEngine { (engine) throws(FormatError) in
            try engine.values(obj, index: index, at: nil)
        }
    }

    // MARK: Whole objects

    /// The keys of a dictionary, in the order of their UTF-8 bytes.
    ///
    /// - Complexity: O(*n* log *n*) in the number of keys. None for an object that is not there.
    public func keys(obj: ObjId) -> [String] {
        withEngine { $0.keys(obj, at: nil) }
    }

    /// The keys that a dictionary had at `heads`, in the order of their UTF-8 bytes; none for heads
    /// or an object that the document does not have.
    ///
    /// - Complexity: As ``keys(obj:)``, and O(*n*) in the number of changes for heads that none of
    ///   the last four such calls was about.
    public func keysAt(obj: ObjId, heads: Set<ChangeHash>) -> [String] {
        withEngine { engine in
            engine.clockIfKnown(at: heads).map { engine.keys(obj, at: $0) } ?? []
        }
    }

    /// The values of a list, or of a dictionary in the order of its keys.
    ///
    /// - Throws: ``DocError``, `.unknownObject`.
    /// - Complexity: O(*n*) in the number of values.
    public func values(obj: ObjId) throws -> [Value] {
        try withEngine { (engine) throws(FormatError) in try engine.values(obj, at: nil) }
    }

    /// The values that a list or dictionary had at `heads`, as ``values(obj:)`` gives them now.
    ///
    /// - Throws: As ``values(obj:)``; `.unknownChange` for a head that the document does not have.
    /// - Complexity: As ``values(obj:)``, and O(*n*) in the number of changes for heads that none
    ///   of the last four such calls was about.
    public func valuesAt(obj: ObjId, heads: Set<ChangeHash>) throws -> [Value] {
        try withEngine { (engine) throws(FormatError) in
            try engine.values(obj, at: try engine.clock(at: heads))
        }
    }

    /// The keys and values of a dictionary, in the order of the keys' UTF-8 bytes.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`.
    /// - Complexity: O(*n* log *n*) in the number of keys.
    public func mapEntries(obj: ObjId) throws -> [(String, Value)] {
        try withEngine { (engine) throws(FormatError) in try engine.entries(obj, at: nil) }
    }

    /// The keys and values that a dictionary had at `heads`, as ``mapEntries(obj:)`` gives them
    /// now.
    ///
    /// - Throws: As ``mapEntries(obj:)``; `.unknownChange` for a head that the document does not
    ///   have.
    /// - Complexity: As ``mapEntries(obj:)``, and O(*n*) in the number of changes for heads that
    ///   none of the last four such calls was about.
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

    /// The length at `heads`, as ``length(obj:)`` counts it; 0 for heads or an object that the
    /// document does not have.
    ///
    /// - Complexity: O(*n*) in the length of the object, and O(*n*) in the number of changes for
    ///   heads that none of the last four such calls was about.
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
    ///
    /// - Throws: ``DocError``, `.unknownObject`.
    /// - Complexity: O(*n*) in the length of the path, each step of it logarithmic in its list.
    public func path(obj: ObjId) throws -> [PathElement] {
        try withEngine { (engine) throws(FormatError) in
            engine.commit()
            return engine.path(of: try engine.opSet.object(obj), at: nil) ?? []
        }
    }

    // MARK: Texts

    /// The content of a text. Blocks in it are object replacement characters, U+FFFC.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`.
    /// - Complexity: O(*n*) in the length of the text.
    public func text(obj: ObjId) throws -> String {
        try withEngine { (engine) throws(FormatError) in
            engine.opSet.text(of: try engine.text(obj), at: nil)
        }
    }

    /// The content that a text had at `heads`, as ``text(obj:)`` gives it now.
    ///
    /// - Throws: As ``text(obj:)``; `.unknownChange` for a head that the document does not have.
    /// - Complexity: As ``text(obj:)``, and O(*n*) in the number of changes for heads that none of
    ///   the last four such calls was about.
    public func textAt(obj: ObjId, heads: Set<ChangeHash>) throws -> String {
        try withEngine { (engine) throws(FormatError) in
            engine.opSet.text(of: try engine.text(obj), at: try engine.clock(at: heads))
        }
    }

    /// A part of a text, between two positions in units of ``textEncoding``. What reaches beyond
    /// the end is left out.
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

    /// A place in a list or text that stays with its element as others come and go before it.
    ///
    /// A position at the end stays at the end.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`.
    /// - Complexity: Logarithmic in the length of the list or text.
    public func cursor(obj: ObjId, position: UInt64) throws -> Cursor {
        try withEngine { (engine) throws(FormatError) in
            try engine.cursor(obj, position: position, at: nil)
        }
    }

    /// A cursor at the position that its element had at `heads`.
    ///
    /// - Throws: As ``cursor(obj:position:)``; `.unknownChange` for a head that the document does
    ///   not have.
    /// - Complexity: As ``values(obj:)``, and O(*n*) in the number of changes for heads that none
    ///   of the last four such calls was about.
    public func cursor(
        obj: ObjId, position: UInt64, heads: Set<ChangeHash>
    ) throws -> Cursor {
        try withEngine { (engine) throws(FormatError) in
            try engine.cursor(obj, position: position, at: try engine.clock(at: heads))
        }
    }

    /// Where a cursor is now. Of an element that was deleted, it is where that was.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`, `.invalidCursor`.
    /// - Complexity: Logarithmic in the length of the list or text.
    public func position(obj: ObjId, cursor: Cursor) throws -> UInt64 {
        try withEngine { (engine) throws(FormatError) in
            try engine.position(of: cursor, in: obj, at: nil)
        }
    }

    /// Where a cursor was at `heads`.
    ///
    /// - Throws: As ``position(obj:cursor:)``; `.unknownChange` for a head that the document does
    ///   not have.
    /// - Complexity: As ``values(obj:)``, and O(*n*) in the number of changes for heads that none
    ///   of the last four such calls was about.
    public func position(
        obj: ObjId, cursor: Cursor, heads: Set<ChangeHash>
    ) throws -> UInt64 {
        try withEngine { (engine) throws(FormatError) in
            try engine.position(of: cursor, in: obj, at: try engine.clock(at: heads))
        }
    }

    /// The marks of a text, by name and then by position. Neighbours of one value are one mark.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`.
    /// - Complexity: O(*n*) in the length of the text and the number of marks in it.
    public func marks(obj: ObjId) throws -> [Mark] {
        try withEngine { (engine) throws(FormatError) in
            engine.opSet.marks(of: try engine.text(obj), at: nil)
        }
    }

    /// The marks that a text had at `heads`, as ``marks(obj:)`` gives them now.
    ///
    /// - Throws: As ``marks(obj:)``; `.unknownChange` for a head that the document does not have.
    /// - Complexity: As ``marks(obj:)``, and O(*n*) in the number of changes for heads that none of
    ///   the last four such calls was about.
    public func marksAt(obj: ObjId, heads: Set<ChangeHash>) throws -> [Mark] {
        try withEngine { (engine) throws(FormatError) in
            engine.opSet.marks(of: try engine.text(obj), at: try engine.clock(at: heads))
        }
    }

    /// The marks that hold at a position, by name; each starts and ends there.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`; `.invalidCursor` for a cursor
    ///   that leads nowhere.
    public func marksAt(obj: ObjId, position: Position) throws -> [Mark] {
        try withEngine { (engine) throws(FormatError) in
            try engine.marks(obj, at: position, clock: nil)
        }
    }

    /// The marks that held at a position at `heads`, by name; each starts and ends there.
    ///
    /// - Throws: As ``marksAt(obj:position:)``; `.unknownChange` for a head that the document does
    ///   not have.
    /// - Complexity: As ``marks(obj:)``, and O(*n*) in the number of changes for heads that none of
    ///   the last four such calls was about.
    public func marksAt(
        obj: ObjId, position: Position, heads: Set<ChangeHash>
    ) throws -> [Mark] {
        try withEngine { (engine) throws(FormatError) in
            try engine.marks(obj, at: position, clock: try engine.clock(at: heads))
        }
    }
}
