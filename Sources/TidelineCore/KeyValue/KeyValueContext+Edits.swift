import Foundation
import KeyValueStore
import Replication

/// Edits of keys: what they would write, and writing it.
extension KeyValueContext {
    func preview(_ edit: Edit) throws -> EditPreview {
        guard let device else {
            throw EditError(.readOnly, "there is no device to write as; start with --device")
        }
        let changes = try self.changes(of: edit)
        var warnings: [String] = []
        if let problem = store.devices.first(where: { $0.device == device })?.problem {
            warnings.append("this device's log: \(problem)")
        }
        for change in changes where store.entry(forKey: change.key)?.isConflict == true {
            guard edit.kind != .resolve else { continue }
            warnings.append("\(change.key) is in conflict; this write resolves it")
        }
        var expectation: [String: String] = [:]
        for change in changes { expectation[change.key] = stamp(ofKey: change.key) }
        return EditPreview(
            edit: edit, summary: summary(of: edit),
            changes: changes.map { change in
                EditPreview.Change(
                    subject: change.key, old: store.value(forKey: change.key)?.line,
                    new: change.value?.line)
            },
            device: device, file: ownFile, createsDevice: createsDevice, warnings: warnings,
            expectation: expectation)
    }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        guard isWritable else { throw EditError(.readOnly, "the store is open for reading") }
        let changes = try self.changes(of: preview.edit)
        for change in changes where preview.expectation[change.key] != stamp(ofKey: change.key) {
            throw EditError(.moved, "\(change.key) was written by another device meanwhile")
        }
        let undo = changes.map { change -> Edit in
            let row = RowID(change.key)
            guard let old = store.value(forKey: change.key) else {
                return .remove([row], field: nil)
            }
            return change.value == nil
                ? .add(name: change.key, parent: nil, TypedText(old))
                : .set(row, field: nil, TypedText(old))
        }
        if case .resolve(let row, .take(let device)) = preview.edit {
            try store.resolve(row.name, taking: device)
        } else {
            try store.set(
                contentsOf: Dictionary(
                    changes.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 }))
        }
        try await store.save()
        return AppliedEdit(
            summary: preview.summary, date: Date(), rows: changes.map { RowID($0.key) },
            undo: undo.reversed())
    }

    private struct KeyChange {
        let key: String
        let value: PropertyList?
    }

    /// The keys that an edit writes, with their new values; `nil` removes.
    private func changes(of edit: Edit) throws -> [KeyChange] {
        switch edit {
        case .set(let row, nil, let text):
            try requirePresent(row.name)
            return [KeyChange(key: row.name, value: try text.propertyList())]
        case .add(let name, nil, let text):
            try requireFree(name)
            return [KeyChange(key: name, value: try text.propertyList())]
        case .rename(let row, let name):
            let value = try requirePresent(row.name)
            try requireFree(name)
            return [
                KeyChange(key: row.name, value: nil), KeyChange(key: name, value: value),
            ]
        case .remove(let rows, nil):
            for row in rows { try requirePresent(row.name) }
            return rows.map { KeyChange(key: $0.name, value: nil) }
        case .resolve(let row, .value(let text)):
            return [KeyChange(key: row.name, value: try text.propertyList())]
        case .resolve(let row, .take(let device)):
            guard let conflict = try store.conflict(forKey: row.name),
                let head = ([conflict.winner] + conflict.others).first(where: {
                    $0.device == device
                })
            else { throw EditError(.moved, "\(row.name) is not in conflict any more") }
            return [KeyChange(key: row.name, value: try head.value())]
        case .set, .add, .remove, .relate:
            throw EditError(.unsupported, "a key has no fields")
        }
    }

    @discardableResult
    private func requirePresent(_ key: String) throws(EditError) -> PropertyList {
        guard let value = store.value(forKey: key) else {
            throw EditError(.notFound, "no key \(key.debugDescription)")
        }
        return value
    }

    private func requireFree(_ key: String) throws(EditError) {
        guard !key.isEmpty else { throw EditError(.invalid, "a key needs a name") }
        guard store.value(forKey: key) == nil else {
            throw EditError(.invalid, "there is a key \(key.debugDescription) already")
        }
    }

    /// The row that a preview was made on.
    private func stamp(ofKey key: String) -> String {
        guard let entry = store.entry(forKey: key) else { return "" }
        return "\(entry.device?.name ?? "") \(entry.timestamp.microseconds)"
    }

    private func summary(of edit: Edit) -> String {
        switch edit {
        case .set(let row, _, _): "set \(row.name)"
        case .add(let name, _, _): "add \(name)"
        case .rename(let row, let name): "rename \(row.name) to \(name)"
        case .remove(let rows, _):
            rows.count == 1 ? "remove \(rows[0].name)" : "remove \(rows.count) keys"
        case .resolve(let row, .take(let device)):
            "resolve \(row.name) as \(name(of: device)) has it"
        case .resolve(let row, .value): "resolve \(row.name) by another value"
        case .relate(let row, _, _, _): "relate \(row.name)"
        }
    }

    func copyForms(ofKey key: String) -> [CopyForm] {
        guard let value = store.value(forKey: key) else { return [CopyForm("key", key)] }
        let json = value.description
        return [
            CopyForm("value", TypedText(value).text), CopyForm("key", key),
            CopyForm("JSON", "{\(PropertyList.json(string: key)):\(json)}"),
        ]
    }
}
