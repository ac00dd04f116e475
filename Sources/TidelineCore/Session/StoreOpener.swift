public import Replication

/// Opens a session for any kind of store.
///
/// Data models are registered only here. To add one, add its part here.
public struct StoreOpener: Sendable {
    /// The writing device; `nil`: the session is read-only.
    public var device: DeviceID?
    /// Whether writing is unlocked from the start.
    public var isWritable: Bool
    /// Whether a folder that contains stores is opened as a list of them.
    public var listsFolders: Bool
    /// The folder for the user's own queries; `nil`: they are kept only while a database is open.
    public var state: UserState?
    /// Called before a store creates a device's folder in a package, on the writing thread.
    public var willAddDevice: StorePackage.DeviceObserver?

    /// Creates an opener that writes as `device`, if at all.
    public init(
        device: DeviceID?, isWritable: Bool = false, listsFolders: Bool = false,
        state: UserState? = nil, willAddDevice: StorePackage.DeviceObserver? = nil
    ) {
        self.device = device
        self.listsFolders = listsFolders
        self.state = state
        self.isWritable = isWritable
        self.willAddDevice = willAddDevice
    }

    /// Detects the store at `path` and starts loading it. Returns at once and creates nothing.
    ///
    /// - Throws: ``CoreError`` `.notFound` or `.badData`, `ReplicationError`.
    public func open(_ path: String) throws -> any StoreSession {
        let kind: StoreKind
        do {
            kind = try StoreKind(of: path)
        } catch let error as ReplicationError where error.code == .notAPackage && listsFolders {
            let folder = StoreFolder(path)
            guard folder.hasStores else { throw error }
            return ComposedSession(
                path: path, parts: [StoresPart(folder)], isWritable: false)
        }
        let path = StoreKind.resolved(path)
        return ComposedSession(path: path, parts: try parts(of: kind, path), isWritable: isWritable)
    }

    private func parts(of kind: StoreKind, _ path: String) throws -> [any SessionPart] {
        switch kind {
        case .package(let package): return parts(of: package.observed(by: willAddDevice))
        case .coreDataEntities: return [EntitiesPart(coreData: path)]
        case .entities: return [EntitiesPart(log: path)]
        case .catalog: return [CatalogPart(file: path)]
        case .automerge: return [DocumentsPart(path: path)]
        case .coreDataDocuments: return parts(of: DocumentStorePart(coreData: path))
        case .storageFolder:
            return parts(
                of: DocumentStorePart(
                    storageFolder: path, device: device, isWritable: isWritable))
        case .coreDataTables, .tables:
            let queries = state?.queries(ofStoreAt: path)
            return [
                TablesPart(path, device: device, isWritable: isWritable, queries: queries)
            ]
        }
    }

    private func parts(of documents: DocumentStorePart) -> [any SessionPart] {
        [documents, documents.shown]
    }

    /// Returns the parts of a package in pane order. The order is fixed, because it numbers the
    /// panes, whether or not a part has data.
    private func parts(of package: StorePackage) -> [any SessionPart] {
        let arrivals = Arrivals()
        let blobs = BlobList(package.blobs)
        let keys = KeyValuePart(
            package: package, device: device, isWritable: isWritable, blobs: blobs)
        let entities = EntitiesPart(
            package: package, device: device, isWritable: isWritable, arrivals: arrivals)
        let documents = DocumentStorePart(
            package: package, device: device, isWritable: isWritable, arrivals: arrivals)
        let stores: [any SessionPart] = [keys, entities, documents]
        let doctor = DoctorPart(package.path, own: device) {
            keys.logStatuses
        } reports: {
            stores.flatMap(\.status.devices)
        }
        let shared = PackagePart(
            package, own: device, stores: stores, doctor: doctor, arrivals: arrivals, blobs: blobs)
        let catalog = CatalogPart(package: package, device: device)
        let parts: [(any SessionPart)?] = [
            keys, shared, entities, documents, doctor, catalog, documents.shown,
        ]
        return parts.compactMap(\.self)
    }
}
