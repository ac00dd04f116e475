extension Engine {
    /// Reads chunks and applies their changes.
    ///
    /// - Parameter refundsFailures: Whether a failed chunk's cost is returned to the allowance. The
    ///   chunks of a file get no refunds, because reading a failed chunk takes time.
    /// - Throws: `FormatError` for the first chunk that can't be applied. The changes before it
    ///   remain applied. The failed chunk and all later chunks have no effect.
    mutating func apply(
        _ bytes: UnsafeBufferPointer<UInt8>, refundsFailures: Bool = false
    ) throws(FormatError) {
        commit()
        var reader = ByteReader(bytes)
        while !reader.isAtEnd {
            try apply(try Chunk.read(from: &reader), refundsFailures: refundsFailures)
        }
    }

    private mutating func apply(
        _ chunk: Chunk, refundsFailures: Bool
    ) throws(FormatError) {
        let earlier = (changes: graph.count + queue.count, allowance: allowance)
        allowance.earn(byteCount: chunk.byteCount)
        do throws(FormatError) {
            try allowance.spend(
                Allowance.Cost.inflatedByte, times: UInt64(chunk.inflatedByteCount))
            try take(chunk)
        } catch {
            if refundsFailures {
                allowance = earlier.allowance
            } else {
                allowance.withdrawEarnings(since: earlier.allowance)
            }
            throw error
        }
        // A chunk without new changes takes no memory, so it costs nothing, even if it arrives
        // often.
        if graph.count + queue.count == earlier.changes { allowance = earlier.allowance }
    }

    private mutating func take(_ chunk: Chunk) throws(FormatError) {
        try chunk.withContents { (contents) throws(FormatError) -> Void in
            switch chunk.kind {
            case .document: return try applyDocument(contents)
            case .change, .compressedChange: return try applyChange(contents, hash: chunk.hash)
            case .bundle: guard try applyBundle(contents) else { return }
            case nil: break
            }
            unknownChunks.keep(.init(type: chunk.type, hash: chunk.hash, contents: Array(contents)))
        }
    }

    private mutating func applyDocument(
        _ contents: UnsafeBufferPointer<UInt8>
    ) throws(FormatError) {
        let reader = try DocumentReader(contents, allowance: &allowance)
        var other = Engine(actor: actor, encoding: opSet.encoding)
        try reader.load(
            into: &other.opSet, graph: &other.graph, encoder: &other.encoder,
            allowance: &allowance)
        if graph.count == 0, queue.isEmpty {
            swap(&opSet, &other.opSet)
            swap(&graph, &other.graph)
            notifyObserver()
            return
        }
        // Reading has already charged the allowance for these changes.
        let rest = allowance
        allowance = .unlimited
        defer { allowance = rest }
        for change in 0..<UInt32(other.graph.count) {
            let hash = other.graph.hashes[change]
            if graph.index(of: hash) != nil { continue }
            try applyChange(other.contents(of: change), hash: hash)
        }
        keep(other.graph.unknownColumns)
    }

    /// Keeps values of columns from later versions of the format.
    mutating func keep(_ columns: UnknownColumns) {
        for actor in columns.actors { _ = opSet.actors.intern(actor) }
        graph.unknownColumns.keep(columns)
    }

    /// Returns the contents of a change's chunk, which are valid until the next call.
    mutating func contents(of change: UInt32) -> UnsafeBufferPointer<UInt8> {
        if let original = graph.originals[change] {
            return encoder.keep(original)
        }
        _ = encoder.encode(
            change, of: graph, in: opSet,
            others: graph.unknownColumns.operations[graph.hashes[change]])
        return encoder.contents.buffer
    }

    /// Applies a change, and then the changes that waited for it. A change with missing
    /// dependencies waits instead. A change that the document already has is ignored.
    mutating func applyChange(
        _ contents: UnsafeBufferPointer<UInt8>, hash: ChangeHash
    ) throws(FormatError) {
        var ready: [ChangeQueue.Waiting] = []
        try applyOne(contents, hash: hash, ready: &ready)
        while let next = ready.popLast() {
            try next.contents.withUnsafeBufferPointer { (bytes) throws(FormatError) in
                try applyOne(bytes, hash: next.hash, ready: &ready)
            }
        }
    }

    private mutating func applyOne(
        _ contents: UnsafeBufferPointer<UInt8>, hash: ChangeHash,
        ready: inout [ChangeQueue.Waiting]
    ) throws(FormatError) {
        if graph.index(of: hash) != nil { return }
        let change = try ChangeReader(
            contents, storage: ColumnStorage(), allowance: &allowance)
        var dependencies = OrderedIndices()
        var missing: Set<ChangeHash> = []
        for dependency in change.dependencies {
            if let index = graph.index(of: dependency) {
                dependencies.append(index)
            } else {
                missing.insert(dependency)
            }
        }
        guard missing.isEmpty else {
            queue.add(
                ChangeQueue.Waiting(hash: hash, contents: Array(contents)), missing: missing)
            return
        }
        try integrate(change, dependencies: dependencies.all, contents: contents, hash: hash)
        if !queue.isEmpty { ready += queue.take(waitingFor: hash) }
    }

    private mutating func integrate(
        _ change: ChangeReader, dependencies: [UInt32],
        contents: UnsafeBufferPointer<UInt8>, hash: ChangeHash
    ) throws(FormatError) {
        let actors = opSet.actors.intern([change.actor] + change.otherActors)
        let author = Int(actors[0])
        let number = UInt64(opSet.actors.entries[author].changes.count) + 1
        guard change.sequence >= number else {
            throw FormatError(
                .duplicateChange,
                "two different changes of one actor have the number \(change.sequence)")
        }
        guard change.sequence == number else {
            throw FormatError(
                .badReference, "a change arrived without the previous change of its actor")
        }
        guard change.startCounter > opSet.actors.entries[author].maxCounter else {
            throw FormatError(.badNumber, "a change uses counters that its actor has used before")
        }
        let message = try graph.keep(message: change.message)
        let first = opSet.operations.count
        let count = try opSet.apply(change, actors: actors, allowance: &allowance)
        let index = UInt32(graph.count)
        let record = ChangeGraph.Record(
            actor: actors[0], operationCount: UInt32(count), sequence: change.sequence,
            startCounter: change.startCounter, time: change.time, firstRow: UInt32(first),
            message: message, extra: graph.keep(extra: Array(change.extra)))
        opSet.actors.addChange(
            index, of: actors[0], counter: change.startCounter, row: UInt32(first),
            count: UInt32(count))
        graph.append(record, dependsOn: dependencies, hash: hash)
        notifyObserver()
        let others = change.hasUnknownColumns ? unknownColumns(of: change, in: record) : nil
        guard !change.hasUnknownColumns || others != nil, canBeListed(record),
            encoder.encode(index, of: graph, in: opSet, others: others) == hash
        else {
            graph.keep(original: Array(contents), of: index)
            return
        }
        if let others { graph.unknownColumns.keep(others, of: hash) }
    }

    /// Returns whether a document chunk can represent a change's operations. A document chunk
    /// stores a deletion only as a successor of other operations, without further data.
    private func canBeListed(_ record: ChangeGraph.Record) -> Bool {
        for row in record.firstRow..<record.firstRow + record.operationCount {
            let operation = opSet.operations[row]
            guard operation.action == Action.delete else { continue }
            if operation.predecessors == none || operation.meta != 0
                || operation.flags & Operation.expandFlag != 0 || opSet.markNames[row] != nil
            {
                return false
            }
        }
        return true
    }

    /// Returns the values of a change's unknown operation columns; `nil` if a document chunk can't
    /// represent them, because they belong to deletions or to groups that documents don't have.
    private func unknownColumns(
        of change: ChangeReader, in record: ChangeGraph.Record
    ) -> UnknownColumns.Operations? {
        do throws(FormatError) {
            var reader = try UnknownColumnReader(
                change.columns, besides: ChangeReader.knownColumns,
                actors: [change.actor] + change.otherActors,
                limit: Limits.unknownValues(chunk: change.byteCount))
            guard !reader.hasColumns(of: UnknownColumns.reserved) else { return nil }
            var result: UnknownColumns.Operations = [:]
            for place in 0..<record.operationCount {
                guard let row = try reader.next() else { continue }
                guard opSet.operations[record.firstRow + place].action != Action.delete else {
                    return nil
                }
                result[Int(place)] = row
            }
            try reader.finish()
            return result
        } catch {
            return nil
        }
    }

    /// Applies the changes that another document has and this document lacks. Finds these changes
    /// by walking back from the other document's heads.
    mutating func merge(_ other: inout Engine) throws(FormatError) {
        commit()
        other.commit()
        var missing: Set<UInt32> = []
        var waiting = other.graph.heads
        while let change = waiting.popLast() {
            guard !missing.contains(change), graph.index(of: other.graph.hashes[change]) == nil
            else { continue }
            missing.insert(change)
            for number in 0..<Int(other.graph.records[change].dependencyCount) {
                waiting.append(other.graph.dependency(number, of: change))
            }
        }
        let rest = allowance
        allowance = .unlimited
        defer { allowance = rest }
        // In the other document's order, each change follows its dependencies.
        for change in missing.sorted() {
            try applyChange(other.contents(of: change), hash: other.graph.hashes[change])
        }
        for chunk in other.unknownChunks.all { unknownChunks.keep(chunk) }
        keep(other.graph.unknownColumns)
    }
}

/// A change's dependencies, without duplicates.
private struct OrderedIndices {
    private(set) var all: [UInt32] = []
    private var known: Set<UInt32> = []

    mutating func append(_ index: UInt32) {
        // Nearly all changes have one or two dependencies.
        if all.count < 8 {
            if !all.contains(index) { all.append(index) }
            return
        }
        if known.isEmpty { known.formUnion(all) }
        if known.insert(index).inserted { all.append(index) }
    }
}
