import Foundation
import KeyValueStore
import Replication

extension KeyValueContext {
    func preview(
        undoing written: EditRecord, _ edit: Edit, as device: DeviceID
    ) throws -> EditPreview {
        if let part = try revertiblePart(written) {
            var preview = try preview(part.edit)
            preview.warnings.append(part.warning)
            return preview
        }
        let plans = try plans(written)
        var warnings: [String] = []
        for plan in plans {
            if !plan.reopened.isEmpty {
                let names = plan.reopened.map(name(of:)).joined(separator: ", ")
                warnings.append("\(plan.key) will be in conflict again: \(names)")
            } else if plan.losesConflict {
                warnings.append(
                    "\(plan.key) gets its value back, but its conflict can't be restored: rows "
                        + "of this log (PARStore 1) record only one parent")
            } else if store.entry(forKey: plan.key)?.isConflict == true {
                warnings.append(EditPreview.warning(ofResolving: plan.key))
            }
        }
        return EditPreview(
            edit: edit, summary: written.summary,
            changes: plans.map { plan in
                EditPreview.Change(
                    subject: plan.key, old: store.value(forKey: plan.key)?.shown,
                    new: plan.bytes.map { bytes in
                        ((try? plan.value()) ?? nil)?.shown
                            ?? EditPreview.Value(
                                "invalid value (\(Counted.text(bytes.count, "byte")))")
                    })
            },
            device: device, file: ownFile, createsDevice: createsDevice, warnings: warnings,
            expectation: Dictionary(
                plans.map { (Name($0.key), stamp(ofKey: $0.key)) }, uniquingKeysWith: { $1 }))
    }

    func undo(_ written: EditRecord, _ preview: EditPreview) async throws -> AppliedEdit {
        let plans = try plans(written)
        for plan in plans where preview.expectation[plan.key] != stamp(ofKey: plan.key) {
            throw Self.moved(plan.key)
        }
        let write = KeyWrite(keys: plans.map(\.key)) { try $0.revert(plans) }
        return try await self.write(
            EditPlan(summary: written.lead, others: written.others, action: write))
    }

    private func plans(_ written: EditRecord) throws -> [KeyValueStore.Reversion] {
        let undo = try written.token(KeyUndo.self, of: PaneID.keys.part)
        do {
            return try store.reversions(undo.keys.map { ($0.key, $0.timestamp) })
        } catch let error as KeyValueError {
            throw explained(error)
        }
    }

    private func explained(_ error: KeyValueError) -> EditError {
        let code: EditError.Code =
            switch error.code {
            case .builtOn: .builtOn
            case .notFound: .notFound
            case .changedSinceRead: .moved
            default: .invalid
            }
        return EditError(code, "can't undo: \(error.laterWrite.map(words) ?? error.message)")
    }

    /// Returns the reason why a row can't be reverted, with the display name of the device.
    private func words(_ write: KeyValueError.LaterWrite) -> String {
        let (key, time) = (write.key.quoted, write.timestamp.secondText)
        return write.isOwn
            ? "this device wrote \(key) again at \(time); undo that write first"
            : "\(name(of: write.device)) wrote \(key) at \(time), based on this write; "
                + "instead of undoing this write, set the key to the value that you want"
    }

    /// Returns the edit that restores only the edited part of the value, if a later write prevents
    /// undoing the whole edit; otherwise `nil`.
    private func revertiblePart(
        _ written: EditRecord
    ) throws -> (edit: Edit, warning: String)? {
        let undo = try written.token(KeyUndo.self, of: PaneID.keys.part)
        guard let part = undo.part, let key = undo.keys.first?.key, undo.keys.count == 1,
            let edit = part.edit(of: key)
        else { return nil }
        do {
            _ = try plans(written)
            return nil
        } catch let error as EditError where error.code == .builtOn {
            return (edit, "\(key) was written after the edit: only the edited part is restored")
        }
    }
}
