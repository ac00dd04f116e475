/// A data model that a command can open on its own.
public protocol StandalonePart: SessionPart {
    /// The store of the data model.
    associatedtype Store: Sendable

    /// Returns the part for the store at `path`. The part reads the current state and watches
    /// nothing. If `opener` opens stores for writing, checks the permission before reading.
    ///
    /// - Throws: ``CoreError``: `.badData` if the store doesn't have this data model,
    ///   `.noPermission` if writing isn't permitted; errors of ``StoreKind/init(of:)``.
    static func single(at path: String, for opener: StoreOpener) throws -> Self

    /// Starts the part and returns the store after everything is loaded.
    ///
    /// - Throws: Errors from reading.
    func loadedStore() async throws -> Store

    /// Saves changes and closes every file. Changes that couldn't be saved aren't retried.
    ///
    /// - Throws: Errors from saving.
    static func finish(_ store: Store) async throws
}

extension StoreOpener {
    /// Opens one data model of the store at `path` for a command. Reads the complete current state,
    /// watches nothing and creates nothing.
    ///
    /// - Parameter model: The part to open, such as `KeyValuePart.self`.
    /// - Returns: The session, which has only this part, and the part's store.
    /// - Throws: The errors of ``StandalonePart/single(at:for:)`` and
    ///   ``StandalonePart/loadedStore()``.
    public func open<Part: StandalonePart>(
        _ model: Part.Type, of path: String
    ) async throws -> (session: any StoreSession, store: Part.Store) {
        let (session, _, store) = try await openPart(model, of: path)
        return (session, store)
    }

    /// Opens one data model like ``open(_:of:)``, and also returns its part, which writes edits.
    package func openPart<Part: StandalonePart>(
        _ model: Part.Type, of path: String
    ) async throws -> (session: any StoreSession, part: Part, store: Part.Store) {
        let part = try Part.single(at: path, for: self)
        let session = ComposedSession(
            path: StoreKind.resolved(path), parts: [part], isWritable: isWritable)
        return (session, part, try await part.loadedStore())
    }
}
