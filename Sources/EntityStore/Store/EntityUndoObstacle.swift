public import Replication

/// The reason why a write to entities can't be undone.
public enum EntityUndoObstacle: Hashable, Sendable {
    /// The entity that undoing would delete is already deleted.
    case deleted(identifier: String)
    /// The entity that undoing would restore exists again.
    case restored(identifier: String)
    /// The property has changed since the edit.
    case changed(identifier: String, key: String)
    /// Since the edit, a device has written the property, or any property of the created entity.
    case written(identifier: String, key: String?, by: DeviceID, isOwn: Bool, at: Timestamp)
}

extension EntityUndoObstacle {
    /// The identifier of the entity.
    public var identifier: String {
        switch self {
        case .deleted(let identifier), .restored(let identifier), .changed(let identifier, _),
            .written(let identifier, _, _, _, _):
            identifier
        }
    }
}

extension EntityUndoObstacle: CustomStringConvertible {
    public var description: String {
        switch self {
        case .deleted(let identifier): "\(identifier.quoted) is already deleted"
        case .restored(let identifier): "the entity \(identifier.quoted) exists again"
        case .changed(let identifier, let key): "\(key) of \(identifier) has changed since the edit"
        case .written(let identifier, let key, let device, let isOwn, let instant):
            "\(isOwn ? "this device" : device.name) has since written "
                + (key.map { "\($0) of " } ?? "") + "\(identifier), at \(instant.iso8601)"
        }
    }
}
