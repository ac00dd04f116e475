import Foundation
import KeyValueStore
import Replication

/// The display name of this device, which is a file among the blobs.
extension DevicesSource {
    func preview(_ edit: Edit) async throws -> EditPreview {
        let (device, name) = try naming(edit)
        let old = shownName(of: device)
        guard name != old else { throw EditError(.unchanged, "the device has this name") }
        return EditPreview(
            edit: edit, summary: "name this device \(name.quoted)",
            changes: [.init(subject: device.name, old: .init(old), new: .init(name))],
            file: "Blobs/\(package.pathOfName(of: device))", expectation: [Name(device.name): old])
    }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        let (device, name) = try naming(preview.edit)
        let old = shownName(of: device)
        guard preview.expectation[Name(device.name)] == old else {
            throw EditError(.moved, "the device has got the name \(old.quoted) in the meantime")
        }
        var isUnconfirmed = false
        do {
            try package.setDeviceName(name, of: device)
        } catch let error as ReplicationError where error.code == .unconfirmed {
            isUnconfirmed = true
        } catch {
            throw EditError(writing: error)
        }
        let row = RowID(device.name)
        return AppliedEdit(
            summary: preview.summary, date: Date(), rows: [row], undo: [.rename(row, to: old)],
            isUnconfirmed: isUnconfirmed)
    }

    /// Returns the device that an edit names, and its new name.
    private func naming(_ edit: Edit) throws(EditError) -> (DeviceID, String) {
        guard case .rename(let row, nil, let text) = edit else {
            throw EditError(.unsupported, "only the name of this device can be edited")
        }
        try writing.check()
        guard let own = writing.device, RowID(own.name) == row else {
            throw EditError(.unsupported, "only this device can be renamed")
        }
        let name = text.trimmingCharacters(in: .whitespaces)
        guard StorePackage.isDeviceName(name) else {
            throw EditError(.invalid, "a name has 1 to 200 characters on one line")
        }
        return (own, name)
    }

    private func shownName(of device: DeviceID) -> String {
        package.deviceNames()[device] ?? device.name
    }
}
