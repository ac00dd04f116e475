extension OpSet {
    /// Appends and integrates the operations of a change.
    ///
    /// All operations are checked before any is integrated, so a change that can't be applied has
    /// no effect.
    ///
    /// - Parameters:
    ///   - actors: The document's indices of the chunk's actors, starting with the author.
    ///   - allowance: The allowance that the operations use.
    /// - Returns: The number of operations.
    mutating func apply(
        _ change: ChangeReader, actors: [UInt32], allowance: inout Allowance
    ) throws(FormatError) -> Int {
        let first = operations.count
        var reader = OperationReader(change.columns)
        var nextObject = UInt32(objects.count)
        do throws(FormatError) {
            while !reader.isDone {
                let count = operations.count - first
                guard operations.count < Limits.rows else {
                    throw FormatError(.tooLarge, "a document has too many operations")
                }
                try stage(
                    &reader, counter: change.startCounter + UInt64(count), actors: actors,
                    change: (first, change.startCounter), nextObject: &nextObject,
                    allowance: &allowance)
            }
        } catch {
            for row in first..<operations.count { markNames[UInt32(row)] = nil }
            while !longWidths.isEmpty, longWidths[longWidths.count - 1].row >= UInt32(first) {
                longWidths.removeLast(1)
            }
            operations.removeLast(operations.count - first)
            throw error
        }
        for row in first..<operations.count { integrate(UInt32(row)) }
        return operations.count - first
    }

    /// Reads and checks one operation and appends its row.
    private mutating func stage(
        _ reader: inout OperationReader, counter: UInt64, actors: [UInt32],
        change: (firstRow: Int, counter: UInt64), nextObject: inout UInt32,
        allowance: inout Allowance
    ) throws(FormatError) {
        let encoded = try reader.next()
        try allowance.spend(
            encoded.isInsert ? Allowance.Cost.insertion : Allowance.Cost.operation)
        if Action.makesObject(encoded.action) { try allowance.spend(Allowance.Cost.object) }
        try allowance.spend(Allowance.Cost.link, times: UInt64(encoded.predecessorCount))
        let author = actors[0]
        func resolve(
            _ identifier: EncodedOperation.Identifier
        ) throws(FormatError) -> UInt32 {
            guard identifier.actor < actors.count else {
                throw FormatError(.badReference, "an operation names an actor that is not listed")
            }
            let actor = actors[identifier.actor]
            if actor == author, identifier.counter >= change.counter {
                let offset = identifier.counter - change.counter
                if offset < UInt64(operations.count - change.firstRow) {
                    return UInt32(change.firstRow + Int(offset))
                }
            } else if let row = self.row(actor: actor, counter: identifier.counter) {
                return row
            }
            throw FormatError(
                .badReference, "an operation refers to an operation that doesn't exist")
        }
        var object = Self.rootObject
        var type = Action.makeMap
        if let identifier = encoded.object {
            let maker = try resolve(identifier)
            type = operations[maker].action
            guard Action.makesObject(type) else {
                throw FormatError(
                    .badReference, "an operation refers to a value that is not an object")
            }
            object = operations[maker].value
        }
        let key: UInt32
        let isMap = type == Action.makeMap || type == Action.makeTable
        switch encoded.key {
        case .name(let name):
            guard isMap, !encoded.isInsert, encoded.action != Action.mark else {
                throw FormatError(
                    .badColumn, "an operation on a list, an insertion or a mark has a key")
            }
            key = try names.intern(name)
        case .head:
            guard !isMap, encoded.isInsert else {
                throw FormatError(.badColumn, "an operation has no key or element")
            }
            key = none
        case .element(let identifier):
            guard !isMap else {
                throw FormatError(.badColumn, "an operation on a map refers to an element")
            }
            key = try resolve(identifier)
            guard operations[key].isInsert, operations[key].object == object else {
                throw FormatError(
                    .badReference, "an operation refers to an element of another list")
            }
        }
        guard encoded.isInsert ? encoded.predecessorCount == 0 : encoded.action != Action.mark
        else {
            throw FormatError(
                .badColumn,
                "an insertion supersedes another operation, or a mark is not an insertion")
        }
        guard !(encoded.isInsert && encoded.action == Action.delete) else {
            throw FormatError(.badColumn, "an insertion is a deletion")
        }
        var predecessors: UInt32 = none
        for _ in 0..<encoded.predecessorCount {
            let row = try resolve(try reader.nextPredecessor())
            let predecessor = operations[row]
            let owner = predecessor.isInsert ? row : predecessor.key
            guard predecessor.object == object, owner == key else {
                throw FormatError(
                    .badReference, "an operation supersedes an operation on another key")
            }
            links.add(row, to: &predecessors)
        }
        var flags: UInt8 = 0
        if encoded.isInsert { flags |= Operation.insertFlag }
        if encoded.expand { flags |= Operation.expandFlag }
        let row = UInt32(operations.count)
        var value = try store(encoded.value)
        if Action.makesObject(encoded.action) {
            // Objects are created in the order of the operations that create them, so the index is
            // known in advance.
            value = nextObject
            nextObject += 1
        }
        operations.append(
            Operation(
                counter: counter, actor: author, object: object, key: key,
                value: value, meta: encoded.meta, predecessors: predecessors,
                action: encoded.action, flags: flags))
        if encoded.action == Action.mark, let name = encoded.markName {
            markNames[row] = try names.intern(name)
        }
        let isText = type == Action.makeText
        setWidth(
            isText
                ? width(ofText: encoded.value, type: encoded.meta & 15, action: encoded.action)
                : encoded.action == Action.mark ? 0 : 1,
            of: row)
    }
}
