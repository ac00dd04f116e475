/// An encoder for the operation columns of a document, one operation at a time.
struct DocumentOperationEncoder: ~Copyable {
    private var objectActor = RunEncoder(UnsignedWriting())
    private var objectCounter = RunEncoder(UnsignedWriting())
    private var keyActor = RunEncoder(UnsignedWriting())
    private var keyCounter = DeltaEncoder()
    private var keyName: RunEncoder<NameWriting>
    private var idActor = RunEncoder(UnsignedWriting())
    private var idCounter = DeltaEncoder()
    private var insert = BooleanEncoder()
    private var action = RunEncoder(UnsignedWriting())
    private var meta = RunEncoder(UnsignedWriting())
    private var value = ByteWriter()
    private var successorCount = RunEncoder(UnsignedWriting())
    private var successorActor = RunEncoder(UnsignedWriting())
    private var successorCounter = DeltaEncoder()
    private var expand = BooleanEncoder()
    private var markName: RunEncoder<NameWriting>

    private var isMap = true
    private var makerActor: UInt64 = 0
    private var makerCounter: UInt64?

    init(names: borrowing NameTable) {
        keyName = RunEncoder(names.writing)
        markName = RunEncoder(names.writing)
    }

    /// Starts the operations of an object. `maker` is the operation that created it, or `nil` for
    /// the root.
    mutating func enter(
        isMap: Bool, maker: Operation?, actors: borrowing PackedArray<UInt32>
    ) {
        self.isMap = isMap
        makerCounter = maker?.counter
        if let maker { makerActor = UInt64(actors[maker.actor]) }
    }

    @inline(__always)
    mutating func append(
        _ row: UInt32, of set: borrowing OpSet, actors: borrowing PackedArray<UInt32>
    ) {
        let operation = set.operations[row]
        if let makerCounter {
            objectActor.append(makerActor)
            objectCounter.append(makerCounter)
        } else {
            objectActor.appendNull()
            objectCounter.appendNull()
        }
        if isMap {
            keyActor.appendNull()
            keyCounter.appendNull()
            keyName.append(UInt64(operation.key))
        } else {
            keyName.appendNull()
            if operation.key == none {
                keyActor.appendNull()
                keyCounter.append(0)
            } else {
                let element = set.operations.base + Int(operation.key)
                keyActor.append(UInt64(actors[element.pointee.actor]))
                keyCounter.append(element.pointee.counter)
            }
        }
        idActor.append(UInt64(actors[operation.actor]))
        idCounter.append(operation.counter)
        insert.append(operation.isInsert)
        action.append(UInt64(operation.action))
        meta.append(UInt64(operation.meta))
        set.appendValue(of: operation, to: &value)
        expand.append(operation.flags & Operation.expandFlag != 0)
        if operation.action == Action.mark, let name = set.markNames[row] {
            markName.append(UInt64(name))
        } else {
            markName.appendNull()
        }
        appendSuccessors(operation.successors, of: set, actors: actors)
    }

    @inline(__always)
    private mutating func appendSuccessors(
        _ field: UInt32, of set: borrowing OpSet, actors: borrowing PackedArray<UInt32>
    ) {
        if field == none {
            successorCount.append(0)
        } else if field & LinkTable.listBit == 0 {
            successorCount.append(1)
            let successor = set.operations.base + Int(field)
            successorActor.append(UInt64(actors[successor.pointee.actor]))
            successorCounter.append(successor.pointee.counter)
        } else {
            let list = set.sortedLinks(field)
            successorCount.append(UInt64(list.count))
            for row in list {
                successorActor.append(UInt64(actors[set.operations[row].actor]))
                successorCounter.append(set.operations[row].counter)
            }
        }
    }

    // MARK: Plain elements

    /// The column values of one leaf's elements, collected before encoding.
    private var block = Block()

    private struct Block: ~Copyable {
        var idCounters = PackedArray<UInt64>()
        var keyCounters = PackedArray<UInt64>()
        var successorCounts = PackedArray<UInt64>()
        var successorCounters = PackedArray<UInt64>()
        var values = PackedArray<UInt32>()

        init() {
            let size = ElementStore.leafSize
            idCounters.append(repeating: 0, count: size)
            keyCounters.append(repeating: 0, count: size)
            successorCounts.append(repeating: 0, count: size)
            successorCounters.append(repeating: 0, count: size)
            values.append(repeating: 0, count: size)
        }
    }

    /// Appends the elements of a leaf, which make up most of a large document, one column at a
    /// time.
    ///
    /// This is several times faster than appending each element, but requires uniform elements. All
    /// elements must be insertions by the same actor, and one actor must have inserted all elements
    /// that they follow. Each value must have one byte, and each element may be deleted at most
    /// once.
    ///
    /// - Returns: Whether the elements are uniform. If not, nothing is appended.
    mutating func appendPlain(
        _ rows: UnsafePointer<UInt32>, count: Int, of set: borrowing OpSet,
        actors: borrowing PackedArray<UInt32>
    ) -> Bool {
        let operations = set.operations.base
        let first = operations[Int(rows[0])]
        guard let makerCounter, first.key != none, first.valueCount == 1 else { return false }
        let keyActorNumber = operations[Int(first.key)].actor
        let idCounters = block.idCounters.base
        let keyCounters = block.keyCounters.base
        let successorCounts = block.successorCounts.base
        let successorCounters = block.successorCounters.base
        let values = block.values.base
        var difference: UInt32 = 0
        var deletions = 0
        var deleter: UInt32 = none
        for index in 0..<count {
            let operation = operations + Int(rows[index])
            let key = operation.pointee.key
            if key == none { return false }
            let element = operations + Int(key)
            difference |= operation.pointee.actor ^ first.actor
            difference |= operation.pointee.meta ^ first.meta
            difference |= UInt32(operation.pointee.action ^ Action.set)
            difference |= UInt32(
                (operation.pointee.flags ^ Operation.insertFlag) & ~Operation.visibleFlag)
            difference |= ~operation.pointee.slot
            difference |= element.pointee.actor ^ keyActorNumber
            idCounters[index] = operation.pointee.counter
            keyCounters[index] = element.pointee.counter
            values[index] = operation.pointee.value
            let field = operation.pointee.successors
            if field == none {
                successorCounts[index] = 0
                continue
            }
            if field & LinkTable.listBit != 0 { return false }
            let successor = operations + Int(field)
            successorCounts[index] = 1
            successorCounters[deletions] = successor.pointee.counter
            if deletions == 0 { deleter = successor.pointee.actor }
            difference |= successor.pointee.actor ^ deleter
            deletions &+= 1
        }
        guard difference == 0 else { return false }
        objectActor.append(makerActor, repeated: count)
        objectCounter.append(makerCounter, repeated: count)
        keyActor.append(UInt64(actors[keyActorNumber]), repeated: count)
        keyCounter.append(
            overwriting: UnsafeMutableBufferPointer(start: keyCounters, count: count))
        keyName.appendNulls(count)
        idActor.append(UInt64(actors[first.actor]), repeated: count)
        idCounter.append(overwriting: UnsafeMutableBufferPointer(start: idCounters, count: count))
        insert.append(true, repeated: count)
        action.append(UInt64(Action.set), repeated: count)
        meta.append(UInt64(first.meta), repeated: count)
        value.lowBytes(of: values, count: count)
        expand.append(false, repeated: count)
        markName.appendNulls(count)
        successorCount.append(UnsafeBufferPointer(start: successorCounts, count: count))
        if deletions > 0 {
            successorActor.append(UInt64(actors[deleter]), repeated: deletions)
            successorCounter.append(
                overwriting: UnsafeMutableBufferPointer(
                    start: successorCounters, count: deletions))
        }
        return true
    }

    /// Finishes the columns and adds them to `columns`, together with the unknown columns in
    /// `others`.
    mutating func finish(
        into columns: inout ColumnWriter, others: [UnknownColumns.Column], threshold: Int
    ) {
        let none = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        var all = [
            (ColumnSpecification.objectActor, objectActor.finish()),
            (ColumnSpecification.objectCounter, objectCounter.finish()),
            (ColumnSpecification.keyActor, keyActor.finish()),
            (ColumnSpecification.keyCounter, keyCounter.finish()),
            (ColumnSpecification.keyName, keyName.finish()),
            (ColumnSpecification.idActor, idActor.finish()),
            (ColumnSpecification.idCounter, idCounter.finish()),
            (ColumnSpecification.insert, insert.finish()),
            (ColumnSpecification.action, action.finish()),
            (ColumnSpecification.valueMeta, meta.finish()),
            (ColumnSpecification.value, value.buffer),
            (ColumnSpecification.successorCount, successorCount.finish()),
            (ColumnSpecification.successorActor, successorActor.finish()),
            (ColumnSpecification.successorCounter, successorCounter.finish()),
            (ColumnSpecification.expand, expand.isAllFalse ? none : expand.finish()),
            (ColumnSpecification.markName, markName.finish()),
        ]
        if !others.isEmpty {
            all += others
            all.sort { $0.0 < $1.0 }
        }
        columns.add(all, threshold: threshold)
    }
}
