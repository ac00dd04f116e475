public import DocumentStore
public import EntityStore
public import KeyValueStore
import Replication

/// A data model that a command can have of a store by itself.
public protocol ModelPart: SessionPart {
    /// What reads and writes the data model.
    associatedtype Store: Sendable

    /// The part over the store at `path`, which reads what is there now and follows nothing.
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

// A refusal to write comes before the store is read: what it says holds of any file of the kind.

extension KeyValuePart: ModelPart {
    public static func single(at path: String, for opener: StoreOpener) throws -> KeyValuePart {
        KeyValuePart(
            package: try StoreKind.package(at: path), device: opener.device,
            isWritable: opener.isWritable, follows: false)
    }

    public static func finish(_ store: KeyValueStore) async throws {
        try await store.save(orWithdraw: store.unsavedKeys)
        try store.close()
    }
}

extension EntitiesPart: ModelPart {
    public static func single(at path: String, for opener: StoreOpener) throws -> EntitiesPart {
        let kind = try StoreKind(of: path)
        let place: EntityContext.Place
        switch kind {
        case .package(let package): place = .package(package)
        case .coreDataEntities: place = .coreData(StoreKind.resolved(path))
        case .entities: place = .log(StoreKind.resolved(path))
        default: throw CoreError(.badData, "it holds \(kind.name), no entities")
        }
        let context = EntityContext(
            place: place, device: opener.device, isWritable: opener.isWritable, follows: false)
        if opener.isWritable, case .unavailable(let reason) = context.availability {
            throw CoreError(
                .noPermission, reason,
                wayOut: "Make a package with 'tideline entities create' and import into it.")
        }
        return EntitiesPart(context)
    }

    public static func finish(_ store: EntityStore) async throws { await store.close() }
}

extension DocumentStorePart: ModelPart {
    public static func single(
        at path: String, for opener: StoreOpener
    ) throws -> DocumentStorePart {
        guard let place = try DocumentPlace(path) else {
            throw opener.isWritable
                ? CoreError(
                    .noPermission, "a single .automerge file can only be read",
                    wayOut: "Take it into a package: tideline docs import PACKAGE \(path)")
                : CoreError(.badData, "an .automerge file, not a store of documents")
        }
        if opener.isWritable, case .coreData = place {
            throw CoreError(.noPermission, "a file of this kind can only be read")
        }
        return DocumentStorePart(
            DocumentStoreContext(
                place: place, device: opener.device, isWritable: opener.isWritable,
                follows: false))
    }

    public static func finish(_ store: AutomergeStore) async throws { try store.close() }
}
