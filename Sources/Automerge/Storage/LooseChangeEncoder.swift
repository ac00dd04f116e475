/// An operation that is not in an op set. Actors are numbered as in its bundle.
struct LooseOperation {
    var counter: UInt64
    var operation: EncodedOperation
    var predecessors: [EncodedOperation.Identifier]
    /// The operation's values in unknown columns.
    var others: UnknownColumns.Row?
}

/// An encoder for the chunk of a change, from operations that are not in an op set yet.
struct LooseChangeEncoder: ~Copyable {
    struct Header {
        var dependencies: [ChangeHash]
        var author: Int
        var sequence: UInt64
        var startCounter: UInt64
        var time: Int64
        var message: UnsafeBufferPointer<UInt8>
        var extra: UnsafeBufferPointer<UInt8>
    }

    private(set) var contents = ByteWriter()

    /// Encodes a change into `contents` and returns its hash.
    mutating func encode(
        _ header: Header, _ operations: [LooseOperation], actors: [[UInt8]]
    ) throws(FormatError) -> ChangeHash {
        let local = try Self.localActors(of: operations, author: header.author, actors: actors)
        contents.removeAll()
        SyncMessage.write(header.dependencies, to: &contents)
        contents.prefixed(actors[header.author])
        contents.unsigned(header.sequence)
        contents.unsigned(header.startCounter)
        contents.signed(header.time)
        contents.unsigned(header.message.count)
        contents.bytes(header.message)
        contents.unsigned(local.others.count)
        for actor in local.others { contents.prefixed(actors[actor]) }
        var columns = ColumnWriter()
        let storage = ColumnStorage()
        if operations.contains(where: { $0.others != nil }) {
            var places: [[UInt8]: UInt64] = [:]
            for (index, number) in local.numbers { places[actors[index]] = number }
            columns.putBetween(
                UnknownColumns.columns(
                    of: operations.map(\.others),
                    known: (ColumnSpecification.predecessors, operations.map(\.predecessors.count)),
                    actor: { places[$0] }, in: storage))
        }
        try withExtendedLifetime(storage) { () throws(FormatError) in
            try Self.encode(operations, numbers: local.numbers, into: &columns)
        }
        columns.writeLayout(to: &contents)
        contents.bytes(columns.data.buffer)
        contents.bytes(header.extra)
        return Chunk.hash(type: Chunk.Kind.change.rawValue, contents: contents.buffer)
    }

    /// Returns the actors that the operations name, except the author, in the order of their bytes.
    private static func localActors(
        of operations: [LooseOperation], author: Int, actors: [[UInt8]]
    ) throws(FormatError) -> (others: [Int], numbers: [Int: UInt64]) {
        var named: Set<Int> = []
        for loose in operations {
            if let object = loose.operation.object { named.insert(object.actor) }
            if case .element(let element) = loose.operation.key { named.insert(element.actor) }
            for predecessor in loose.predecessors { named.insert(predecessor.actor) }
        }
        let others = UnknownColumns.actors(of: operations.compactMap(\.others))
        named.formUnion(actors.indices.filter { others.contains(actors[$0]) })
        named.remove(author)
        guard named.allSatisfy({ $0 < actors.count }) else {
            throw FormatError(.badReference, "an operation names an actor that is not listed")
        }
        let listed = named.sorted { actors[$0].lexicographicallyPrecedes(actors[$1]) }
        var numbers = [author: UInt64(0)]
        for (index, actor) in listed.enumerated() { numbers[actor] = UInt64(index + 1) }
        return (listed, numbers)
    }

    private static func encode(
        _ operations: [LooseOperation], numbers: [Int: UInt64], into columns: inout ColumnWriter
    ) throws(FormatError) {
        var names = NameTable()
        var keys: [UInt32?] = []
        var marks: [UInt32?] = []
        for loose in operations {
            if case .name(let name) = loose.operation.key {
                keys.append(try names.intern(name))
            } else {
                keys.append(nil)
            }
            if let mark = loose.operation.markName {
                marks.append(try names.intern(mark))
            } else {
                marks.append(nil)
            }
        }
        var rows = ChangeColumns(names: names)
        for (index, loose) in operations.enumerated() {
            let operation = loose.operation
            rows.objectActor.append(operation.object.flatMap { numbers[$0.actor] })
            rows.objectCounter.append(operation.object?.counter)
            switch operation.key {
            case .name:
                rows.keyActor.appendNull()
                rows.keyCounter.appendNull()
            case .head:
                rows.keyActor.appendNull()
                rows.keyCounter.append(0)
            case .element(let element):
                rows.keyActor.append(numbers[element.actor])
                rows.keyCounter.append(element.counter)
            }
            rows.keyName.append(keys[index].map { UInt64($0) })
            rows.insert.append(operation.isInsert)
            rows.action.append(UInt64(operation.action))
            rows.meta.append(UInt64(operation.meta))
            rows.value.bytes(operation.value)
            rows.predecessorCount.append(UInt64(loose.predecessors.count))
            for predecessor in loose.predecessors {
                rows.predecessorActor.append(numbers[predecessor.actor])
                rows.predecessorCounter.append(predecessor.counter)
            }
            rows.expand.append(operation.expand)
            rows.markName.append(marks[index].map { UInt64($0) })
        }
        rows.finish(into: &columns)
        // Keep the names alive until here, because the encoders point at them.
        withExtendedLifetime(names.count) {}
    }
}
