public import Replication
public import Tables

/// Opens a session for any kind of store.
///
/// ``models`` lists the data models that a package may contain.
public struct StoreOpener: Sendable {
    /// The writing device; `nil` if the session is read-only.
    public var device: DeviceID?
    /// Whether writing is unlocked from the start.
    public var isWritable: Bool
    /// Whether an empty folder, or a folder that contains stores, is opened as a list of stores.
    public var listsFolders: Bool
    /// The folder for the user's own queries; `nil` to keep queries only while a database is open.
    public var state: UserState?
    /// The model to use instead of a Core Data store's own model.
    public var coreDataModel: CoreDataModelFile?
    /// Called before a store creates a device's folder in a package, on the writing thread.
    public var willAddDevice: StorePackage.DeviceObserver?
    /// The data models that a package may contain.
    package var models: [any DataModel] = DataModels.standard
    /// The parts of a package to open, by the names of their data models; `nil` for all.
    package var partNames: Set<String>?

    /// Creates an opener that writes as `device`; with `nil`, sessions are read-only.
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
            kind = try StoreKind(of: path, models: models)
        } catch let error as ReplicationError where error.code == .notAPackage && listsFolders {
            let folder = StoreFolder(path)
            guard folder.mayHaveStores || folder.isEmpty else { throw error }
            return ComposedSession(
                path: path, parts: [StoresPart(folder)], isWritable: false)
        }
        let parts =
            switch kind {
            case .package(let package): self.parts(of: package.observed(by: willAddDevice))
            case .single(let store): store.parts(self)
            }
        return ComposedSession(
            path: StoreKind.resolved(path), parts: parts, isWritable: isWritable)
    }

    /// Returns the parts of a package. The order is fixed, because it determines the numbers of the
    /// panes, whether or not a part has data.
    private func parts(of package: StorePackage) -> [any SessionPart] {
        let session = PackageSession(
            device: device, isWritable: isWritable, blobs: BlobList(package.blobs))
        let stores = models.flatMap { $0.parts(of: package, in: session) }
        let logs = stores.compactMap { $0 as? any LogPart }
        let doctor = DoctorPart(
            package.path, own: device, isWritable: isWritable, models: models
        ) { kind in
            logs.first { $0.kind == kind }?.logStatuses
        } reports: {
            stores.flatMap(\.status.devices)
        }
        let shared = PackagePart(
            package, session, models: models, stores: stores, doctor: doctor)
        let all: [any SessionPart] = stores + [shared, doctor]
        return all.filter { part in
            partNames.map { names in part.possiblePanes.contains { names.contains($0.id.part) } }
                ?? true
        }
    }
}
