/// Encoders for the operation columns of a change. Each operation adds one row.
struct ChangeColumns: ~Copyable {
    var objectActor = RunEncoder(UnsignedWriting())
    var objectCounter = RunEncoder(UnsignedWriting())
    var keyActor = RunEncoder(UnsignedWriting())
    var keyCounter = DeltaEncoder()
    var keyName: RunEncoder<NameWriting>
    var insert = BooleanEncoder()
    var action = RunEncoder(UnsignedWriting())
    var meta = RunEncoder(UnsignedWriting())
    var value = ByteWriter()
    var predecessorCount = RunEncoder(UnsignedWriting())
    var predecessorActor = RunEncoder(UnsignedWriting())
    var predecessorCounter = DeltaEncoder()
    var expand = BooleanEncoder()
    var markName: RunEncoder<NameWriting>

    /// Creates empty columns.
    ///
    /// - Parameter names: The table of keys and mark names that the encoded numbers refer to. It
    ///   must not change before ``finish(into:)``.
    init(names: borrowing NameTable) {
        keyName = RunEncoder(names.writing)
        markName = RunEncoder(names.writing)
    }

    /// Clears the columns but keeps their memory.
    mutating func reset(names: borrowing NameTable) {
        objectActor.reset()
        objectCounter.reset()
        keyActor.reset()
        keyCounter.reset()
        keyName.reset(names.writing)
        insert.reset()
        action.reset()
        meta.reset()
        value.removeAll()
        predecessorCount.reset()
        predecessorActor.reset()
        predecessorCounter.reset()
        expand.reset()
        markName.reset(names.writing)
    }

    /// Finishes the columns and adds them to `columns`, in the order in which a chunk stores them.
    mutating func finish(into columns: inout ColumnWriter) {
        columns.add(ColumnSpecification.objectActor, objectActor.finish())
        columns.add(ColumnSpecification.objectCounter, objectCounter.finish())
        columns.add(ColumnSpecification.keyActor, keyActor.finish())
        columns.add(ColumnSpecification.keyCounter, keyCounter.finish())
        columns.add(ColumnSpecification.keyName, keyName.finish())
        columns.add(ColumnSpecification.insert, insert.finish())
        columns.add(ColumnSpecification.action, action.finish())
        columns.add(ColumnSpecification.valueMeta, meta.finish())
        columns.add(ColumnSpecification.value, value.buffer)
        columns.add(ColumnSpecification.predecessorCount, predecessorCount.finish())
        columns.add(ColumnSpecification.predecessorActor, predecessorActor.finish())
        columns.add(ColumnSpecification.predecessorCounter, predecessorCounter.finish())
        // Like all other implementations, leave the column out if all its values are `false`.
        if !expand.isAllFalse {
            columns.add(ColumnSpecification.expand, expand.finish())
        }
        columns.add(ColumnSpecification.markName, markName.finish())
        columns.finish()
    }
}
