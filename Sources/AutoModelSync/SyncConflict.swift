public import AutoModel
import EntityStore
public import Replication

/// A property that devices set concurrently.
public struct SyncConflict: Sendable {
    /// A side of the conflict.
    public struct Value: Sendable {
        /// The value in the form that the table stores.
        public let value: SQLValue
        /// The device that set the value.
        public let device: DeviceID
        /// The time of the write.
        public let written: Timestamp
    }

    /// The model's table.
    public let table: String
    /// The row's identifier.
    public let id: Int64
    /// The column's name.
    public let column: String
    /// The sides, newest first. The newest one is the current value until the conflict is resolved.
    public let values: [Value]
    let identifier: String
}

extension AutoSync {
    /// Returns the properties that devices set concurrently. Setting the property again, or
    /// ``resolve(_:with:)``, resolves the conflict.
    ///
    /// ```swift
    /// for conflict in try await sync.conflicts() {
    ///     print(conflict.table, conflict.id, conflict.column, conflict.values.map(\.value))
    /// }
    /// ```
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

    /// Resolves a conflict with a value, on every device.
    ///
    /// - Throws: `AutoModelError`, `EntityStoreError` or `ReplicationError`. If the value refers to
    ///   a row that doesn't exist, the conflict isn't resolved.
    public func resolve(_ conflict: SyncConflict, with value: SQLValue) async throws {
        guard let model = names.models[conflict.table],
            let column = model.columns.first(where: { $0.name == conflict.column })
        else { return }
        try await alone {
            // The value may refer to an unsent row.
            try await self.send()
            let reference = EntityReference.identifier(conflict.identifier)
            let known = try await self.known(of: Set([column.target(of: value)].compactMap(\.self)))
            if let value = column.entityValue(value, target: { known[$0] }) {
                var properties = PropertyDictionary()
                properties[value: column.key] = value
                try await self.entities.set([(reference, properties)])
            } else if value == .null {
                try await self.entities.remove([column.key], of: [reference])
            } else {
                throw EntityStoreError(
                    .noSuchEntity,
                    "\(conflict.column) of \(conflict.identifier) can't refer to a row that doesn't "
                        + "exist")
            }
            try await self.take([reference])
        }
    }
}
