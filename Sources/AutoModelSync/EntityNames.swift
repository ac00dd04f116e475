import AutoModel
import Replication

/// The names that rows have as entities.
///
/// A row `5` of `Note` is the entity `Note-5`. An entity that somebody else made, whose name says no
/// number, has the number that its name makes: the same one on every device.
struct EntityNames: Sendable {
    /// Models by the types of their entities, those that they had before among them.
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

    /// The key of a column or list, which must not be one that every entity has.
    static func key(_ name: String) -> String {
        ["identifier", "type", "datestamp", "modified"].contains(name) ? "\(name)_" : name
    }
}
