/// Encodes the operation columns of a document, one operation after another.
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

    /// Says whose operations follow. `maker` is `nil` for the root.
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
        let field = operation.successors
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

    mutating func finish(into columns: inout ColumnWriter, threshold: Int) {
        objectActor.finish()
        objectCounter.finish()
        keyActor.finish()
        keyCounter.finish()
        keyName.finish()
        idActor.finish()
        idCounter.finish()
        insert.finish()
        action.finish()
        meta.finish()
        successorCount.finish()
        successorActor.finish()
        successorCounter.finish()
        markName.finish()
        columns.add(
            ColumnSpecification.objectActor, objectActor.out.buffer, threshold: threshold)
        columns.add(
            ColumnSpecification.objectCounter, objectCounter.out.buffer, threshold: threshold)
        columns.add(ColumnSpecification.keyActor, keyActor.out.buffer, threshold: threshold)
        columns.add(ColumnSpecification.keyCounter, keyCounter.out.buffer, threshold: threshold)
        columns.add(ColumnSpecification.keyName, keyName.out.buffer, threshold: threshold)
        columns.add(ColumnSpecification.idActor, idActor.out.buffer, threshold: threshold)
        columns.add(ColumnSpecification.idCounter, idCounter.out.buffer, threshold: threshold)
        columns.add(ColumnSpecification.insert, insert.out.buffer, threshold: threshold)
        columns.add(ColumnSpecification.action, action.out.buffer, threshold: threshold)
        columns.add(ColumnSpecification.valueMeta, meta.out.buffer, threshold: threshold)
        columns.add(ColumnSpecification.value, value.buffer, threshold: threshold)
        columns.add(
            ColumnSpecification.successorCount, successorCount.out.buffer, threshold: threshold)
        columns.add(
            ColumnSpecification.successorActor, successorActor.out.buffer, threshold: threshold)
        columns.add(
            ColumnSpecification.successorCounter, successorCounter.out.buffer,
            threshold: threshold)
        if !expand.isAllFalse {
            expand.finish()
            columns.add(ColumnSpecification.expand, expand.out.buffer, threshold: threshold)
        }
        columns.add(ColumnSpecification.markName, markName.out.buffer, threshold: threshold)
    }
}
