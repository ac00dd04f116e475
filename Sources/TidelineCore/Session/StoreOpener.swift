public import Replication

/// Opens whatever store is at a path as a session.
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
        case .package(let package):
            var parts: [any SessionPart] = [
                KeyValuePart(package: package, device: device, isWritable: isWritable)
            ]
            let entities = EntitiesPart(
                package: package, device: device, isWritable: isWritable)
            // Panes that only appear once there is something in them come last, so that the
            // numbers of the others stay.
            let hasEntities = entities.isPresent
            if hasEntities { parts.append(entities) }
            if let catalog = CatalogPart(package: package, device: device) {
                parts.append(catalog)
            }
            if !hasEntities { parts.append(entities) }
            return parts
        case .coreDataEntities: return [EntitiesPart(coreData: path)]
        case .entities: return [EntitiesPart(log: path)]
        case .catalog: return [CatalogPart(file: path)]
        case .automerge: return [DocumentsPart(path: path)]
        default:
            throw CoreError(
                .badData,
                "the browser cannot show \(kind.name) of the form \(kind.format ?? "")"
            )
        }
    }
}
