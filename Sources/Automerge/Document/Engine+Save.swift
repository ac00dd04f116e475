import Foundation

extension Engine {
    mutating func apply(_ data: Data) throws(FormatError) {
        let result = data.withUnsafeBytes { raw in
            raw.withMemoryRebound(to: UInt8.self) { bytes in
                Result { () throws(FormatError) in try apply(bytes) }
            }
        }
        try result.get()
    }

    /// Returns the whole document: one document chunk, followed by waiting changes and unknown
    /// chunks.
    mutating func save() -> Data {
        commit()
        encodedCount = graph.count
        guard graph.originals.isEmpty, graph.count > 0 else {
            // A document chunk might not be able to represent changes with unknown parts.
            return encodeChanges(notIn: [], withRest: true)
        }
        var chunk = DocumentWriter.write(graph, &opSet)
        if !isWithinAllowance(chunk.count) {
            // If the columns are very small when compressed, a reader's limits would be too low for
            // the uncompressed columns. In that case, don't compress them.
            chunk = DocumentWriter.write(graph, &opSet, threshold: .max)
            guard isWithinAllowance(chunk.count) else {
                return encodeChanges(notIn: [], withRest: true)
            }
        }
        if queue.isEmpty, unknownChunks.isEmpty { return Data(chunk.buffer) }
        var out = ByteWriter()
        out.bytes(chunk.buffer)
        appendRest(to: &out)
        return Data(out.buffer)
    }

    /// Returns whether a reader's allowance suffices to load the document from this number of
    /// bytes.
    private func isWithinAllowance(_ byteCount: Int) -> Bool {
        let available = Allowance.base / 8 * 7 + byteCount * Allowance.perByte
        // This coarse comparison nearly always gives the answer.
        if opSet.operations.count * 1_024 + graph.count * 1_024 <= available { return true }
        typealias Cost = Allowance.Cost
        var cost =
            graph.count * Cost.change + graph.dependencies.count * Cost.dependency
            + opSet.objects.count * Cost.object
            + (opSet.heap.count + opSet.operations.count * 8) * Cost.inflatedByte
        for row in 0..<opSet.operations.count {
            let operation = opSet.operations[row]
            cost += opSet.links.count(operation.successors) * (Cost.link + Cost.insertion)
            if operation.action == Action.delete { continue }
            cost += operation.isInsert ? Cost.insertion : Cost.operation
        }
        return cost <= available
    }

    mutating func encodeNewChanges() -> Data {
        commit()
        let first = encodedCount
        encodedCount = graph.count
        var out = ByteWriter()
        for change in first..<graph.count { append(UInt32(change), to: &out) }
        return Data(out.buffer)
    }

    mutating func encodeChanges(since heads: Set<ChangeHash>) throws(FormatError) -> Data {
        commit()
        return encodeChanges(notIn: try graph.indices(of: heads))
    }

    /// Encodes all changes except the given ones and their ancestors.
    mutating func encodeChanges(notIn starts: [UInt32], withRest: Bool = false) -> Data {
        var out = ByteWriter()
        let isKnown = graph.ancestors(of: starts)
        for change in 0..<graph.count where !isKnown[change] { append(UInt32(change), to: &out) }
        if withRest { appendRest(to: &out) }
        return Data(out.buffer)
    }

    /// Appends waiting changes and unknown chunks, which aren't part of the current document.
    private func appendRest(to out: inout ByteWriter) {
        for waiting in queue.waiting {
            waiting.contents.withUnsafeBufferPointer {
                Chunk.write(.change, hash: waiting.hash, contents: $0, to: &out)
            }
        }
        for chunk in unknownChunks.all {
            chunk.contents.withUnsafeBufferPointer {
                Chunk.write(type: chunk.type, hash: chunk.hash, contents: $0, to: &out)
            }
        }
    }

    /// Appends a change's chunk, compressed if it is long.
    mutating func append(_ change: UInt32, to out: inout ByteWriter) {
        let contents = contents(of: change)
        let hash = graph.hashes[change]
        guard contents.count > Chunk.compressionThreshold else {
            Chunk.write(.change, hash: hash, contents: contents, to: &out)
            return
        }
        var compressed = ByteWriter()
        Deflate.deflate(contents, into: &compressed)
        // As in `save()`, changes aren't compressed if the limits of a reader would be too low for
        // the compressed form.
        let operations = Int(graph.records[change].operationCount)
        guard
            operations < 10_000
                || operations * Allowance.Cost.insertion <= compressed.count * Allowance.perByte
        else {
            Chunk.write(.change, hash: hash, contents: contents, to: &out)
            return
        }
        Chunk.write(.compressedChange, hash: hash, contents: compressed.buffer, to: &out)
    }

    /// Returns a change in its public form, uncompressed.
    mutating func change(_ index: UInt32) -> Change {
        var out = ByteWriter()
        let contents = contents(of: index)
        Chunk.write(.change, hash: graph.hashes[index], contents: contents, to: &out)
        let record = graph.records[index]
        return Change(
            actorId: ActorId(bytes: opSet.actors.bytes(record.actor)),
            message: graph.message(of: index), deps: graph.dependencyHashes(of: index),
            timestamp: Date(timeIntervalSince1970: Double(record.time)),
            bytes: Data(out.buffer), hash: graph.hashes[index])
    }

    /// Returns the document's state at `heads`.
    mutating func fork(at heads: Set<ChangeHash>) throws(FormatError) -> Engine {
        commit()
        let isKept = graph.ancestors(of: try graph.indices(of: heads))
        var result = Engine(encoding: opSet.encoding)
        result.allowance = .unlimited
        for change in 0..<UInt32(graph.count) where isKept[Int(change)] {
            try result.applyChange(contents(of: change), hash: graph.hashes[change])
        }
        let kept = graph.unknownColumns.of { hash in result.graph.index(of: hash) != nil }
        result.keep(kept)
        result.allowance = allowance
        return result
    }
}

extension Chunk {
    /// A change is compressed if its contents have more bytes than this threshold.
    static let compressionThreshold = 256
}
