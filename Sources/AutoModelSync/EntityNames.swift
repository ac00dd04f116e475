import AutoModel
import Replication

/// The names of rows as entities.
///
/// Row `5` of `Note` is the entity `Note-5`. If another program named an entity without a number,
/// the row's number is derived from the name, and is the same on every device.
struct EntityNames: Sendable {
    /// Models by the types of their entities, including former types.
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

    /// Returns the property key of a column or list, which must differ from the keys that every
    /// entity has.
    static func key(_ name: String) -> String {
        ["identifier", "type", "datestamp", "modified"].contains(name) ? "\(name)_" : name
    }
}
