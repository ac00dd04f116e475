/// A reader that loads a document chunk into an empty op set.
///
///     actors | heads | numbers and lengths of change columns, of operation columns
///     | change columns | operation columns | indices of the heads
///
/// Operations are in document order, each with its successors. Deletions exist only as successors.
/// Rows are numbered by change. The reader therefore first reads the counters to find the first row
/// of each change, and then writes everything else directly to its row.
struct DocumentReader {
    /// A change as the change columns describe it. Its first row is known after all operations have
    /// been counted.
    private struct ChangeRange: BitwiseCopyable {
        var actor: UInt32
        var minCounter: UInt64
        var maxCounter: UInt64
        var firstRow = 0
        /// The actor's previous change, or `none` for the first.
        var previous: UInt32
    }

    private let heads: [ChangeHash]
    private let actors: [[UInt8]]
    private let changes: ColumnLayout
    private let operations: ColumnLayout
    private let storage = ColumnStorage()
    private let byteCount: Int

    private static let knownChangeColumns: Set<UInt32> = [
        ColumnSpecification.actor, ColumnSpecification.sequence, ColumnSpecification.maxCounter,
        ColumnSpecification.time, ColumnSpecification.message,
        ColumnSpecification.dependencyCount, ColumnSpecification.dependency,
        ColumnSpecification.extraMeta, ColumnSpecification.extra,
    ]

    /// Reads the layout and inflates the columns.
    init(
        _ contents: UnsafeBufferPointer<UInt8>, allowance: inout Allowance
    ) throws(FormatError) {
        byteCount = contents.count
        var reader = ByteReader(contents)
        actors = try reader.actors(allowance: &allowance)
        heads = try reader.hashes()
        guard Set(actors).count == actors.count else {
            throw FormatError(.badColumn, "an actor is listed twice")
        }
        let changeLayout = try ColumnLayout.read(from: &reader)
        let operationLayout = try ColumnLayout.read(from: &reader)
        var budget = Limits.inflated(from: contents.count)
        changes = try ColumnLayout(
            changeLayout, from: &reader, storage: storage, budget: &budget)
        operations = try ColumnLayout(
            operationLayout, from: &reader, storage: storage, budget: &budget)
        try allowance.spend(
            Allowance.Cost.inflatedByte,
            times: UInt64(Limits.inflated(from: contents.count) - budget))
        // The columns may be followed by the index of each head, which older writers leave out.
        if !reader.isAtEnd {
            for _ in heads { _ = try reader.strictUnsigned() }
        }
    }

    /// Loads all operations, rebuilds each change, and verifies that the changes' hashes lead to
    /// the heads of the chunk.
    func load(
        into set: inout OpSet, graph: inout ChangeGraph, encoder: inout ChangeEncoder,
        allowance: inout Allowance
    ) throws(FormatError) {
        let actorIndices = set.actors.intern(actors)
        var ranges = PackedArray<ChangeRange>()
        var records: [ChangeGraph.Record] = []
        var dependencies: [UInt32] = []
        let unknown = try readChanges(
            actors: actorIndices, ranges: &ranges, records: &records, dependencies: &dependencies,
            graph: &graph, allowance: &allowance)
        var loader = OperationLoader(actors: actorIndices, columns: operations)
        let total = try findRows(&loader, ranges: &ranges, allowance: &allowance)
        var offset = 0
        graph.reserve(records.count)
        for change in records.indices {
            let range = ranges[change]
            let count = Int(range.maxCounter + 1 - range.minCounter)
            records[change].startCounter = range.minCounter
            records[change].operationCount = UInt32(count)
            records[change].firstRow = UInt32(range.firstRow)
            let end = offset + Int(records[change].dependencyCount)
            graph.append(records[change], dependsOn: dependencies[offset..<end])
            offset = end
            set.actors.addChange(
                UInt32(change), of: range.actor, counter: range.minCounter,
                row: UInt32(range.firstRow), count: UInt32(count))
        }
        try loader.load(rows: total, into: &set, allowance: &allowance)
        let others = try readUnknownColumns(of: loader, in: set, records: records)
        for change in 0..<UInt32(graph.count) {
            graph.appendHash(encoder.encode(change, of: graph, in: set, others: others[change]))
        }
        graph.finishLoading()
        guard graph.headHashes == heads.sorted() else {
            throw FormatError(.badHash, "the heads of a document don't match its changes")
        }
        for (change, row) in unknown {
            graph.unknownColumns.keep(row, of: graph.hashes[change])
        }
        for (change, operations) in others {
            graph.unknownColumns.keep(operations, of: graph.hashes[change])
        }
    }

    /// Reads the change columns.
    ///
    /// - Returns: The values of unknown columns, by change.
    private func readChanges(
        actors indices: [UInt32], ranges: inout PackedArray<ChangeRange>,
        records: inout [ChangeGraph.Record], dependencies: inout [UInt32],
        graph: inout ChangeGraph, allowance: inout Allowance
    ) throws(FormatError) -> [(change: Int, row: UnknownColumns.Row)] {
        var unknown = try UnknownColumnReader(
            changes, besides: Self.knownChangeColumns, actors: actors,
            limit: Limits.unknownValues(chunk: byteCount))
        var rows: [(change: Int, row: UnknownColumns.Row)] = []
        var actor = RunDecoder<UnsignedReading>(changes[ColumnSpecification.actor])
        var sequence = DeltaDecoder(changes[ColumnSpecification.sequence])
        var maxCounter = DeltaDecoder(changes[ColumnSpecification.maxCounter])
        var time = DeltaDecoder(changes[ColumnSpecification.time])
        var message = RunDecoder<BytesReading>(changes[ColumnSpecification.message])
        var count = RunDecoder<UnsignedReading>(changes[ColumnSpecification.dependencyCount])
        var dependency = DeltaDecoder(changes[ColumnSpecification.dependency])
        var extraMeta = RunDecoder<UnsignedReading>(changes[ColumnSpecification.extraMeta])
        var extra = ByteReader(changes[ColumnSpecification.extra])
        var last = [UInt32](repeating: none, count: indices.count)
        while !actor.isDone {
            let change = records.count
            try allowance.spend(Allowance.Cost.change)
            guard let author = try actor.next(), author < UInt64(indices.count) else {
                throw FormatError(.badReference, "a change names an actor that is not listed")
            }
            let previous = last[Int(author)]
            let earlier = previous == none ? 0 : records[Int(previous)].sequence
            let number = try sequence.nextCount()
            guard number == earlier + 1 else {
                throw FormatError(.badColumn, "the changes of an actor are not numbered in order")
            }
            guard let highest = try maxCounter.nextCount(), highest < 1 << 62,
                previous == none || highest >= ranges[previous].maxCounter
            else {
                throw FormatError(
                    .badColumn, "a change's highest counter is missing or out of range")
            }
            var record = ChangeGraph.Record(
                actor: indices[Int(author)], operationCount: 0, sequence: earlier + 1,
                startCounter: 0, time: try time.next() ?? 0, firstRow: 0)
            if let text = try message.next() {
                guard UTF8Check.isValid(text) else {
                    throw FormatError(.badValue, "the message of a change is not UTF-8")
                }
                record.message = try graph.keep(message: text)
            }
            let needed = try count.next() ?? 0
            guard needed <= UInt64(change) else {
                throw FormatError(.badColumn, "a change has too many dependencies")
            }
            try allowance.spend(Allowance.Cost.dependency, times: needed)
            record.dependencyCount = UInt32(needed)
            for _ in 0..<needed {
                guard let index = try dependency.nextCount(), index < UInt64(change) else {
                    throw FormatError(.badColumn, "a change depends on a change that follows it")
                }
                dependencies.append(UInt32(index))
            }
            let meta = try extraMeta.next() ?? 0
            guard meta >> 4 <= UInt64(extra.remaining) else { throw .truncated }
            record.extra = graph.keep(extra: Array(try extra.bytes(Int(meta >> 4))))
            if !unknown.isEmpty,
                let row = try unknown.next(groups: [Self.dependencies: Int(needed)])
            {
                rows.append((change, row))
            }
            records.append(record)
            ranges.append(
                ChangeRange(
                    actor: record.actor, minCounter: highest + 1, maxCounter: highest,
                    previous: previous))
            last[Int(author)] = UInt32(change)
        }
        try unknown.finish()
        return rows
    }

    private static let dependencies = ColumnSpecification.identifier(
        of: ColumnSpecification.dependencyCount)

    /// Reads the values of unknown operation columns, by change.
    ///
    /// The hashes of the heads verify these values, because the chunk of a change encodes them,
    /// too. Columns in the groups of identifiers, predecessors and successors can't be converted,
    /// because each group exists only in documents or only in changes.
    private func readUnknownColumns(
        of loader: borrowing OperationLoader, in set: borrowing OpSet,
        records: [ChangeGraph.Record]
    ) throws(FormatError) -> [UInt32: UnknownColumns.Operations] {
        guard operations.hasOthers(than: OperationLoader.knownColumns) else { return [:] }
        var reader = try UnknownColumnReader(
            operations, besides: OperationLoader.knownColumns, actors: actors,
            limit: Limits.unknownValues(chunk: byteCount))
        guard !reader.hasColumns(of: UnknownColumns.reserved) else {
            throw FormatError(
                .badColumn,
                "a document has unknown columns of identifiers, predecessors or successors")
        }
        var result: [UInt32: UnknownColumns.Operations] = [:]
        for place in 0..<loader.count {
            guard let found = try reader.next(), let row = loader.row(place, in: set) else {
                continue
            }
            // The last change that starts at or before the row.
            let change = records.indices.firstPosition { records[$0].firstRow > row } - 1
            let first = records[change].firstRow
            result[UInt32(change), default: [:]][Int(row - first)] = found
        }
        try reader.finish()
        return result
    }

    /// Reads the identifiers and assigns each change its range of rows.
    ///
    /// - Returns: The number of rows.
    private func findRows(
        _ loader: inout OperationLoader, ranges: inout PackedArray<ChangeRange>,
        allowance: inout Allowance
    ) throws(FormatError) -> Int {
        var byActor = [[UInt32]](repeating: [], count: Int(loader.actorCount))
        for change in 0..<UInt32(ranges.count) {
            byActor[Int(ranges[change].actor)].append(change)
        }
        var lastChange: UInt32 = none
        try loader.readIdentifiers(allowance: &allowance) { (actor, counter) throws(FormatError) in
            if lastChange != none {
                let range = ranges[lastChange]
                if range.actor == actor, counter <= range.maxCounter,
                    range.previous == none || counter > ranges[range.previous].maxCounter
                {
                    if counter < range.minCounter { ranges[lastChange].minCounter = counter }
                    return
                }
            }
            // The operation belongs to the actor's first change whose highest counter is at least
            // this counter.
            let list = byActor[Int(actor)]
            var low = 0
            var high = list.count
            while low < high {
                let middle = (low + high) / 2
                if ranges[list[middle]].maxCounter < counter {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            guard low < list.count else {
                throw FormatError(.badReference, "an operation belongs to no change")
            }
            lastChange = list[low]
            if counter < ranges[lastChange].minCounter { ranges[lastChange].minCounter = counter }
        }
        var total = 0
        for change in 0..<ranges.count {
            ranges[change].firstRow = total
            let range = ranges[change]
            let count = range.maxCounter + 1 - range.minCounter
            guard count <= UInt64(loader.identifierCount - total) else {
                throw FormatError(.badColumn, "operations of a change are missing")
            }
            guard range.minCounter > 0 else {
                throw FormatError(.badNumber, "an operation has the counter 0")
            }
            total += Int(count)
        }
        return total
    }
}
