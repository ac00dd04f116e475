/// A data model that a command can have of a store by itself.
public protocol ModelPart: SessionPart {
    /// What reads and writes the data model.
    associatedtype Store: Sendable

    /// The part over the store at `path`, which reads what is there now and follows nothing. That
    /// it can only be read is said before it is read.
    ///
    /// - Throws: ``CoreError``, `.badData` for a store without the data model, `.noPermission` for
    ///   one that is to be written and can only be read; as ``StoreKind/init(of:)``.
    static func single(at path: String, for opener: StoreOpener) throws -> Self

    /// The store, once the part is started and all that is there is read.
    ///
    /// - Throws: What reading meets.
    func loadedStore() async throws -> Store

    /// Saves what was changed and lets go of every file. What could not be saved is not saved
    /// later either.
    ///
    /// - Throws: What saving meets.
    static func finish(_ store: Store) async throws
}

extension StoreOpener {
    /// Opens one data model of the store at `path`, for a command: reads what is there now, to the
    /// end, and watches nothing. Nothing is created there.
    ///
    /// - Returns: The session, which has that part alone, and the part's store.
    /// - Throws: As ``ModelPart/single(at:for:)`` and ``ModelPart/loadedStore()``.
    public func open<Part: ModelPart>(
        _ model: Part.Type, of path: String
    ) async throws -> (session: any StoreSession, store: Part.Store) {
        let part = try Part.single(at: path, for: self)
        let session = ComposedSession(
            path: StoreKind.resolved(path), parts: [part], isWritable: isWritable)
        return (session, try await part.loadedStore())
    }
}
