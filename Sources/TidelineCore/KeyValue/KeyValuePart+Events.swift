import Foundation
import KeyValueStore
import Replication

/// The events of a session about keys.
extension KeyValuePart {
    func handle(_ event: KeyValueStore.Event, of store: KeyValueStore) {
        let date = event.date
        switch event.kind {
        case .loaded(_, let keyCount, let rows):
            context.noteChange(isLoad: true)
            lifecycle.emit(loaded(store, keyCount: keyCount, rows: rows, date: date))
        case .changed(let changes):
            lifecycle.emit(
                changed(changes, device: context.device, isOwn: true, rows: nil, date: date))
        case .synced(let sync):
            lifecycle.emit(
                changed(
                    sync.changes, device: sync.device, isOwn: sync.device == context.device,
                    rows: sync, date: date))
        case .conflict(let key, let devices, let writer):
            context.noteChange()
            let names = devices.map(context.name(of:)).joined(separator: ", ")
            lifecycle.emit(
                SessionEvent(
                    .conflict(.conflicts, RowID(key)), date: date, device: writer,
                    summary: "≠ \(key): \(names)", elsewhere: [.keys: [RowID(key): .conflict]],
                    report: EventReport(
                        "conflict", store: PaneID.keys.part,
                        ["key": .string(key), "devices": .array(devices.map { .string($0.name) })],
                        text: "conflict: \(key): \(devices.map(\.name).joined(separator: ", "))")))
        case .resolved(let key):
            context.noteChange()
            lifecycle.emit(
                SessionEvent(
                    .resolved(.keys, RowID(key)), date: date, summary: "resolved \(key)",
                    report: EventReport(
                        "resolved", store: PaneID.keys.part, ["key": .string(key)],
                        text: "resolved: \(key)")))
        case .device: lifecycle.emit(SessionEvent(.devices, date: date))
        case .blob(let path):
            blobs?.note([Name(path)])
            // Device names may have changed, so existing lists are outdated.
            if path.hasPrefix(StorePackage.deviceNameFolder) { context.noteChange() }
            lifecycle.emit(
                SessionEvent(
                    .blob(path), date: date, summary: "blob \(path)",
                    report: EventReport(
                        "blob", store: "blobs", ["blob": .string(path)], text: "blob: \(path)")))
        case .saveFailed(let message):
            let keys = AppliedEdit.summary(store.unsavedKeys)
            let reason = store.saveFailure.map { context.reason(of: $0) } ?? message
            lifecycle.emit(
                SessionEvent(
                    .status, date: date,
                    summary: keys.isEmpty
                        ? "not written: \(reason)" : "not written yet: \(keys): \(reason)"))
        case .saveUnconfirmed(let message):
            lifecycle.emit(SessionEvent(.status, date: date, summary: message))
        case .saved:
            // The last unsaved changes were saved or discarded.
            lifecycle.emit(
                SessionEvent(.status, date: date, summary: "no unsaved changes are left"))
        case .deleted: lifecycle.setMissing(true, date: date)
        case .returned:
            context.noteChange()
            lifecycle.setMissing(false, date: date)
        }
    }

    private func loaded(
        _ store: KeyValueStore, keyCount: Int, rows: Int, date: Date
    ) -> SessionEvent {
        let (keys, rowText) = (Counted.text(keyCount, "key"), Counted.text(rows, "row"))
        // This device counts only after its first write.
        let devices = store.devices.count { !($0.isOwn && $0.state == .absent) }
        let present = store.devices.count { $0.state != .absent }
        return SessionEvent(
            .loaded, date: date,
            summary: "loaded \(keys), \(rowText) from " + Counted.text(present, "device"),
            report: EventReport(
                "loaded", store: PaneID.keys.part,
                ["devices": .count(devices), "keys": .count(keyCount), "rows": .count(rows)],
                text: "loaded: \(Counted.text(devices, "device")), \(keys), \(rowText)"))
    }

    /// Returns one event for all changed keys: `+3 note/2/…`.
    private func changed(
        _ changes: KeyValueStore.Changes, device: DeviceID?, isOwn: Bool,
        rows sync: KeyValueStore.Sync?, date: Date
    ) -> SessionEvent {
        var marks: [RowID: RowMark] = [:]
        for (key, change) in changes.byKey {
            marks[RowID(key.text)] =
                change.isRemoval ? .deleted : change.isNew ? .new : .changed
        }
        context.noteChange()
        let names = changes.keys
        let subject =
            switch names.count {
            case 0: sync.map { "\(Counted.text($0.rows, "row")), no value changed" } ?? ""
            case 1: names[0]
            default: Self.several(names)
            }
        let rowCount = sync?.rows ?? names.count
        let counts = changes.counts(rows: sync?.rows ?? 0)
        let oldest = isOwn ? nil : sync?.oldest
        return SessionEvent(
            .changed(.keys, rows: marks, isOwn: isOwn), date: date, device: device,
            summary: Self.exchange(changes) ?? "\(counts) \(subject)",
            elsewhere: [.conflicts: marks, .log: sync.map { log.marks(ofNew: $0) } ?? [:]],
            values: Self.values(changes), written: oldest, rowCount: rowCount,
            report: EventReport(
                writtenBy: device, own: context.device, store: PaneID.keys.part, rows: rowCount,
                keys: sync?.keys ?? names, removed: changes.removed,
                counts: sync != nil && names.isEmpty ? "no value changed:" : counts,
                latency: sync?.latency, late: oldest?.lateness(at: Timestamp(date))))
    }

    /// The maximum number of changed keys in an event with values.
    private static let mostValues = 1_000

    /// Returns the values of keys, each on a line of at most 1,000 characters.
    private static func values(_ changes: KeyValueStore.Changes) -> [RowID: String] {
        guard changes.byKey.count <= mostValues else { return [:] }
        let values = changes.byKey.map { key, change in
            let text =
                change.isRemoval
                ? "deleted"
                : change.value?.line ?? PropertyList.line(ofByteCount: change.byteCount)
            return (RowID(key.text), String(text.prefix(1_000)))
        }
        return Dictionary(values) { $1 }
    }

    /// Returns a summary that names both keys if one key was deleted and one was added, as by
    /// renaming. It doesn't report whether both have the same value, because that requires reading
    /// the log.
    private static func exchange(_ changes: KeyValueStore.Changes) -> String? {
        guard changes.byKey.count == 2,
            let old = changes.byKey.first(where: \.value.isRemoval),
            let new = changes.byKey.first(where: \.value.isNew)
        else { return nil }
        return "deleted \(old.key.text), set \(new.key.text)"
    }

    /// Returns the common prefix of keys. If they have none, returns the first key.
    private static func several(_ names: [String]) -> String {
        // The keys are sorted, so the prefix of the first and last is common to all.
        let beginning = (names.first ?? "").commonPrefix(with: names.last ?? "")
        guard beginning.isEmpty else { return beginning + "…" }
        return names.prefix(2).joined(separator: ", ") + (names.count > 2 ? ", …" : "")
    }
}

extension KeyValueStore.Changes {
    fileprivate var removed: [String] { byKey.filter(\.value.isRemoval).keys.sorted().texts }

    /// Returns the numbers of changes; see ``Counted/signs(new:changed:deleted:)``.
    ///
    /// - Parameter rows: The number of rows written. It is used if all changed keys are new, or if
    ///   none is new or deleted.
    fileprivate func counts(rows: Int) -> String {
        let deleted = byKey.values.count(where: \.isRemoval)
        let new = byKey.values.count { $0.isNew && !$0.isRemoval }
        let changed = byKey.count - deleted - new
        if deleted == 0, changed == 0 { return "+\(max(new, rows))" }
        if deleted == 0, new == 0 { return "~\(max(changed, rows))" }
        return Counted.signs(new: new, changed: changed, deleted: deleted)
    }
}
