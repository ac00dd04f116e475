import EntityStore
import Replication

extension EntityContext {
    /// Returns the reason why a write can't be undone, with names as in lists.
    func words(
        _ obstacle: EntityUndoObstacle, in store: isolated EntityStore
    ) throws -> String {
        let record = try store.records(
            of: [.identifier(obstacle.identifier)], keys: EntityRecord.nameKeys)[0]
        let title = record?.title ?? obstacle.identifier
        switch obstacle {
        case .deleted: return "\(title) is already deleted"
        case .restored: return "\(title) exists again"
        case .changed(_, let key): return "\(title) › \(key) has changed since the edit"
        case .written(_, let key, let device, let isOwn, let instant):
            let writer = isOwn ? "this device" : name(of: device)
            let property = key.map { " › \($0)" } ?? ""
            return "\(writer) has since written \(title)\(property), at \(instant.secondText)"
        }
    }
}
