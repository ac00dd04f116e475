public import Foundation
import Synchronization

/// A document of nested dictionaries, lists and texts that several writers edit at once.
///
/// Every edit is an operation of this document's ``actor``. Operations gather in a transaction
/// that becomes a change with ``commitWith(message:timestamp:)``, or by itself as soon as heads,
/// saved bytes or another document are asked for. Documents that have the same changes are the
/// same, in whatever order the changes came.
///
/// All calls may come from any thread; each holds the document's one lock while it runs.
public final class Document: Sendable {
    private let engine: Mutex<Engine>

    /// How texts count their positions.
    public let textEncoding: TextEncoding

    /// Creates an empty document.
    ///
    /// - Parameters:
    ///   - textEncoding: What an index into a text counts.
    ///   - logLevel: Taken for the sake of source compatibility; nothing is logged.
    public init(
        textEncoding: TextEncoding = .unicodeScalar, logLevel: LogVerbosity = .errorOnly
    ) {
        self.textEncoding = textEncoding
        engine = Mutex(Engine(encoding: textEncoding))
    }

    /// Opens a document from what ``save()``, ``encodeNewChanges()`` or
    /// ``encodeChangesSince(heads:)`` gave, or several of those one after another.
    ///
    /// - Throws: `LoadError` for bytes that are not that, or damaged.
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

    /// Runs `body` under the lock and turns what it throws into a `DocError`.
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
    func withEngine<Result>(_ body: (inout Engine) -> Result) -> Result {
        engine.withLock { engine in
            // The result consists of values; the engine itself never leaves the lock.
            nonisolated(unsafe) let result = body(&engine)
            return result
        }
    }

    // MARK: Actor and changes

    /// Who makes the next change. Setting it ends the transaction under way.
    public var actor: ActorId {
        get { withEngine { $0.actor } }
        set { withEngine { $0.setActor(newValue) } }
    }

    /// Makes a change of the edits since the last one.
    ///
    /// Without any edits nothing happens.
    ///
    /// - Parameters:
    ///   - message: A description of the change.
    ///   - timestamp: When it was made, kept in whole seconds.
    public func commitWith(message: String? = nil, timestamp: Date = Date()) {
        let seconds = Int64(exactly: timestamp.timeIntervalSince1970.rounded(.down)) ?? 0
        withEngine { _ = $0.commit(message: message, time: seconds) }
    }

    /// The heads of the document: the changes that no other change depends on.
    public func heads() -> Set<ChangeHash> {
        withEngine { engine in
            engine.commit()
            return Set(engine.graph.headHashes)
        }
    }

    /// The hashes of all changes, each behind those it depends on.
    ///
    /// - Complexity: O(*n*) in the number of changes.
    public func getHistory() -> [ChangeHash] {
        withEngine { engine in
            engine.commit()
            return (0..<engine.graph.count).map { engine.graph.hashes[$0] }
        }
    }

    /// A change by its hash, `nil` where the document does not have it.
    public func change(hash: ChangeHash) -> Change? {
        withEngine { engine in
            engine.commit()
            return engine.graph.index(of: hash).map { engine.change($0) }
        }
    }

    // MARK: Saving

    /// The whole document as bytes.
    ///
    /// - Complexity: O(*n*) in the number of operations, in time and in memory.
    public func save() -> Data {
        withEngine { $0.save() }
    }

    /// The changes since the last call of this or of ``save()``.
    public func encodeNewChanges() -> Data {
        withEngine { $0.encodeNewChanges() }
    }

    /// The changes that are not part of the document as it was at `heads`.
    ///
    /// - Throws: `DocError` with code `.unknownChange` for a head that the document does not have.
    /// - Complexity: O(*n*) in the number of changes, and in the operations of those that are
    ///   encoded.
    public func encodeChangesSince(heads: Set<ChangeHash>) throws -> Data {
        try withEngine { (engine) throws(FormatError) in try engine.encodeChanges(since: heads) }
    }

    /// Applies changes that another document encoded.
    ///
    /// Changes that came before something they depend on wait until it is there.
    ///
    /// - Throws: `DocError` for bytes that are damaged, or a change that contradicts one that is
    ///   there. What came before it in `encoded` has been applied.
    public func applyEncodedChanges(encoded: Data) throws {
        try withEngine { (engine) throws(FormatError) in try engine.apply(encoded) }
    }

    /// Applies changes and returns what that did to the document.
    ///
    /// - Throws: As ``applyEncodedChanges(encoded:)``.
    /// - Complexity: That of applying them and of ``difference(from:to:)``.
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
    /// - Throws: `DocError` with code `.unknownChange` for a head that the document does not have.
    public func forkAt(heads: Set<ChangeHash>) throws -> Document {
        try withEngine { (engine) throws(FormatError) in
            Document(engine: try engine.fork(at: heads))
        }
    }

    /// Takes in the changes of another document.
    ///
    /// - Throws: ``DocError``, `.duplicateChange`, where the two have different changes of one
    ///   actor with one number.
    /// - Complexity: O(*n*) in the number of the operations that are new.
    public func merge(other: Document) throws {
        _ = try merge(other) { (mine, theirs) throws(FormatError) in
            try mine.merge(&theirs)
            return []
        }
    }

    /// Takes in the changes of another document and returns what that did to this one.
    ///
    /// - Throws: As ``merge(other:)``.
    /// - Complexity: That of merging and of ``difference(from:to:)``.
    public func mergeWithPatches(other: Document) throws -> [Patch] {
        try merge(other) { (mine, theirs) throws(FormatError) in
            mine.commit()
            let before = Set(mine.graph.headHashes)
            try mine.merge(&theirs)
            return mine.difference(from: before, to: Set(mine.graph.headHashes))
        }
    }

    /// Runs `body` under both locks. They are taken in the order of the documents' addresses, so
    /// that two documents can be merged into each other at once.
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

    /// As `withEngine`, with the engine's own errors.
    @inline(__always)
    private func whileLocked<Result>(
        _ body: (inout Engine) throws(FormatError) -> Result
    ) throws(FormatError) -> Result {
        let result: Swift.Result<Result, FormatError> = engine.withLock { engine in
            // The result consists of values; the engine itself never leaves the lock.
            nonisolated(unsafe) let result: Swift.Result<Result, FormatError>
            do throws(FormatError) {
                result = .success(try body(&engine))
            } catch {
                result = .failure(error)
            }
            return result
        }
        return try result.get()
    }

    /// Returns the patches that turn the document at `before` into the document at `after`.
    ///
    /// Heads that the document does not have are left out of account. Objects are left out from
    /// where their paths would have more than two million steps together, and 16 for each object:
    /// a document of some hundred kilobytes can be nested so deep that its paths fill any memory.
    ///
    /// - Complexity: O(*n*) in the number of the operations between the two, and in the length of
    ///   the lists concerned, however deep they are nested.
    public func difference(from before: Set<ChangeHash>, to after: Set<ChangeHash>) -> [Patch] {
        comparison(from: before, to: after).patches
    }

    /// As ``difference(from:to:)``, and how many objects were left out.
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
