import AutoModel
import Replication

/// The mapping between rows and entity identifiers.
///
/// Row `5` of `Note` is the entity `Note-5`. If another program created an entity whose identifier
/// doesn't contain a number, the row's number is derived from the identifier, the same on every
/// device.
struct EntityNames: Sendable {
    /// The models by entity type, including former types.
    let models: [String: SyncedModel]

    init(_ models: [SyncedModel]) {
        var byType: [String: SyncedModel] = [:]
        for model in models {
            for type in model.formerNames where byType[type] == nil { byType[type] = model }
        }
        for model in models { byType[model.table] = model }
        self.models = byType
    }

    static func identifier(of key: RowKey) -> String { "\(key.table)-\(key.id)" }

    func id(of identifier: String, in table: String) -> Int64 {
        let types = [table] + (models[table]?.formerNames ?? [])
        for type in types where identifier.hasPrefix("\(type)-") {
            let digits = identifier.dropFirst(type.count + 1)
            if let id = Int64(digits), "\(id)" == digits { return id }
        }
        return Int64(max(1, StableHash.of(identifier.utf8) >> 1))
    }

    /// Returns the property key of a column or list, with the suffix `_` if every entity has the
    /// key.
    static func key(_ name: String) -> String {
        ["identifier", "type", "datestamp", "modified"].contains(name) ? "\(name)_" : name
    }
}
