public import AutoModel
import EntityStore
public import Replication

/// A property that devices set without knowing of each other.
public struct SyncConflict: Sendable {
    /// One of the values.
    public struct Value: Sendable {
        public let value: SQLValue
        public let device: DeviceID
        public let written: Timestamp
    }

    /// The table of the model.
    public let table: String
    public let id: Int64
    public let column: String
    /// The newest first: that one counts until somebody decides otherwise.
    public let values: [Value]
    let identifier: String
}

extension AutoSync {
    /// The properties that have more than one value, because devices set them without knowing of each
    /// other. Setting the property anew decides, as ``resolve(_:with:)`` does.
    ///
    /// - Throws: `EntityStoreError`.
    /// - Complexity: O(*n* log *n*) in the number of conflicts.
    public func conflicts() async throws -> [SyncConflict] {
        let types = Set(names.models.keys.map { Name($0) })
        return await entities.conflicts(types: types).compactMap { conflict in
            guard let model = names.models[conflict.type],
                let column = model.columns.first(where: { Name($0.key) == Name(conflict.key) })
            else { return nil }
            return SyncConflict(
                table: model.table, id: names.id(of: conflict.identifier, in: model.table),
                column: column.name,
                values: conflict.sides.map { entry in
                    SyncConflict.Value(
                        value: column.sqlValue(entry.property.value, id: names.id) ?? .null,
                        device: entry.author, written: entry.authored)
                }, identifier: conflict.identifier)
        }
    }

    /// Says which value a property has, here and on every device.
    ///
    /// - Throws: `AutoModelError` or `EntityStoreError`.
    public func resolve(_ conflict: SyncConflict, with value: SQLValue) async throws {
        guard let model = names.models[conflict.table],
            let column = model.columns.first(where: { $0.name == conflict.column })
        else { return }
        try await alone {
            let reference = EntityReference.identifier(conflict.identifier)
            let known = try await self.known(of: Set([column.target(of: value)].compactMap(\.self)))
            if let value = column.entityValue(value, target: { known[$0] }) {
                var properties = PropertyDictionary()
                properties[value: column.key] = value
                try await self.entities.set([(reference, properties)])
            } else {
                try await self.entities.remove([column.key], of: [reference])
            }
            try await self.take([reference])
        }
    }
}
