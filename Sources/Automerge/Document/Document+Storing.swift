package import Foundation

/// What a store needs of a document that others edit while it is stored: each of these is one look
/// at one state.
extension Document {
    /// Calls `body` once, on the next edit or the next applied change.
    ///
    /// It is called in the middle of that, while the document is locked: it must not use the
    /// document, and must not wait for anybody who does.
    package func onNextChange(_ body: (@Sendable () -> Void)?) {
        withEngine { $0.observer = body }
    }

    /// The changes that a store does not have yet, and the heads of the document with them.
    package struct Unstored: Sendable {
        package let heads: Set<ChangeHash>
        /// Empty where everything is stored.
        package let encoded: Data
        /// As whom the document is edited, where it has changes of it.
        package let author: ActorId?
    }

    /// The changes that those at `heads` do not depend on. The transaction under way ends.
    ///
    /// - Throws: `DocError` with code `.unknownChange` for a head that the document does not have.
    /// - Complexity: O(*n*) in the number of changes, and in the operations of those encoded.
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

    /// The whole document with the changes that wait, and its heads.
    ///
    /// Other than ``save()`` it gives bytes for an empty document too, and does not touch what
    /// ``encodeNewChanges()`` gives next.
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

    /// A document chunk without actors, heads, columns.
    private static var empty: Data {
        var out = ByteWriter()
        [UInt8](repeating: 0, count: 4).withUnsafeBufferPointer {
            Chunk.write(.document, hash: Chunk.hash(type: 0, contents: $0), contents: $0, to: &out)
        }
        return Data(out.buffer)
    }

    /// The result of applying stored bytes.
    package struct TakenIn: Sendable {
        /// Of the changes that are new here and were in the bytes, those that no other depends on.
        package let heads: Set<ChangeHash>
        /// The changes in the bytes that wait for others.
        package let waiting: Set<ChangeHash>
        /// How many changes the document gained.
        package let count: Int
        /// The damage found in the bytes. The rest was applied.
        package let problems: [String]
    }

    /// Applies what a store has, and passes over what is damaged in it. Nobody is told by
    /// ``onNextChange(_:)``.
    ///
    /// - Parameter stored: Changes that wait and are known to be stored: those that need wait no
    ///   longer count as new.
    /// - Complexity: As applying the bytes; damaged ones are read twice.
    package func takeIn(_ data: Data, stored: Set<ChangeHash> = []) -> TakenIn {
        withEngine { engine in
            engine.commit()
            let observer = engine.observer
            engine.observer = nil
            defer { engine.observer = observer }
            let first = engine.graph.count
            // Changes that waited here before may be nobody's but this document's.
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

    /// Makes a change of no operations, so that the document has a head.
    package func commitEmpty(message: String?, timestamp: Date) {
        let seconds = Int64(exactly: timestamp.timeIntervalSince1970.rounded(.down)) ?? 0
        withEngine { _ = try? $0.commitEmpty(message: message, time: seconds) }
    }
}

extension Engine {
    /// Of the changes from number `first` on, those that none of the others depends on.
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
}

extension Engine {
    /// The actor, if it has made changes.
    fileprivate var author: ActorId? {
        guard let index = opSet.actors.find(actor.bytes),
            !opSet.actors.entries[Int(index)].changes.isEmpty
        else { return nil }
        return actor
    }
}
