/// A writer of the document chunk of all changes. Its bytes are the same as those of the reference
/// implementation.
struct DocumentWriter: ~Copyable {
    /// The number of bytes from which a column is compressed.
    static let threshold = 256

    /// The number of each document actor within the chunk. The chunk lists the actors that made
    /// changes or that unknown columns name.
    private var localActors = PackedArray<UInt32>()

    /// Encodes all changes and operations as one chunk.
    static func write(
        _ graph: borrowing ChangeGraph, _ set: inout OpSet, threshold: Int = Self.threshold
    ) -> ByteWriter {
        var writer = DocumentWriter()
        return writer.encode(graph, &set, threshold: threshold)
    }

    private init() {}

    private mutating func encode(
        _ graph: borrowing ChangeGraph, _ set: inout OpSet, threshold: Int
    ) -> ByteWriter {
        var contents = ByteWriter()
        let named = graph.unknownColumns.actors
        let authors = set.actors.entries.indices
            .filter {
                !set.actors.entries[$0].changes.isEmpty
                    || named.contains(set.actors.entries[$0].bytes)
            }
            .sorted { set.actors.ranks[$0] < set.actors.ranks[$1] }
        localActors.append(repeating: none, count: set.actors.count)
        contents.unsigned(authors.count)
        for (index, actor) in authors.enumerated() {
            localActors[actor] = UInt32(index)
            contents.prefixed(set.actors.bytes(UInt32(actor)))
        }
        contents.unsigned(graph.heads.count)
        for head in graph.heads { graph.hashes[head].write(to: &contents) }
        var changeColumns = ColumnWriter()
        var operationColumns = ColumnWriter()
        let unknown = ColumnStorage()
        withExtendedLifetime(unknown) {
            encodeChanges(
                graph, set.actors, unknown: unknown, into: &changeColumns, threshold: threshold)
            encodeOperations(
                &set, graph, unknown: unknown, into: &operationColumns, threshold: threshold)
        }
        changeColumns.writeLayout(to: &contents)
        operationColumns.writeLayout(to: &contents)
        contents.bytes(changeColumns.data.buffer)
        contents.bytes(operationColumns.data.buffer)
        for head in graph.heads { contents.unsigned(UInt64(head)) }
        var chunk = ByteWriter()
        let hash = Chunk.hash(type: Chunk.Kind.document.rawValue, contents: contents.buffer)
        Chunk.write(.document, hash: hash, contents: contents.buffer, to: &chunk)
        return chunk
    }

    private func encodeChanges(
        _ graph: borrowing ChangeGraph, _ actors: borrowing ActorTable, unknown: ColumnStorage,
        into columns: inout ColumnWriter, threshold: Int
    ) {
        var actor = RunEncoder(UnsignedWriting())
        var sequence = DeltaEncoder()
        var maxCounter = DeltaEncoder()
        var time = DeltaEncoder()
        var message = RunEncoder(graph.messages.writing)
        var count = RunEncoder(UnsignedWriting())
        var dependency = DeltaEncoder()
        var extraMeta = RunEncoder(UnsignedWriting())
        var extra = ByteWriter()
        for change in 0..<UInt32(graph.count) {
            let record = graph.records[change]
            actor.append(UInt64(localActors[record.actor]))
            sequence.append(record.sequence)
            maxCounter.append(record.maxCounter)
            time.append(UInt64(bitPattern: record.time))
            message.append(record.message == none ? nil : UInt64(record.message))
            count.append(UInt64(record.dependencyCount))
            for number in 0..<Int(record.dependencyCount) {
                dependency.append(UInt64(graph.dependency(number, of: change)))
            }
            let trailing = graph.extra(of: change)
            extraMeta.append(UInt64(trailing.count) << 4 | UInt64(ValueType.bytes))
            extra.bytes(trailing)
        }
        var all = [
            (ColumnSpecification.actor, actor.finish()),
            (ColumnSpecification.sequence, sequence.finish()),
            (ColumnSpecification.maxCounter, maxCounter.finish()),
            (ColumnSpecification.time, time.finish()),
            (ColumnSpecification.message, message.finish()),
            (ColumnSpecification.dependencyCount, count.finish()),
            (ColumnSpecification.dependency, dependency.finish()),
            (ColumnSpecification.extraMeta, extraMeta.finish()),
            (ColumnSpecification.extra, extra.buffer),
        ]
        let rows = graph.unknownColumns.changes
        if !rows.isEmpty {
            let places = places(actors)
            var counts: [Int] = []
            var ordered: [UnknownColumns.Row?] = []
            for change in 0..<graph.count {
                counts.append(Int(graph.records[change].dependencyCount))
                ordered.append(rows[graph.hashes[change]])
            }
            let dependencies = ColumnSpecification.identifier(
                of: ColumnSpecification.dependencyCount)
            all += UnknownColumns.columns(
                of: ordered, known: (dependencies, counts), actor: { places[$0] }, in: unknown)
            all.sort { $0.0 < $1.0 }
        }
        columns.add(all, threshold: threshold)
    }

    /// Returns the position of each actor in the chunk's list, by the actor's bytes.
    private func places(_ actors: borrowing ActorTable) -> [[UInt8]: UInt64] {
        var places: [[UInt8]: UInt64] = [:]
        for index in 0..<actors.count where localActors[index] != none {
            places[actors.bytes(UInt32(index))] = UInt64(localActors[index])
        }
        return places
    }

    /// Returns the unknown operation columns. `order` contains all rows in document order.
    private func unknownColumns(
        _ graph: borrowing ChangeGraph, _ actors: borrowing ActorTable, order: [UInt32],
        in storage: ColumnStorage
    ) -> [UnknownColumns.Column] {
        var rows: [UInt32: UnknownColumns.Row] = [:]
        for (hash, operations) in graph.unknownColumns.operations {
            guard let change = graph.index(of: hash) else { continue }
            let first = graph.records[change].firstRow
            for (place, row) in operations { rows[first + UInt32(place)] = row }
        }
        let places = places(actors)
        return UnknownColumns.columns(
            of: order.map { rows[$0] }, actor: { places[$0] }, in: storage)
    }

    private func encodeOperations(
        _ set: inout OpSet, _ graph: borrowing ChangeGraph, unknown: ColumnStorage,
        into columns: inout ColumnWriter, threshold: Int
    ) {
        // Sort the maps before encoders point at names, because sorting may move the names.
        var order: [UInt32] = []
        for object in 0..<UInt32(set.objects.count) {
            order.append(object)
            if set.objects[object].isMap { _ = set.sortedNames(of: object) }
        }
        order[1...].sort { set.precedes(set.objects[$0].maker, set.objects[$1].maker) }
        var encoder = DocumentOperationEncoder(names: set.names)
        for object in order {
            let isMap = set.objects[object].isMap
            let maker = set.objects[object].maker
            encoder.enter(
                isMap: isMap, maker: maker == none ? nil : set.operations[maker],
                actors: localActors)
            if isMap {
                set.forEachRow(ofMap: object) { row in
                    encoder.append(row, of: set, actors: localActors)
                }
                continue
            }
            var leaf = set.objects[object].root.first
            while leaf != none {
                let count = Int(set.elements.leaves[leaf].count)
                if count > 0,
                    encoder.appendPlain(
                        set.elements.rows.base + Int(leaf) * ElementStore.leafSize, count: count,
                        of: set, actors: localActors)
                {
                    leaf = set.elements.leaves[leaf].next
                    continue
                }
                set.forEachRow(inLeaf: leaf) { row in
                    encoder.append(row, of: set, actors: localActors)
                }
                leaf = set.elements.leaves[leaf].next
            }
        }
        var others: [UnknownColumns.Column] = []
        if !graph.unknownColumns.operations.isEmpty {
            let rows = set.rows(of: order)
            others = unknownColumns(graph, set.actors, order: rows, in: unknown)
        }
        encoder.finish(into: &columns, others: others, threshold: threshold)
    }
}

extension OpSet {
    /// Returns the rows of the objects, in document order.
    func rows(of objects: [UInt32]) -> [UInt32] {
        var rows: [UInt32] = []
        for object in objects {
            if self.objects[object].isMap {
                forEachRow(ofMap: object) { rows.append($0) }
                continue
            }
            var leaf = self.objects[object].root.first
            while leaf != none {
                forEachRow(inLeaf: leaf) { rows.append($0) }
                leaf = elements.leaves[leaf].next
            }
        }
        return rows
    }

    /// Calls `body` with the operations of a map, key by key. The operations of each key come
    /// oldest first.
    @inline(__always)
    func forEachRow(ofMap object: UInt32, _ body: (UInt32) -> Void) {
        for name in mapKeys[Int(objects[object].keys)].names {
            guard let slot = slot(object: object, name: name) else { continue }
            for row in chainRows(of: slot) { body(row) }
        }
    }

    /// Calls `body` with the elements of a leaf, each followed by the later operations on it.
    @inline(__always)
    func forEachRow(inLeaf leaf: UInt32, _ body: (UInt32) -> Void) {
        for index in 0..<Int(elements.leaves[leaf].count) {
            let row = elements.row(leaf, index)
            body(row)
            let slot = operations[row].slot
            if slot != none {
                for later in chainRows(of: slot) { body(later) }
            }
        }
    }

    /// Returns the rows of a slot's chain, from the oldest to the newest.
    func chainRows(of slot: UInt32) -> ContiguousArray<UInt32> {
        var rows = ContiguousArray<UInt32>()
        var row = slots[slot].newest
        while row != none {
            rows.append(row)
            row = operations[row].place
        }
        rows.reverse()
        return rows
    }
}
