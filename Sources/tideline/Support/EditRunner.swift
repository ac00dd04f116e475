import CommandSupport
import Replication
import TidelineCore

/// Functions for commands that edit as the screen does: they open the store and print its edits.
enum EditRunner {
    /// Runs `body`, then closes the store. Edits are written even if the changes can't be printed,
    /// for example because the reader has closed the pipe.
    ///
    /// - Returns: The edit that `body` wrote.
    static func store(
        _ path: String, as option: DeviceOption, isWritable: Bool = true,
        _ body: (StoreEditor) async throws -> AppliedEdit?
    ) async throws {
        if isWritable { Output.deferFailures() }
        let device = try option.forWriting(to: path)
        let state = UserState()
        let (applied, unsaved) = try await Failure.of(path) {
            let editor = try await StoreEditor(
                path,
                StoreOpener(
                    device: device, isWritable: isWritable, state: state,
                    willAddDevice: NewDevice.notice(device, path)), state: state)
            Warnings.report(editor.session.status)
            do {
                let applied = try await body(editor)
                return (applied, await editor.close())
            } catch {
                _ = await editor.close()
                throw error
            }
        }
        if applied?.isRecorded == false {
            Output.note("tideline: written, but too large for the journal: it can't be undone")
        }
        if let unsaved { throw Failure(.inputOutput, path, "not written: \(unsaved.reason)") }
        if applied?.isUnconfirmed == true {
            throw Failure(.unconfirmed, path, "written, but the disk did not confirm it")
        }
        Output.endAfterDeferredFailure()
    }

    /// Prints the changes of previewed edits, one per line, and warnings on standard error.
    static func print(_ previews: [EditPreview]) {
        for preview in previews {
            for change in preview.changes {
                let values = [change.old, change.new].map { value in
                    let line = value?.line ?? "nothing"
                    // The arrow of a relationship would look like the one between the values.
                    return line.hasPrefix("→ ") ? String(line.dropFirst(2)) : line
                }
                Output.text(
                    Printable.line("\(change.subject)  \(values[0]) → \(values[1])"))
            }
            for warning in preview.warnings { Output.note("tideline: \(Printable.line(warning))") }
        }
    }
}
