/// An operation that is in no op set, with the actors of the bundle it is from.
struct LooseOperation {
    var counter: UInt64
    var operation: EncodedOperation
    var predecessors: [EncodedOperation.Identifier]
}

/// Writes the chunk of a change from operations that are in no op set yet.
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
        try Self.encode(operations, numbers: local.numbers, into: &columns)
        columns.writeLayout(to: &contents)
        contents.bytes(columns.data.buffer)
        contents.bytes(header.extra)
        return Chunk.hash(type: Chunk.Kind.change.rawValue, contents: contents.buffer)
    }

    /// The actors that the operations name, beside the author, by their bytes.
    private static func localActors(
        of operations: [LooseOperation], author: Int, actors: [[UInt8]]
    ) throws(FormatError) -> (others: [Int], numbers: [Int: UInt64]) {
        var named: Set<Int> = []
        for loose in operations {
            if let object = loose.operation.object { named.insert(object.actor) }
            if case .element(let element) = loose.operation.key { named.insert(element.actor) }
            for predecessor in loose.predecessors { named.insert(predecessor.actor) }
        }
        named.remove(author)
        guard named.allSatisfy({ $0 < actors.count }) else {
            throw FormatError(.badReference, "an operation names an actor that is not listed")
        }
        let others = named.sorted { actors[$0].lexicographicallyPrecedes(actors[$1]) }
        var numbers = [author: UInt64(0)]
        for (index, actor) in others.enumerated() { numbers[actor] = UInt64(index + 1) }
        return (others, numbers)
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
        var objectActor = RunEncoder(UnsignedWriting())
        var objectCounter = RunEncoder(UnsignedWriting())
        var keyActor = RunEncoder(UnsignedWriting())
        var keyCounter = DeltaEncoder()
        var keyName = RunEncoder(names.writing)
        var insert = BooleanEncoder()
        var action = RunEncoder(UnsignedWriting())
        var meta = RunEncoder(UnsignedWriting())
        var value = ByteWriter()
        var predecessorCount = RunEncoder(UnsignedWriting())
        var predecessorActor = RunEncoder(UnsignedWriting())
        var predecessorCounter = DeltaEncoder()
        var expand = BooleanEncoder()
        var markName = RunEncoder(names.writing)
        for (index, loose) in operations.enumerated() {
            let operation = loose.operation
            objectActor.append(operation.object.flatMap { numbers[$0.actor] })
            objectCounter.append(operation.object?.counter)
            switch operation.key {
            case .name:
                keyActor.appendNull()
                keyCounter.appendNull()
            case .head:
                keyActor.appendNull()
                keyCounter.append(0)
            case .element(let element):
                keyActor.append(numbers[element.actor])
                keyCounter.append(element.counter)
            }
            keyName.append(keys[index].map { UInt64($0) })
            insert.append(operation.isInsert)
            action.append(UInt64(operation.action))
            meta.append(UInt64(operation.meta))
            value.bytes(operation.value)
            predecessorCount.append(UInt64(loose.predecessors.count))
            for predecessor in loose.predecessors {
                predecessorActor.append(numbers[predecessor.actor])
                predecessorCounter.append(predecessor.counter)
            }
            expand.append(operation.expand)
            markName.append(marks[index].map { UInt64($0) })
        }
        objectActor.finish()
        objectCounter.finish()
        keyActor.finish()
        keyCounter.finish()
        keyName.finish()
        insert.finish()
        action.finish()
        meta.finish()
        predecessorCount.finish()
        predecessorActor.finish()
        predecessorCounter.finish()
        expand.finish()
        markName.finish()
        columns.add(ColumnSpecification.objectActor, objectActor.out.buffer)
        columns.add(ColumnSpecification.objectCounter, objectCounter.out.buffer)
        columns.add(ColumnSpecification.keyActor, keyActor.out.buffer)
        columns.add(ColumnSpecification.keyCounter, keyCounter.out.buffer)
        columns.add(ColumnSpecification.keyName, keyName.out.buffer)
        columns.add(ColumnSpecification.insert, insert.out.buffer)
        columns.add(ColumnSpecification.action, action.out.buffer)
        columns.add(ColumnSpecification.valueMeta, meta.out.buffer)
        columns.add(ColumnSpecification.value, value.buffer)
        columns.add(ColumnSpecification.predecessorCount, predecessorCount.out.buffer)
        columns.add(ColumnSpecification.predecessorActor, predecessorActor.out.buffer)
        columns.add(ColumnSpecification.predecessorCounter, predecessorCounter.out.buffer)
        if !expand.isAllFalse { columns.add(ColumnSpecification.expand, expand.out.buffer) }
        columns.add(ColumnSpecification.markName, markName.out.buffer)
        // The encoders point at the names until here.
        withExtendedLifetime(names.count) {}
    }
}
