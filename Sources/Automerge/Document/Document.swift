public import Foundation
import Synchronization

/// A document of nested maps, lists and texts for concurrent editing.
///
/// Every edit is an operation by the document's ``actor``. Edits are collected in a transaction.
/// ``commitWith(message:timestamp:)`` turns the transaction into a change. A call that needs the
/// document's heads, its encoded bytes or another document also commits. Documents that have the
/// same changes are identical, regardless of the order in which they received the changes.
///
/// All methods can be called from any thread. Each holds the document's lock while it runs.
public final class Document: Sendable {
    private let engine: Mutex<Engine>

    /// The units in which texts count positions and lengths.
    public let textEncoding: TextEncoding

    /// Creates an empty document.
    ///
    /// - Parameters:
    ///   - textEncoding: The units of text positions.
    ///   - logLevel: Accepted for source compatibility. Nothing is logged.
    public init(
        textEncoding: TextEncoding = .unicodeScalar, logLevel: LogVerbosity = .errorOnly
    ) {
        self.textEncoding = textEncoding
        engine = Mutex(Engine(encoding: textEncoding))
    }

    /// Creates a document from the results of ``save()``, ``encodeNewChanges()`` and
    /// ``encodeChangesSince(heads:)``. Several results can be concatenated.
    ///
    /// - Throws: `LoadError` if the bytes are damaged or are in another format.
    public init(
        _ bytes: Data, textEncoding: TextEncoding = .unicodeScalar,
        logLevel: LogVerbosity = .errorOnly
    ) throws {
        self.textEncoding = textEncoding
        var loaded = Engine(encoding: textEncoding)
        do throws(FormatError) {
            try loaded.apply(bytes)
        } catch {
            throw LoadError(error)
        }
        engine = Mutex(loaded)
    }

    private init(engine: consuming Engine) {
        textEncoding = engine.opSet.encoding
        self.engine = Mutex(engine)
    }

    /// Runs `body` under the lock and converts its errors to `DocError`.
    @inline(__always)
    func withEngine<Result>(
        _ body: (inout Engine) throws(FormatError) -> Result
    ) throws(DocError) -> Result {
        do throws(FormatError) {
            return try whileLocked(body)
        } catch {
            throw DocError(error)
        }
    }

    @inline(__always)
    func withEngine<Result>(_ body: (inout Engine) -> Result) -> Result { whileLocked(body) }

    // MARK: Actor and changes

    /// The author of the next change. Setting the actor commits the pending transaction.
    public var actor: ActorId {
        get { withEngine { $0.actor } }
        set { withEngine { $0.setActor(newValue) } }
    }

    /// Commits the edits since the last change as a new change.
    ///
    /// Does nothing if there are no edits.
    ///
    /// - Parameters:
    ///   - message: A description of the change.
    ///   - timestamp: The time of the change, stored in whole seconds.
    public func commitWith(message: String? = nil, timestamp: Date = Date()) {
        let seconds = Int64(exactly: timestamp.timeIntervalSince1970.rounded(.down)) ?? 0
        withEngine { _ = $0.commit(message: message, time: seconds) }
    }

    /// Returns the heads of the document: the changes that no other change depends on.
    public func heads() -> Set<ChangeHash> {
        withEngine { engine in
            engine.commit()
            return Set(engine.graph.headHashes)
        }
    }

    /// Returns the hashes of all changes. Each change comes after its dependencies.
    ///
    /// - Complexity: O(*n*) in the number of changes.
    public func getHistory() -> [ChangeHash] {
        withEngine { engine in
            engine.commit()
            return (0..<engine.graph.count).map { engine.graph.hashes[$0] }
        }
    }

    /// Returns the change with a hash, or `nil` if the document doesn't have it.
    public func change(hash: ChangeHash) -> Change? {
        withEngine { engine in
            engine.commit()
            return engine.graph.index(of: hash).map { engine.change($0) }
        }
    }

    // MARK: Saving

    /// Returns the whole document as bytes.
    ///
    /// - Complexity: O(*n*) in the number of operations, in time and in memory.
    public func save() -> Data {
        withEngine { $0.save() }
    }

    /// Returns the changes since the last call of this method or ``save()``.
    public func encodeNewChanges() -> Data {
        withEngine { $0.encodeNewChanges() }
    }

    /// Returns the changes that aren't part of the document at `heads`.
    ///
    /// - Throws: `DocError` with code `.unknownChange` if one of the heads is missing in the
    ///   document.
    /// - Complexity: O(*n*) in the number of all changes and in the number of operations of the
    ///   encoded changes.
    public func encodeChangesSince(heads: Set<ChangeHash>) throws -> Data {
        try withEngine { (engine) throws(FormatError) in try engine.encodeChanges(since: heads) }
    }

    /// Applies changes that another document encoded.
    ///
    /// Changes with missing dependencies wait until the dependencies arrive.
    ///
    /// - Throws: `DocError` if bytes are damaged or a change contradicts an existing change.
    ///   Changes before the damaged bytes or the contradiction remain applied.
    public func applyEncodedChanges(encoded: Data) throws {
        try withEngine { (engine) throws(FormatError) in try engine.apply(encoded) }
    }

    /// Applies changes and returns the resulting patches.
    ///
    /// - Throws: As ``applyEncodedChanges(encoded:)``.
    /// - Complexity: The complexity of applying the changes and of ``difference(from:to:)``.
    public func applyEncodedChangesWithPatches(encoded: Data) throws -> [Patch] {
        try withEngine { (engine) throws(FormatError) in
            try engine.patches { (engine) throws(FormatError) in try engine.apply(encoded) }
        }
    }

    // MARK: Forking and merging

    /// Returns a copy of the document with a new actor.
    ///
    /// - Complexity: O(*n*) in the number of operations, in time and in memory.
    public func fork() -> Document {
        let copy = withEngine { (engine) -> Document in
            engine.commit()
            return Document(engine: engine.copy(actor: ActorId()))
        }
        return copy
    }

    /// Returns a copy of the document at `heads`, with a new actor.
    ///
    /// - Throws: `DocError` with code `.unknownChange` if one of the heads is missing in the
    ///   document.
    public func forkAt(heads: Set<ChangeHash>) throws -> Document {
        try withEngine { (engine) throws(FormatError) in
            Document(engine: try engine.fork(at: heads))
        }
    }

    /// Merges the changes of another document into this one.
    ///
    /// - Throws: ``DocError``, `.duplicateChange`, if the documents have different changes with the
    ///   same actor and sequence number.
    /// - Complexity: O(*n*) in the number of new operations.
    public func merge(other: Document) throws {
        _ = try merge(other) { (mine, theirs) throws(FormatError) in
            try mine.merge(&theirs)
            return []
        }
    }

    /// Merges the changes of another document into this one and returns the resulting patches.
    ///
    /// - Throws: As ``merge(other:)``.
    /// - Complexity: The complexity of merging and of ``difference(from:to:)``.
    public func mergeWithPatches(other: Document) throws -> [Patch] {
        try merge(other) { (mine, theirs) throws(FormatError) in
            mine.commit()
            let before = Set(mine.graph.headHashes)
            try mine.merge(&theirs)
            return mine.difference(from: before, to: Set(mine.graph.headHashes))
        }
    }

    /// Runs `body` under the locks of both documents. The locks are acquired in the order of the
    /// documents' addresses, so that two documents can be merged into each other concurrently
    /// without a deadlock.
    private func merge(
        _ other: Document,
        _ body: (inout Engine, inout Engine) throws(FormatError) -> [Patch]
    ) throws(DocError) -> [Patch] {
        if other === self { return [] }
        if ObjectIdentifier(self) < ObjectIdentifier(other) {
            return try withEngine { (mine) throws(FormatError) in
                try other.whileLocked { (theirs) throws(FormatError) in
                    try body(&mine, &theirs)
                }
            }
        }
        return try other.withEngine { (theirs) throws(FormatError) in
            try whileLocked { (mine) throws(FormatError) in try body(&mine, &theirs) }
        }
    }

    /// Runs `body` under the lock, as `withEngine` does, but throws the engine's own errors.
    @inline(__always)
    private func whileLocked<Result, Failure: Error>(
        _ body: (inout Engine) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try engine.withLock { (engine) throws(Failure) in
            // The compiler can't see that the result shares nothing with the engine: it consists of
            // values, and no reference to the engine leaves the lock.
            nonisolated(unsafe) let result = try body(&engine)
            return result
        }
    }

    /// Returns the patches that turn the document at `before` into the document at `after`.
    ///
    /// Heads that the document doesn't have are ignored. The total length of all paths is limited
    /// to 524,288 elements plus eight per changed object. Objects beyond the limit are omitted.
    /// Without this limit, a deeply nested document of a few hundred kilobytes could exhaust the
    /// memory.
    ///
    /// - Complexity: O(*n*) in the number of operations between the two states, and in the lengths
    ///   of the affected lists, regardless of how deeply they are nested.
    public func difference(from before: Set<ChangeHash>, to after: Set<ChangeHash>) -> [Patch] {
        comparison(from: before, to: after).patches
    }

    /// Returns the patches of ``difference(from:to:)`` and the number of omitted objects.
    package func comparison(
        from before: Set<ChangeHash>, to after: Set<ChangeHash>
    ) -> (patches: [Patch], leftOut: Int) {
        withEngine { $0.comparison(from: before, to: after) }
    }

    /// Returns the patches that turn the document at `lhs` into the current document.
    public func difference(since lhs: Set<ChangeHash>) -> [Patch] {
        withEngine { engine in
            engine.commit()
            return engine.difference(from: lhs, to: Set(engine.graph.headHashes))
        }
    }

    /// Returns the patches that turn the current document into the document at `rhs`.
    public func difference(to rhs: Set<ChangeHash>) -> [Patch] {
        withEngine { engine in
            engine.commit()
            return engine.difference(from: Set(engine.graph.headHashes), to: rhs)
        }
    }
}
