import Foundation
import KeyValueStore
import Replication

extension KeyValueContext {
    /// Returns the preview of an edit.
    ///
    /// - Parameter conflicts: The conflicts, if the caller has read them already.
    func preview(
        _ edit: Edit, among conflicts: [Name: KeyValueStore.Conflict]? = nil
    ) throws -> EditPreview {
        let edit = edit.aboutWholeKeys
        guard let device else { throw EditError.withoutDevice }
        try requireWritableLog()
        if case .revert(let written) = edit {
            return try preview(undoing: written, edit, as: device)
        }
        let resolution = try resolution(by: edit, among: conflicts)
        var plan = try self.plan(of: edit, resolution)
        let changes = plan.action
        try requireNewValue(edit, changes)
        var warnings = resolution.map(warnings) ?? []
        if let problem = store.devices.first(where: { $0.device == device })?.advisedProblem {
            warnings.append("this device's log: \(problem)")
        }
        for change in changes where store.entry(forKey: change.key)?.isConflict == true {
            guard edit.kind != .resolve,
                !warnings.contains(where: { $0.hasPrefix("\(change.key) is in conflict") })
            else { continue }
            warnings.append(EditPreview.warning(ofResolving: change.key))
        }
        if case .restore(let rows, _, _) = edit, rows.count > changes.count {
            let count = rows.count - changes.count
            warnings.append(
                "\(Counted.text(count, "key already has", "keys already have")) that value")
        }
        if case .restore = edit, let unread = unreadLog {
            warnings.append("the values at that time may be newer: \(unread)")
        }
        for change in changes {
            plan.expectation[change.key] = resolution?.stamp ?? stamp(ofKey: change.key)
        }
        plan.changes = changes.map { change in
            EditPreview.Change(
                subject: ([change.key] + (change.part?.steps ?? [])).joined(separator: " › "),
                old: change.part.map { $0.old?.shown } ?? shownValue(ofKey: change.key),
                new: change.part.map { $0.new?.shown } ?? change.value?.shown)
        }
        plan.warnings = warnings
        plan.resolvesConflict = changes.contains {
            store.entry(forKey: $0.key)?.isConflict == true
        }
        return plan.preview(of: edit, as: device, in: ownFile, createsDevice: createsDevice)
    }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        guard writing.isUnlocked else { throw EditError.locked }
        try requireWritableLog()
        if case .revert(let written) = preview.edit {
            return try await self.undo(written, preview)
        }
        let resolution = try resolution(by: preview.edit)
        // Read the newest timestamps before comparing the rows. The store detects later changes.
        var seen: [Name: Timestamp?] = [:]
        for (key, stamp) in preview.expectation {
            seen[key] = .some(store.newestTimestamp(forKey: key.text))
            guard stamp == resolution?.stamp ?? self.stamp(ofKey: key.text) else {
                throw resolution == nil ? moved(key.text) : Self.moved(key.text)
            }
        }
        let changes = try plan(of: preview.edit, resolution).action
        for change in changes where preview.expectation[change.key] == nil {
            throw Self.moved(change.key)
        }
        let write = KeyWrite(
            keys: changes.map(\.key), part: changes.count == 1 ? changes[0].part?.undo : nil
        ) { [seen] store in
            if let resolution { return try self.write([resolution]) }
            let values = Dictionary(
                changes.map { (Name($0.key), $0.value) }, uniquingKeysWith: { $1 })
            try store.set(contentsOf: values, ifNewestAre: seen)
        }
        return try await self.write(EditPlan(summary: preview.summary, action: write))
    }

    /// Writes a plan in one transaction.
    ///
    /// - Throws: Errors of ``KeyWrite/perform``; ``EditError``. If this throws, nothing is written.
    func write(_ plan: EditPlan<KeyWrite>) async throws -> AppliedEdit {
        let write = plan.action
        let saved = try await save(refusingUnseen: write.isExclusive) {
            do {
                try write.perform(store)
            } catch let error as KeyValueError
                where error.code == .changedSinceRead && write.isExclusive
            {
                throw Self.moved(write.keys.joined(separator: ", "))
            }
            return write.keys
        }
        return applied(
            write.keys, saved, summary: plan.summary, others: plan.others, part: write.part
        ).noting(plan.changes)
    }

    /// Returns the edit that wrote this device's newest rows of the given keys.
    ///
    /// - Parameters:
    ///   - summary: The summary of the first edit.
    ///   - others: The number of further edits.
    func applied(
        _ keys: [String], _ saved: Saved, summary: String, others: Int = 0, part: PartUndo? = nil
    ) -> AppliedEdit {
        let rows = keys.compactMap { key in
            store.ownTimestamp(forKey: key).map { KeyUndo.KeyRow(key, $0) }
        }
        let plan = EditPlan(
            summary: summary, others: others, rowCount: rows.count,
            action: KeyUndo(keys: rows, part: part))
        return plan.applied(
            to: keys.map { RowID($0) },
            undo: rows.count == keys.count
                ? try? plan.record(of: PaneID.keys.part, plan.action) : nil,
            isPending: saved == .waiting, isUnconfirmed: saved == .unconfirmed)
    }

    /// The state of an edit after saving.
    enum Saved {
        case written
        /// The edit waits for another program's lock.
        case waiting
        /// The edit is written, but the disk didn't confirm it. An event of the store reports this.
        case unconfirmed
    }

    /// Makes and saves an edit, and then reports it. An edit that fails is withdrawn before the
    /// error is thrown, and is not reported. If an edit only has to wait for another program's
    /// lock, it is kept and retried.
    ///
    /// - Parameters:
    ///   - refusesUnseen: Whether the edit fails if another process of this device has written one
    ///     of the keys since the store read the log.
    ///   - change: Changes values in memory and returns their keys.
    /// - Throws: Errors of `change`; ``EditError``.
    func save(
        refusingUnseen refusesUnseen: Bool = true, _ change: () throws -> [String]
    ) async throws -> Saved {
        store.holdEvents()
        var withdrawn: [String] = []
        defer {
            store.releaseEvents(dropping: withdrawn)
            // Do this before the event arrives, so that the caller's next query contains the edit.
            noteChange()
        }
        let keys = try change()
        if keys.isEmpty { return .written }
        do {
            try await store.save(
                orWithdraw: keys, refusingUnseen: refusesUnseen,
                unless: { [retries = self.retries] in retries && Self.isTemporary($0) })
            return .written
        } catch let error as ReplicationError where error.code == .unconfirmed {
            return .unconfirmed
        } catch let error where retries && Self.isTemporary(error) {
            return .waiting
        } catch {
            withdrawn = keys
            if let error = error as? KeyValueError, error.code == .changedSinceRead {
                throw EditError(.moved, error.message)
            }
            throw EditError(writing: error)
        }
    }

    /// Throws an error if an edit doesn't resolve a conflict and doesn't change the value of a key.
    private func requireNewValue(_ edit: Edit, _ changes: [KeyChange]) throws(EditError) {
        guard case .set = edit else { return }
        let areSame = changes.allSatisfy { change in
            guard let entry = store.entry(forKey: change.key), !entry.isRemoved, !entry.isConflict
            else { return false }
            return ((try? entry.value()) ?? nil) == change.value
        }
        if areSame { throw EditError.sameValue }
    }

    /// Whether an edit that has to wait for another program is retried later. This is the case on
    /// the screen, but not in a command, which ends.
    private var retries: Bool { store.configuration.watchesFolder }

    private static func isTemporary(_ error: any Error) -> Bool {
        (error as? ReplicationError)?.code == .busy
    }

    /// Returns the error for a key that was changed after the preview. The error names the writer.
    private func moved(_ key: String) -> EditError {
        guard let entry = store.entry(forKey: key), let device = entry.device else {
            return Self.moved(key)
        }
        let way = entry.isRemoved ? "deleted" : "written"
        return EditError(.moved, "\(key) was \(way) by \(name(of: device)) in the meantime")
    }

    static func moved(_ keys: String) -> EditError {
        EditError(.moved, "\(keys) has changed in the meantime")
    }

    /// Throws an error if this device's log is damaged, because then nothing can be appended.
    func requireWritableLog() throws(EditError) {
        if let problem = ownProblem { throw EditError(.unreadable, problem) }
    }

    struct KeyWrite {
        let keys: [String]
        /// Whether the write fails if another process of this device has written one of the keys
        /// since the plan was made. Otherwise, the newer write wins.
        var isExclusive = true
        /// The undo data of the edited part of a value.
        var part: PartUndo?
        /// Changes the values in memory.
        let perform: (KeyValueStore) throws -> Void
    }

    struct KeyChange {
        let key: String
        let value: PropertyList?
        /// The part of the value that changes; `nil` if the whole value changes.
        var part: PartChange?
    }

    struct PartChange {
        let steps: [String]
        let old: PropertyList?
        let new: PropertyList?
        let undo: PartUndo
    }

    /// Returns the keys that an edit writes, with their new values, and the summary of the edit.
    private func plan(
        of edit: Edit, _ resolution: PlannedResolution?
    ) throws -> EditPlan<[KeyChange]> {
        let summary: String
        let changes: [KeyChange]
        switch edit {
        case .set(let row, let field, let text):
            summary = "set \(Self.name(row, field))"
            if let field {
                changes = [try setting(row, field, text)]
                break
            }
            // A deleted key can be set, because it existed when the user started typing.
            guard store.entry(forKey: row.name) != nil else { throw Self.missing(row.name) }
            changes = [KeyChange(key: row.name, value: try text.value(as: PropertyList.self))]
        case .add(let name, let row?, let field, let text):
            changes = [try adding(name, text, to: row, field ?? FieldPath())]
            summary =
                field.map {
                    (store.value(forKey: row.name) ?? "").summary(
                        ofAdding: name, at: $0.steps, to: Self.name(row, $0))
                } ?? "add \(name)"
        case .add(let name, nil, _, let text):
            try requireFree(name)
            summary = "add \(name)"
            changes = [KeyChange(key: name, value: try text.value(as: PropertyList.self))]
        case .rename(let row, let field, let name):
            summary = "rename \(Self.name(row, field)) to \(name)"
            if let field {
                changes = [try renaming(row, field, to: name)]
                break
            }
            let value = try value(of: row)
            try requireFree(name)
            changes = [KeyChange(key: row.name, value: nil), KeyChange(key: name, value: value)]
        case .remove(let rows, let field?):
            changes = [try removing(field, of: rows)]
            summary = "delete \(Self.name(rows[0], field))"
        case .remove(let rows, nil):
            for row in rows { try requirePresent(row.name) }
            summary = "delete \(Self.names(rows))"
            changes = rows.map { KeyChange(key: $0.name, value: nil) }
        case .resolve(let row, let way):
            summary =
                "resolve \(row.name)"
                + words(for: way, isProposal: resolution?.isProposal ?? false)
            if let resolution {
                changes = [KeyChange(key: resolution.conflict.key, value: resolution.value)]
            } else if case .value(let text) = way {
                // The conflict is already resolved, so the edit is an ordinary write.
                changes = [KeyChange(key: row.name, value: try text.value(as: PropertyList.self))]
            } else {
                changes = []
            }
        case .restore(let rows, _, let instant):
            changes = try rows.compactMap { try restoring($0.name, at: instant) }
            guard !changes.isEmpty else {
                throw EditError(
                    .unchanged,
                    "nothing to restore: \(Self.names(rows)) "
                        + (rows.count == 1 ? "already has that value" : "already have those values")
                )
            }
            let name = rows.count == 1 ? rows[0].name : Counted.text(changes.count, "key")
            summary = "restore \(name) as of \(instant.secondText)"
        case .relate: throw EditError(.unsupported, "keys have no relationships")
        case .count: throw EditError(.unsupported, "keys can't be incremented")
        case .takeOver: throw EditError.takingOverElsewhere
        case .revert, .run: throw EditError(.unsupported, "keys have no commands")
        }
        return EditPlan(summary: summary, action: changes)
    }

    /// Returns the end of the summary of a resolution.
    private func words(for resolution: Edit.Resolution, isProposal: Bool) -> String {
        switch resolution {
        case .take(let side): return " with \(name(of: side.author))'s value"
        case .value: return isProposal ? " with the merged value" : " with a new value"
        case .picks(let picks):
            let names = picks.map { "\(name(of: $0.value.author))'s \($0.key)" }.sorted()
            return " with the merged value"
                + (picks.isEmpty ? "" : ", and " + names.joined(separator: ", "))
        case .properties: return ""
        }
    }

    /// Returns the change that restores a key's value at an instant; `nil` if it is the same now.
    private func restoring(_ key: String, at instant: Timestamp) throws -> KeyChange? {
        let row = try row(ofKey: key, at: instant)
        guard row?.isLeftInLog != true else {
            throw EditError(
                .unsupported, "the earlier value of \(key.quoted) is too large to show")
        }
        let value = row?.isDeletion == false ? try row?.value() : nil
        let entry = store.entry(forKey: key)
        guard entry != nil || row != nil else { throw Self.missing(key) }
        if value == nil, entry?.isRemoved == false,
            let reason = try unreadLog ?? missingRow(ofKey: key, at: instant)
        {
            throw EditError(
                .unreadable, "the value of \(key.quoted) at that time may be missing: \(reason)")
        }
        if entry?.isConflict != true {
            guard let entry, !entry.isRemoved else {
                return value.map { KeyChange(key: key, value: $0) }
            }
            if let value, let now = try? entry.value(), now == value { return nil }
        }
        return KeyChange(key: key, value: value)
    }

    /// Returns a clause about a row that was current at an instant but has not arrived; `nil` if no
    /// later row names such a row as its parent.
    private func missingRow(ofKey key: String, at instant: Timestamp) throws -> String? {
        let rows = try store.rows(forKey: key)
        let known = Set(rows.map(\.timestamp))
        let (earlier, later) = (
            rows.filter { $0.timestamp <= instant }, rows.filter { $0.timestamp > instant }
        )
        let superseded = Set(earlier.flatMap { $0.parents ?? [] })
        let missing = later.flatMap { $0.parents ?? [] }.first {
            $0.timestamp <= instant && !known.contains($0.timestamp) && !superseded.contains($0)
        }
        return missing.map {
            "the row that \(name(of: $0.device)) wrote at \($0.timestamp.secondText) has not "
                + "arrived"
        }
    }

    /// A clause about a log that can't be read, if there is one. Any key may have earlier values
    /// there.
    private var unreadLog: String? {
        store.unreadLogs.min { $0.key < $1.key }
            .map { "the log of \(name(of: $0.key)) can't be read: \($0.value)" }
    }

    func value(of row: RowID) throws(EditError) -> PropertyList {
        try requirePresent(row.name)
        let entry = store.entry(forKey: row.name)
        if let value = (try? entry?.value()) ?? nil { return value }
        throw EditError(
            .invalid,
            entry?.bytes == nil
                ? "\(row.name.quoted) can't be edited: its value is too large to show"
                : "\(row.name.quoted) can't be edited: its value is invalid")
    }

    func shownValue(ofKey key: String) -> EditPreview.Value? {
        guard let entry = store.entry(forKey: key), !entry.isRemoved else { return nil }
        return entry.bytes == nil
            ? EditPreview.Value(PropertyList.line(ofByteCount: entry.byteCount))
            : ((try? entry.value()) ?? nil)?.shown
    }

    private func requirePresent(_ key: String) throws(EditError) {
        guard store.entry(forKey: key)?.isRemoved == false else { throw Self.missing(key) }
    }

    private static func missing(_ key: String) -> EditError {
        EditError(.notFound, "no such key: \(key.quoted)")
    }

    private func requireFree(_ key: String) throws(EditError) {
        let entry = store.entry(forKey: key)
        // Restoring may write an empty key, if another program has written that key before.
        guard !key.isEmpty || entry != nil else {
            throw EditError(.invalid, "the key must not be empty")
        }
        guard entry?.isRemoved ?? true else {
            throw EditError(.invalid, "the key \(key.quoted) already exists")
        }
    }

    /// Returns the identity of the row on which a preview is based.
    func stamp(ofKey key: String) -> String {
        guard let entry = store.entry(forKey: key) else { return "" }
        return "\(entry.device?.name ?? "") \(entry.timestamp.microseconds)"
    }

    private static func names(_ rows: [RowID]) -> String {
        rows.count == 1 ? rows[0].name : "\(Counted.grouped(rows.count)) keys"
    }

    private static func name(_ row: RowID, _ field: FieldPath?) -> String {
        ([row.name] + (field?.steps ?? [])).joined(separator: " › ")
    }

    /// Returns the value of a key at an instant in the forms that can be copied.
    func copyForms(ofKey key: String, at instant: Timestamp?) throws -> [CopyForm] {
        guard let value = try value(ofKey: key, at: instant) else { return [CopyForm("key", key)] }
        let json = value.description
        return [
            CopyForm("value", TypedText(value).text), CopyForm("key", key),
            CopyForm("JSON", "{\(PropertyList.json(string: key)):\(json)}"),
        ]
    }
}
