import AutoModel
import EntityStore
import Foundation
import Replication

extension AutoSync {
    /// Writes the unsent values of the tables to this device's log.
    func send() async throws {
        var pending: [(file: SyncedFile, rows: [PendingRow])] = []
        for file in files {
            let rows = try await file.pending()
            if !rows.isEmpty { pending.append((file, rows)) }
        }
        defer { mayBeSent = false }
        guard !pending.isEmpty else { return }
        let outgoing = try await outgoing(of: pending.flatMap(\.rows))
        hasPostponed = !outgoing.waiting.isEmpty
        // Entities are created first, so that references can point to them.
        var stale = try await entities.write(outgoing.writes, making: outgoing.made)
        for (reference, key, targets, base) in outgoing.lists {
            let isMerged = try await setList(targets, since: base, key: key, of: reference)
            if isMerged { stale.append(reference) }
        }
        try await entities.delete(outgoing.deleted.map { .identifier($0) })
        for (file, rows) in pending {
            let rows = rows.filter { !outgoing.waiting.contains($0.key) }
            let keys = Set(rows.map(\.key))
            try await file.confirm(
                rows, sent: outgoing.sent.filter { keys.contains($0.key) },
                deletions: outgoing.deletions.intersection(keys))
        }
        let count = outgoing.sent.count + outgoing.deleted.count
        if count > 0 { post(.sent(rows: count)) }
        // `stale` contains the rows that other devices wrote or deleted in the meantime. The table
        // receives these changes now.
        stale += outgoing.lost.map { .identifier($0) }
        if !stale.isEmpty { try await take(stale) }
    }

    /// The rows to write to the log.
    private struct OutgoingChanges {
        var made: [EntityReference] = []
        var writes: [EarlierWrite] = []
        var lists: [(EntityReference, key: String, targets: [String], base: [String]?)] = []
        var deleted: [String] = []
        var sent: [RowKey: String] = [:]
        var deletions: Set<RowKey> = []
        /// Entities that other devices deleted in the meantime.
        var lost: [String] = []
        /// Rows that stay unsent until a log with their entities, or with the entities that they
        /// refer to, arrives.
        var waiting: Set<RowKey> = []
    }

    /// Returns the keys of the given rows and of all rows that they refer to.
    private func mentioned(in rows: [PendingRow]) -> Set<RowKey> {
        var keys = Set(rows.map(\.key))
        for row in rows {
            guard let model = names.models[row.key.table], let current = row.row else { continue }
            for (column, value) in zip(model.columns, current.values) {
                if let target = value.flatMap(column.target) { keys.insert(target) }
            }
            for list in model.lists {
                let before = row.marks.first { $0.column == list.name }?.base ?? []
                keys.formUnion(
                    (before + (current.lists[list.name] ?? [])).map {
                        RowKey(table: list.target, id: $0)
                    })
            }
        }
        return keys
    }

    /// Returns the rows that can't be sent yet.
    ///
    /// - Parameter isMissing: Whether a row was sent or received, but the package has neither its
    ///   entity nor a deletion of the entity.
    private func postponed(_ rows: [PendingRow], isMissing: (RowKey) -> Bool) -> Set<RowKey> {
        var waiting = Set(
            rows.filter { isMissing($0.key) && ($0.row == nil || !$0.isNew) }.map(\.key))
        // New rows that wait have no entity, so rows that refer to them wait, too.
        var unmade: Set<RowKey> = []
        var rest = rows.filter { !waiting.contains($0.key) }.map { row in
            (key: row.key, isNew: row.isNew, targets: targets(of: row))
        }
        while true {
            let place = rest.partition { row in
                row.targets.contains { isMissing($0) || unmade.contains($0) }
            }
            let found = rest[place...]
            guard !found.isEmpty else { return waiting }
            waiting.formUnion(found.map(\.key))
            unmade.formUnion(found.filter(\.isNew).map(\.key))
            rest.removeSubrange(place...)
        }
    }

    /// Returns the rows that the unsent values of a row refer to.
    private func targets(of row: PendingRow) -> [RowKey] {
        guard let model = names.models[row.key.table], let current = row.row else { return [] }
        let isUnsent = { (name: String) in
            row.isNew || row.marks.contains { $0.column == name }
        }
        var targets: [RowKey] = []
        for (column, value) in zip(model.columns, current.values) where isUnsent(column.name) {
            if let target = value.flatMap(column.target) { targets.append(target) }
        }
        for list in model.lists where isUnsent(list.name) {
            targets += (current.lists[list.name] ?? []).map { RowKey(table: list.target, id: $0) }
        }
        return targets
    }

    private func outgoing(of rows: [PendingRow]) async throws -> OutgoingChanges {
        var outgoing = OutgoingChanges()
        let known = try await known(of: mentioned(in: rows))
        var identifiers = known
        for row in rows where row.row != nil && identifiers[row.key] == nil {
            identifiers[row.key] = EntityNames.identifier(of: row.key)
        }
        let all = identifiers
        let there = Set(
            try await entities.records(of: all.values.map { .identifier($0) }, keys: [])
                .compactMap { $0?.identifier })
        let gone = await entities.deleted(among: Array(all.values))
        let postponed = postponed(rows) { key in
            known[key].map { !there.contains($0) && !gone.contains($0) } ?? false
        }
        outgoing.waiting = postponed
        let sending = rows.filter { !postponed.contains($0.key) }
        let making = Set(sending.filter { $0.row != nil && $0.isNew }.compactMap { all[$0.key] })
        let target = { (key: RowKey) -> String? in
            guard let name = all[key], there.contains(name) || making.contains(name) else {
                return nil
            }
            return name
        }
        for row in sending {
            guard let current = row.row else {
                if let name = known[row.key] { outgoing.deleted.append(name) }
                outgoing.deletions.insert(row.key)
                continue
            }
            guard let model = names.models[row.key.table], let name = all[row.key] else { continue }
            guard row.isNew || there.contains(name) else {
                outgoing.lost.append(name)
                continue
            }
            let reference = EntityReference.identifier(name)
            if !there.contains(name) { outgoing.made.append(reference.orCreate(model.table)) }
            outgoing.sent[row.key] = name
            let sent = mayBeSent ? try await sent(row, reference) : []
            for (column, value) in zip(model.columns, current.values)
            where (row.isNew || row.marks.contains { $0.column == column.name })
                && !sent.contains(column.name)
            {
                let value = value.flatMap { column.entityValue($0, target: target) }
                outgoing.writes.append(
                    EarlierWrite(
                        reference, column.key, value,
                        seen: row.mark(of: column.name).flatMap { EntityHeads(text: $0.seen) }))
            }
            for list in model.lists
            where row.isNew || row.marks.contains(where: { $0.column == list.name }) {
                let names = { (ids: [Int64]) in
                    ids.compactMap { target(RowKey(table: list.target, id: $0)) }
                }
                outgoing.lists.append(
                    (
                        reference, EntityNames.key(list.name),
                        names(current.lists[list.name] ?? []),
                        row.marks.first { $0.column == list.name }?.base.map(names)
                    ))
            }
        }
        return outgoing
    }

    /// Returns the columns whose values this device's log already contains, because the program
    /// ended before it could record that they were sent. Other devices may have written newer
    /// values since then.
    private func sent(_ row: PendingRow, _ reference: EntityReference) async throws -> Set<String> {
        guard let model = names.models[row.key.table], let values = row.row?.values else {
            return []
        }
        let entries = try await entities.entries(of: [reference]).first ?? []
        var sent: Set<String> = []
        for (column, value) in zip(model.columns, values) {
            let date = row.marks.filter { [column.name, "*"].contains($0.column) }.map(\.date).max()
            guard let date, let value else { continue }
            let seconds = (date - 2_440_587.5) * 86_400
            // Compare only the newest entry. An older one may have the same value, and even a later
            // time than the write if the clock was set back.
            let newest = entries.filter { $0.id.device == ownDevice && $0.key == column.key }
                .max { $0.id.row < $1.id.row }
            // The date is a Julian day number, whose precision is only a tenth of a millisecond.
            if let newest, newest.written.date.timeIntervalSince1970 >= seconds - 0.002,
                column.sqlValue(newest.property.value, id: names.id) == value
            {
                sent.insert(column.name)
            }
        }
        return sent
    }
}
