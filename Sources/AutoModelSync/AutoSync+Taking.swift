import AutoModel
import EntityStore
import Replication

extension AutoSync {
    /// Applies the whole content of the package to the tables.
    func takeAll() async throws {
        let types = Set(names.models.keys.map { Name($0) })
        let records = try await entities.recordsAndHeads(EntityQuery(types: types))
        let devices = await entities.devices
        var deleted: [RowKey] = []
        // A deleted entity may have been created again in a log that can't be read.
        if devices.allSatisfy({ $0.state == .ok || $0.rows == 0 && $0.state == .absent }) {
            for file in files {
                let known = try await file.known()
                let gone = await entities.deleted(among: Array(known.values))
                deleted += known.filter { gone.contains($0.value) }.map(\.key)
            }
        }
        try await take(records, deleted: deleted)
    }

    /// Applies the current state of the given entities to the tables.
    func take(_ references: [EntityReference]) async throws {
        var deleted: [RowKey] = []
        let found = try await entities.recordsAndHeads(of: references)
        let missing = await entities.deleted(
            among: zip(references, found).filter { $0.1 == nil }.compactMap { $0.0.identifier })
        if !missing.isEmpty {
            // The entity's identifier contains the row's number, but not its model.
            let keys = files.flatMap(\.models).flatMap { model in
                missing.map {
                    RowKey(table: model.table, id: names.id(of: $0, in: model.table))
                }
            }
            deleted = try await known(of: Set(keys)).filter { missing.contains($0.value) }
                .map(\.key)
        }
        try await take(found.compactMap { $0 }, deleted: deleted)
    }

    private func take(
        _ records: [(record: EntityRecord, heads: EntityHeads)], deleted: [RowKey]
    ) async throws {
        var rows: [SyncedRow] = []
        for (record, heads) in records {
            guard let model = names.models[record.type] else { continue }
            var lists: [String: [Int64]] = [:]
            if !model.lists.isEmpty {
                let keys = model.lists.map { EntityNames.key($0.name) }
                let entries = try await entities.entries(of: [record.reference], keys: keys)
                for (list, key) in zip(model.lists, keys) {
                    let own = (entries.first ?? []).filter { $0.key == key }
                    lists[list.name] = listEntries(own).compactMap {
                        $0.property.value.relationship?.identifier
                    }.map { names.id(of: $0, in: list.target) }
                }
            }
            rows.append(
                SyncedRow(
                    key: RowKey(
                        table: model.table, id: names.id(of: record.identifier, in: model.table)),
                    identifier: record.identifier,
                    values: model.columns.map { value($0, of: record) }, lists: lists,
                    seen: heads.text))
        }
        var (count, refused) = (0, 0)
        for file in files {
            let tables = Set(file.models.map(\.table))
            let own = rows.filter { tables.contains($0.key.table) }
            let deletions = deleted.filter { tables.contains($0.table) }
            guard !own.isEmpty || !deletions.isEmpty else { continue }
            let taken = try await file.take(own, deleted: deletions)
            count += taken.count
            refused += taken.refused.count
        }
        if count > 0 { post(.received(rows: count)) }
        if refused > 0 { post(.refused(rows: refused)) }
    }

    private func value(_ column: SyncedModel.Column, of record: EntityRecord) -> SQLValue? {
        let keys = [column.key] + column.formerNames.reversed().map(EntityNames.key)
        let value = keys.lazy.compactMap { record.properties[value: $0] }.first
        return value.flatMap { column.sqlValue($0, id: names.id) } ?? column.defaultValue
    }
}
