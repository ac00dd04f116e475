public import Replication

/// Opens whatever store is at a path as a session.
///
/// The one place where data models are registered: a new one adds its part here.
public struct StoreOpener: Sendable {
    /// Who would write; `nil`: nothing can be written.
    public var device: DeviceID?
    /// Whether writing is allowed from the start.
    public var isWritable: Bool

    /// An opener that writes as `device`, if at all.
    public init(device: DeviceID?, isWritable: Bool = false) {
        self.device = device
        self.isWritable = isWritable
    }

    /// Looks at `path` and begins to load it. Returns at once; nothing is created there.
    ///
    /// - Throws: ``CoreError`` `.notFound` or `.badData`, `ReplicationError`.
    public func open(_ path: String) throws -> any StoreSession {
        let kind = try StoreKind(of: path)
        let path = StoreKind.resolved(path)
        return ComposedSession(path: path, parts: try parts(of: kind, path), isWritable: isWritable)
    }

    private func parts(of kind: StoreKind, _ path: String) throws -> [any SessionPart] {
        switch kind {
        case .package(let package): return parts(of: package)
        case .coreDataEntities: return [EntitiesPart(coreData: path)]
        case .entities: return [EntitiesPart(log: path)]
        case .catalog: return [CatalogPart(file: path)]
        case .automerge: return [DocumentsPart(path: path)]
        case .coreDataTables, .tables:
            return [TablesPart(path, device: device, isWritable: isWritable)]
        default:
            throw CoreError(
                .badData,
                "the browser cannot show \(kind.name) of the form \(kind.format ?? "")"
            )
        }
    }

    /// The parts of a package in the order of their panes: those that only appear once there is
    /// something in them come last, so that the numbers of the others stay; behind them only what
    /// is wrong with the files.
    private func parts(of package: StorePackage) -> [any SessionPart] {
        let keys = KeyValuePart(package: package, device: device, isWritable: isWritable)
        let arrivals = Arrivals()
        let entities = EntitiesPart(
            package: package, device: device, isWritable: isWritable, arrivals: arrivals)
        let shared = PackagePart(
            package, own: device, stores: [keys, entities], arrivals: arrivals)
        let catalog = CatalogPart(package: package, device: device).map { [$0] } ?? []
        let doctor = DoctorPart(package.path, own: device)
        return entities.isPresent
            ? [keys, shared, entities] + catalog + [doctor]
            : [keys, shared] + catalog + [entities, doctor]
    }
}
