import Foundation
import KeyValueStore
import Replication

/// The display name of this device. It is stored in a file among the blobs.
extension DevicesSource {
    /// The undo data of a new name.
    private struct FormerName: Codable {
        var device: String
        /// The former name; `nil` if the device had none.
        var name: String?
    }

    func preview(_ edit: Edit) async throws -> EditPreview {
        if let blobs, case .revert(let written) = edit, BlobsSource.wrote(written) {
            return try await blobs.preview(edit)
        }
        let (device, name) = try naming(edit)
        let names = package.deviceNames()
        let old = names[device]
        let shown = name ?? device.name
        guard name != old, shown != old ?? device.name else {
            throw EditError(.unchanged, "the device already has this name")
        }
        return EditPreview(
            edit: edit, summary: "name this device \(shown.quoted)",
            changes: [
                .init(subject: device.name, old: .init(old ?? device.name), new: .init(shown))
            ],
            file: "Blobs/\(package.pathOfName(of: device))",
            warnings: package.namesakes(of: device, named: shown).map {
                "\($0) has the same name"
            }, expectation: [Name(device.name): Self.stamp(old)])
    }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        if let blobs, case .revert(let written) = preview.edit, BlobsSource.wrote(written) {
            return try await blobs.apply(preview)
        }
        let (device, name) = try naming(preview.edit)
        let old = package.deviceNames()[device]
        guard preview.expectation[Name(device.name)] == Self.stamp(old) else {
            throw EditError(
                .moved,
                "the device was renamed to \((old ?? device.name).quoted) in the meantime")
        }
        let isUnconfirmed = try EditError.isUnconfirmed {
            try package.setDeviceName(name, of: device)
        }
        let plan = EditPlan(
            summary: preview.summary, action: FormerName(device: device.name, name: old))
        return plan.applied(
            to: [RowID(device.name)], undo: try plan.record(of: PaneID.devices.part, plan.action),
            isUnconfirmed: isUnconfirmed)
    }

    private static func stamp(_ name: String?) -> String { name.map { "named \($0)" } ?? "" }

    /// Returns the device that an edit names, and its new name; `nil` to remove the name.
    private func naming(_ edit: Edit) throws(EditError) -> (DeviceID, String?) {
        try writing.check()
        let (row, text): (String, String?)
        switch edit {
        case .rename(let device, nil, let name): (row, text) = (device.name, name)
        case .revert(let written):
            let former = try written.token(FormerName.self, of: PaneID.devices.part)
            (row, text) = (former.device, former.name)
        default: throw EditError(.unsupported, "only the name of this device can be edited")
        }
        guard let own = writing.device, Name(own.name) == Name(row) else {
            throw EditError(.unsupported, Self.whyNotRenamed)
        }
        do {
            return (own, try text.map(StorePackage.deviceName))
        } catch {
            throw EditError(.invalid, error.message)
        }
    }
}
