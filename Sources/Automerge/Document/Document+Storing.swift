package import Foundation

/// Methods for a store that saves a document while it is edited concurrently. Each method works on
/// one consistent state.
extension Document {
    /// Calls `body` once, on the next edit or the next applied change.
    ///
    /// The document is locked during the call. `body` must neither use the document nor wait for a
    /// thread that uses it.
    package func onNextChange(_ body: (@Sendable () -> Void)?) {
        withEngine { $0.observer = body }
    }

    /// The changes that a store doesn't have yet, with the heads of the document.
    package struct Unstored: Sendable {
        package let heads: Set<ChangeHash>
        /// The encoded changes; empty if everything is stored.
        package let encoded: Data
        /// The document's actor, if the document has changes by this actor.
        package let author: ActorId?
    }

    /// Commits the pending transaction and returns the changes that aren't part of the document at
    /// `heads`.
    ///
    /// - Throws: `DocError` with code `.unknownChange` if one of the heads is missing in the
    ///   document.
    /// - Complexity: O(*n*) in the number of all changes and in the number of operations of the
    ///   encoded changes.
    package func unstored(since heads: Set<ChangeHash>) throws -> Unstored {
        try withEngine { (engine) throws(FormatError) in
            engine.commit()
            let now = Set(engine.graph.headHashes)
            if now == heads { return Unstored(heads: now, encoded: Data(), author: nil) }
            return Unstored(
                heads: now, encoded: try engine.encodeChanges(since: heads),
                author: engine.author)
        }
    }

    /// Returns the whole document, including waiting changes, and its heads.
    ///
    /// Unlike ``save()``, this method also returns bytes for an empty document, and doesn't affect
    /// the next result of ``encodeNewChanges()``.
    package func stored() -> Unstored {
        withEngine { engine in
            let count = engine.encodedCount
            var data = engine.save()
            engine.encodedCount = count
            if data.isEmpty { data = Self.empty }
            return Unstored(
                heads: Set(engine.graph.headHashes), encoded: data, author: engine.author)
        }
    }

    /// A document chunk without actors, heads and columns.
    private static var empty: Data {
        var out = ByteWriter()
        [UInt8](repeating: 0, count: 4).withUnsafeBufferPointer {
            Chunk.write(.document, hash: Chunk.hash(type: 0, contents: $0), contents: $0, to: &out)
        }
        return Data(out.buffer)
    }

    /// The result of applying stored bytes.
    package struct TakenIn: Sendable {
        /// The heads among the changes that were added to the document.
        package let heads: Set<ChangeHash>
        /// The changes that were read from the bytes and wait for missing dependencies.
        package let waiting: Set<ChangeHash>
        /// The number of changes that the document gained.
        package let count: Int
        /// Descriptions of the damage found in the bytes. Undamaged changes were applied.
        package let problems: [String]
    }

    /// Applies stored bytes, skipping damaged chunks, without notifying the observer of
    /// ``onNextChange(_:)``.
    ///
    /// - Parameter stored: Waiting changes that are also in the store. If they are applied now,
    ///   ``TakenIn/heads`` can contain them, because they exist outside this document, too.
    /// - Complexity: The complexity of applying the bytes. Damaged bytes are read twice.
    package func takeIn(_ data: Data, stored: Set<ChangeHash> = []) -> TakenIn {
        withEngine { engine in
            engine.commit()
            let observer = engine.observer
            engine.observer = nil
            defer { engine.observer = observer }
            let first = engine.graph.count
            // Changes that waited before this call may exist only in this document.
            let waiting = engine.queue.hashes
            var problems: [String] = []
            do throws(FormatError) {
                try engine.apply(data)
            } catch {
                let survey = ChunkSurvey(data, into: &engine)
                problems = survey.chunks.compactMap { $0.problem?.message }
                if problems.isEmpty { problems = [error.message] }
            }
            return TakenIn(
                heads: engine.heads(from: first, without: waiting.subtracting(stored)),
                waiting: engine.queue.hashes.subtracting(waiting),
                count: engine.graph.count - first, problems: problems)
        }
    }

    /// Commits a change without operations, so that the document has a head.
    package func commitEmpty(message: String?, timestamp: Date) {
        let seconds = Int64(exactly: timestamp.timeIntervalSince1970.rounded(.down)) ?? 0
        withEngine { _ = try? $0.commitEmpty(message: message, time: seconds) }
    }
}

extension Engine {
    /// Returns the heads of a part of the history: the changes from number `first` on, except the
    /// changes in `left`.
    fileprivate func heads(from first: Int, without left: Set<ChangeHash>) -> Set<ChangeHash> {
        var heads: Set<ChangeHash> = []
        for change in first..<graph.count where !left.contains(graph.hashes[change]) {
            for number in 0..<Int(graph.records[change].dependencyCount) {
                heads.remove(graph.hashes[Int(graph.dependency(number, of: UInt32(change)))])
            }
            heads.insert(graph.hashes[change])
        }
        return heads
    }

    /// The actor, if it has made changes.
    fileprivate var author: ActorId? {
        guard let index = opSet.actors.find(actor.bytes),
            !opSet.actors.entries[Int(index)].changes.isEmpty
        else { return nil }
        return actor
    }
}
