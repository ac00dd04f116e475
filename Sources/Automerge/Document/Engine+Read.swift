extension Engine {
    // MARK: Objects by kind

    func map(_ id: ObjId) throws(FormatError) -> UInt32 {
        let object = try opSet.object(id)
        guard opSet.objects[object].isMap else {
            throw FormatError(.wrongObjectType, "the object is not a map")
        }
        return object
    }

    func list(_ id: ObjId) throws(FormatError) -> UInt32 {
        let object = try opSet.object(id)
        guard opSet.objects[object].type == Action.makeList else {
            throw FormatError(.wrongObjectType, "the object is not a list")
        }
        return object
    }

    @inline(__always)
    func text(_ id: ObjId) throws(FormatError) -> UInt32 {
        let object = try opSet.object(id)
        guard opSet.objects[object].isText else {
            throw FormatError(.wrongObjectType, "the object is not text")
        }
        return object
    }

    func id(madeBy row: UInt32?) -> ObjId {
        row.map { opSet.id(of: opSet.operations[$0].value) } ?? .ROOT
    }

    // MARK: Indices

    /// Checks the index of an existing element.
    func index(_ index: UInt64, in object: UInt32) throws(FormatError) -> Int {
        let length = opSet.objects[object].root.width
        guard index < UInt64(length) else { throw outOfRange(index, length) }
        return Int(index)
    }

    /// Checks an index at which a value can be inserted.
    func insertionIndex(_ index: UInt64, in object: UInt32) throws(FormatError) -> Int {
        let length = opSet.objects[object].root.width
        guard index <= UInt64(length) else { throw outOfRange(index, length) }
        return Int(index)
    }

    /// Returns the start and length of the range that a splice deletes.
    @inline(__always)
    func spliceRange(
        start: UInt64, delete: Int64, inserts: Bool, in object: UInt32
    ) throws(FormatError) -> (start: Int, count: Int) {
        let length = opSet.objects[object].root.width
        guard start <= UInt64(length) else {
            if !inserts, delete >= 0 { return (length, 0) }
            throw outOfRange(start, length)
        }
        if delete >= 0 { return (Int(start), Int(clamping: delete)) }
        let count = delete.magnitude
        guard count <= start else { throw outOfRange(start, length) }
        return (Int(start - count), Int(count))
    }

    private func outOfRange(_ index: UInt64, _ length: Int) -> FormatError {
        FormatError(.outOfRange, "the index \(index) is beyond the length \(length)")
    }

    // MARK: Values

    mutating func values(
        _ id: ObjId, key: String, at clock: Clock?
    ) throws(FormatError) -> [Value] {
        let object = try map(id)
        guard let name = opSet.names.find(key), let slot = opSet.slot(object: object, name: name)
        else { return [] }
        return opSet.visibleRows(slot: slot, element: none, at: clock)
            .map { opSet.value(of: $0, at: clock) }
    }

    mutating func values(
        _ id: ObjId, index: UInt64, at clock: Clock?
    ) throws(FormatError) -> [Value] {
        let object = try opSet.object(id)
        guard !opSet.objects[object].isMap else {
            throw FormatError(.wrongObjectType, "the object is neither a list nor a text")
        }
        let element = opSet.element(at: Int(clamping: index), of: object, at: clock)
        guard element != none else { return [] }
        return opSet.visibleRows(
            slot: opSet.operations[element].slot, element: element, at: clock
        ).map { opSet.value(of: $0, at: clock) }
    }

    mutating func values(_ id: ObjId, at clock: Clock?) throws(FormatError) -> [Value] {
        let object = try opSet.object(id)
        if opSet.objects[object].isMap {
            return opSet.entries(of: object, at: clock).map { opSet.value(of: $0.row, at: clock) }
        }
        var result: [Value] = []
        opSet.forEachVisible(of: object, at: clock) { _, row in
            result.append(opSet.value(of: row, at: clock))
            return true
        }
        return result
    }

    mutating func entries(
        _ id: ObjId, at clock: Clock?
    ) throws(FormatError) -> [(String, Value)] {
        opSet.entries(of: try map(id), at: clock)
            .map { (opSet.names.string($0.name), opSet.value(of: $0.row, at: clock)) }
    }

    mutating func keys(_ id: ObjId, at clock: Clock?) -> [String] {
        guard let object = try? opSet.object(id), opSet.objects[object].isMap else { return [] }
        return opSet.entries(of: object, at: clock).map { opSet.names.string($0.name) }
    }

    mutating func length(_ id: ObjId, at clock: Clock?) -> UInt64 {
        guard let object = try? opSet.object(id) else { return 0 }
        if opSet.objects[object].isMap {
            return UInt64(opSet.entries(of: object, at: clock).count)
        }
        return UInt64(opSet.length(of: object, at: clock))
    }

    /// Returns the clock of `heads`. The outer optional is `nil` if the document doesn't have one
    /// of the heads. The inner optional is `nil` if `heads` are the current heads.
    mutating func clockIfKnown(at heads: Set<ChangeHash>) -> Clock?? {
        do throws(FormatError) {
            return .some(try clock(at: heads))
        } catch {
            return nil
        }
    }

    // MARK: Paths

    /// Returns the path from the root to an object at a clock, or `nil` if it isn't visible.
    ///
    /// - Parameter known: The path of another object, reused if that object contains `object`.
    mutating func path(
        of object: UInt32, at clock: Clock?, known: (object: UInt32, path: [PathElement])? = nil
    ) -> [PathElement]? {
        var result: [PathElement] = []
        var current = object
        while current != OpSet.rootObject {
            if let known, known.object == current { return known.path + result.reversed() }
            let maker = opSet.objects[current].maker
            guard opSet.isVisible(maker, at: clock) else { return nil }
            let operation = opSet.operations[maker]
            let parent = opSet.id(of: operation.object)
            if opSet.objects[operation.object].isMap {
                result.append(
                    PathElement(obj: parent, prop: .Key(opSet.names.string(operation.key))))
            } else {
                let element = operation.isInsert ? maker : operation.key
                let position = opSet.position(of: element, at: clock)
                result.append(PathElement(obj: parent, prop: .Index(UInt64(position))))
            }
            current = operation.object
        }
        result.reverse()
        return result
    }

    // MARK: Cursors

    func cursor(
        _ id: ObjId, position: UInt64, at clock: Clock?
    ) throws(FormatError) -> Cursor {
        let object = try opSet.object(id)
        guard !opSet.objects[object].isMap else {
            throw FormatError(.wrongObjectType, "the object is neither a list nor a text")
        }
        let element = opSet.element(at: Int(clamping: position), of: object, at: clock)
        guard element != none else { return Cursor(.end) }
        let operation = opSet.operations[element]
        return Cursor(
            .element(
                counter: operation.counter,
                actor: ActorId(bytes: opSet.actors.bytes(operation.actor)), movesBack: false))
    }

    func position(
        of cursor: Cursor, in id: ObjId, at clock: Clock?
    ) throws(FormatError) -> UInt64 {
        let object = try opSet.object(id)
        guard !opSet.objects[object].isMap else {
            throw FormatError(.wrongObjectType, "the object is neither a list nor a text")
        }
        switch cursor.place {
        case .start: return 0
        case .end: return UInt64(opSet.length(of: object, at: clock))
        case .element(let counter, let actor, let movesBack):
            guard let index = opSet.actors.find(actor.bytes),
                let element = opSet.row(actor: index, counter: counter),
                opSet.operations[element].isInsert, opSet.operations[element].object == object
            else {
                throw FormatError(.invalidCursor, "the cursor's element is not in the list")
            }
            if let clock, !clock.covers(opSet.operations[element]) {
                throw FormatError(.invalidCursor, "the cursor's element did not exist yet")
            }
            let position = opSet.position(of: element, at: clock)
            guard movesBack, position > 0 else { return UInt64(position) }
            let shown = opSet.winner(
                slot: opSet.operations[element].slot, element: element, at: clock)
            return UInt64(shown == none ? position - 1 : position)
        }
    }

    /// Returns the marks in effect at a position or cursor.
    func marks(
        _ id: ObjId, at position: Position, clock: Clock?
    ) throws(FormatError) -> [Mark] {
        let object = try text(id)
        let index: UInt64
        switch position {
        case .index(let number): index = number
        case .cursor(let cursor): index = try self.position(of: cursor, in: id, at: clock)
        }
        return opSet.marks(at: Int(clamping: index), of: object, clock: clock)
            .map { Mark(start: index, end: index, name: $0.0, value: .Scalar($0.1)) }
    }
}
