/// An encoder that writes the operations of a change as the change's chunk.
///
/// All implementations must encode a change as the same bytes, because its hash is the hash of the
/// bytes. An encoder reuses its memory for the next change.
struct ChangeEncoder: ~Copyable {
    private var rows: ChangeColumns
    private var columns = ColumnWriter()
    /// The number of each document actor within the change, or `none` for actors that the change
    /// doesn't name.
    private var localActors = PackedArray<UInt32>()
    private var otherActors: [UInt32] = []
    private var lastAuthor: UInt32 = none
    /// The contents of the most recently encoded chunk.
    private(set) var contents = ByteWriter()

    init(names: borrowing NameTable) {
        rows = ChangeColumns(names: names)
    }

    /// Replaces the contents with bytes that were kept from the original chunk.
    mutating func keep(_ original: [UInt8]) -> UnsafeBufferPointer<UInt8> {
        contents.removeAll()
        contents.bytes(original)
        return contents.buffer
    }

    /// Encodes a change of `graph` into `contents`.
    ///
    /// - Returns: The change's hash.
    mutating func encode(
        _ change: UInt32, of graph: borrowing ChangeGraph, in set: borrowing OpSet,
        others: UnknownColumns.Operations? = nil
    ) -> ChangeHash {
        let record = graph.records[change]
        contents.removeAll()
        let count = Int(record.dependencyCount)
        contents.unsigned(count)
        if count == 1 {
            graph.hashes[graph.dependency(0, of: change)].write(to: &contents)
        } else if count > 1 {
            for hash in graph.dependencyHashes(of: change) { hash.write(to: &contents) }
        }
        contents.prefixed(set.actors.bytes(record.actor))
        contents.unsigned(record.sequence)
        contents.unsigned(record.startCounter)
        contents.signed(record.time)
        if record.message == none {
            contents.byte(0)
        } else {
            let message = graph.messages.bytes(of: record.message)
            contents.unsigned(message.count)
            contents.bytes(message)
        }
        let first = Int(record.firstRow)
        let rows = first..<first + Int(record.operationCount)
        findActors(of: rows, author: record.actor, others: others, in: set)
        contents.unsigned(otherActors.count)
        for actor in otherActors { contents.prefixed(set.actors.bytes(actor)) }
        columns.reset()
        if let others {
            // The storage must outlive the columns until they are written.
            let storage = ColumnStorage()
            encode(others, count: rows.count, in: set, storage)
            withExtendedLifetime(storage) { encodeColumns(of: rows, in: set) }
        } else {
            encodeColumns(of: rows, in: set)
        }
        columns.writeLayout(to: &contents)
        contents.bytes(columns.data.buffer)
        if record.extra != none { contents.bytes(graph.extra(of: change)) }
        return Chunk.hash(type: Chunk.Kind.change.rawValue, contents: contents.buffer)
    }

    /// Numbers the actors that the operations name: first the author, then the others in the order
    /// of their bytes.
    private mutating func findActors(
        of rows: Range<Int>, author: UInt32, others: UnknownColumns.Operations?,
        in set: borrowing OpSet
    ) {
        let known = set.actors.count
        if localActors.count < known {
            localActors.append(repeating: none, count: known - localActors.count)
        }
        for actor in otherActors { localActors[actor] = none }
        if lastAuthor != none { localActors[lastAuthor] = none }
        otherActors.removeAll(keepingCapacity: true)
        if known > 1 {
            let operations = set.operations.base
            for row in rows {
                let operation = operations[row]
                let maker = set.objects[operation.object].maker
                if maker != none { note(operations[Int(maker)].actor, author: author) }
                if operation.key != none, !set.objects[operation.object].isMap {
                    note(operations[Int(operation.key)].actor, author: author)
                }
                for index in 0..<set.links.count(operation.predecessors) {
                    let predecessor = set.links.row(operation.predecessors, index)
                    note(operations[Int(predecessor)].actor, author: author)
                }
            }
        }
        if let others {
            for actor in UnknownColumns.actors(of: others.values) {
                if let index = set.actors.find(actor) { note(index, author: author) }
            }
        }
        if otherActors.count > 1 {
            let ranks = set.actors.ranks.base
            otherActors.sort { ranks[Int($0)] < ranks[Int($1)] }
        }
        for (index, actor) in otherActors.enumerated() { localActors[actor] = UInt32(index + 1) }
        localActors[author] = 0
        lastAuthor = author
    }

    @inline(__always)
    private mutating func note(_ actor: UInt32, author: UInt32) {
        if actor != author, localActors[actor] == none {
            localActors[actor] = 0
            otherActors.append(actor)
        }
    }

    /// Adds unknown columns, to be written between the known ones.
    private mutating func encode(
        _ others: UnknownColumns.Operations, count: Int, in set: borrowing OpSet,
        _ storage: ColumnStorage
    ) {
        var places: [[UInt8]: UInt64] = [:]
        for actor in UnknownColumns.actors(of: others.values) {
            if let index = set.actors.find(actor) { places[actor] = UInt64(localActors[index]) }
        }
        columns.putBetween(
            UnknownColumns.columns(
                of: (0..<count).map { others[$0] }, actor: { places[$0] }, in: storage))
    }

    private mutating func encodeColumns(of range: Range<Int>, in set: borrowing OpSet) {
        rows.reset(names: set.names)
        let operations = set.operations.base
        var object: UInt32 = none
        var isMap = false
        var maker: UInt32 = none
        for row in range {
            let operation = operations[row]
            if operation.object != object {
                object = operation.object
                isMap = set.objects[object].isMap
                maker = set.objects[object].maker
            }
            if maker == none {
                rows.objectActor.appendNull()
                rows.objectCounter.appendNull()
            } else {
                rows.objectActor.append(UInt64(localActors[operations[Int(maker)].actor]))
                rows.objectCounter.append(operations[Int(maker)].counter)
            }
            if isMap {
                rows.keyActor.appendNull()
                rows.keyCounter.appendNull()
                rows.keyName.append(UInt64(operation.key))
            } else {
                if operation.key == none {
                    rows.keyActor.appendNull()
                    rows.keyCounter.append(0)
                } else {
                    let element = operations[Int(operation.key)]
                    rows.keyActor.append(UInt64(localActors[element.actor]))
                    rows.keyCounter.append(element.counter)
                }
                rows.keyName.appendNull()
            }
            rows.insert.append(operation.isInsert)
            rows.action.append(UInt64(operation.action))
            rows.meta.append(UInt64(operation.meta))
            set.appendValue(of: operation, to: &rows.value)
            encodePredecessors(of: operation, in: set)
            rows.expand.append(operation.flags & Operation.expandFlag != 0)
            if operation.action == Action.mark, let name = set.markNames[UInt32(row)] {
                rows.markName.append(UInt64(name))
            } else {
                rows.markName.appendNull()
            }
        }
        rows.finish(into: &columns)
    }

    @inline(__always)
    private mutating func encodePredecessors(of operation: Operation, in set: borrowing OpSet) {
        let field = operation.predecessors
        if field == none {
            rows.predecessorCount.append(0)
        } else if field & LinkTable.listBit == 0 {
            rows.predecessorCount.append(1)
            let predecessor = set.operations[field]
            rows.predecessorActor.append(UInt64(localActors[predecessor.actor]))
            rows.predecessorCounter.append(predecessor.counter)
        } else {
            let list = set.sortedLinks(field)
            rows.predecessorCount.append(UInt64(list.count))
            for row in list {
                rows.predecessorActor.append(UInt64(localActors[set.operations[row].actor]))
                rows.predecessorCounter.append(set.operations[row].counter)
            }
        }
    }
}

extension OpSet {
    @inline(__always)
    func appendValue(of operation: Operation, to out: inout ByteWriter) {
        let count = operation.valueCount
        if count == 0 { return }
        if count <= 4 {
            out.packed(operation.value, count)
        } else {
            out.bytes(heap.base + Int(operation.value), count)
        }
    }

    /// Returns the rows of a link list, sorted by operation identifier.
    func sortedLinks(_ field: UInt32) -> ContiguousArray<UInt32> {
        var rows = links.list(field)
        for index in 1..<rows.count where precedes(rows[index], rows[index - 1]) {
            rows.sort { precedes($0, $1) }
            break
        }
        return rows
    }
}
