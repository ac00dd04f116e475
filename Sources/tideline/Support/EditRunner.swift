import CommandSupport
import EntityStore
import KeyValueStore
import Replication
import TidelineCore

/// Functions for commands that edit as the screen does: they open the store, and report the result
/// of the edit.
enum EditRunner {
    /// Opens a store, runs `body`, and closes it. Edits are written even if the changes can't be
    /// printed, for example because the reader has closed the pipe.
    ///
    /// - Parameters:
    ///   - models: The names of the data models to open in a package; `nil` for all.
    ///   - body: Edits the store, and returns the edit.
    static func store(
        _ path: String, as option: DeviceOption, isWritable: Bool = true,
        models: Set<String>? = nil, _ body: (StoreEditor) async throws -> AppliedEdit?
    ) async throws {
        if isWritable { Output.deferFailures() }
        let (device, state) = (try option.forWriting(to: path), UserState())
        var opener = opener(path, device, isWritable: isWritable, state)
        opener.partNames = models
        let editor = try await Failure.of(path) { [opener] in
            try await StoreEditor(path, opener, state: state)
        }
        try await run(editor, path) { try await Failure.of(path) { try await body(editor) } }
    }

    /// Opens only one data model of a store, runs `body`, records its edit in the change journal,
    /// and closes the store.
    ///
    /// - Parameters:
    ///   - pane: The pane in which the edit can be undone.
    ///   - body: Edits the data model, and returns the edit.
    static func model<Part: StandalonePart>(
        _ model: Part.Type, of path: String, as option: DeviceOption, pane: PaneID,
        _ body: (Part, Part.Store) async throws -> AppliedEdit?
    ) async throws {
        let (device, state) = (try option.forWriting(to: path), UserState())
        let opener = opener(path, device, isWritable: true, state)
        let (session, part, store) = try await Failure.of(path) {
            try await opener.openPart(model, of: path)
        }
        let editor = StoreEditor(session, state: state)
        try await run(editor, path) {
            try await body(part, store).map { editor.journal.record($0, pane: pane.text) }
        }
    }

    /// Edits one key of a package.
    ///
    /// - Parameters:
    ///   - verb: The verb of the edit's summary.
    ///   - perform: Changes the key in memory.
    static func key(
        _ key: String, _ verb: String, of store: PathArgument, as option: DeviceOption,
        _ perform: @escaping (KeyValueStore) throws -> Void
    ) async throws {
        try await model(KeyValuePart.self, of: store.path, as: option, pane: .keys) { keys, _ in
            try await keys.edit(key, "\(verb) \(key)", perform)
        }
    }

    /// Edits an entity.
    ///
    /// - Parameters:
    ///   - verb: The name of the command, for the error if an entity isn't found.
    ///   - explain: Throws a more specific error.
    ///   - prepare: Called before the edit.
    /// - Returns: The identifier of the entity.
    @discardableResult
    static func entity(
        of store: PathArgument, as option: DeviceOption, _ edit: EntityEdit, _ verb: String,
        _ explain: (EditError, EntityStore) async throws -> Void = { _, _ in },
        prepare: (EntityStore) async throws -> Void = { _ in }
    ) async throws -> String {
        var rows: [RowID] = []
        try await model(
            EntitiesPart.self, of: store.path, as: option, pane: .entities
        ) { entities, store in
            do {
                try await prepare(store)
                let applied = try await entities.edit(edit)
                rows = applied.rows
                return applied
            } catch let error as EditError {
                try await explain(error, store)
                guard error.code == .notFound else { throw error }
                throw await Failure.missing(verb, error.message, among: store.devices)
            }
        }
        return rows.first?.name ?? ""
    }

    private static func opener(
        _ path: String, _ device: DeviceID, isWritable: Bool, _ state: UserState
    ) -> StoreOpener {
        StoreOpener(
            device: device, isWritable: isWritable, state: state,
            willAddDevice: NewDevice.notice(device, path))
    }

    private static func run(
        _ editor: StoreEditor, _ path: String, _ body: () async throws -> AppliedEdit?
    ) async throws {
        Warnings.report(editor.session.status)
        let applied: AppliedEdit?
        do {
            applied = try await body()
        } catch {
            _ = await editor.close()
            // Other errors are about the arguments of the command, not about the store.
            guard (error as? EditError)?.code == .notWritten else { throw error }
            throw Failure(error, while: path)
        }
        let unsaved = await editor.close()
        if let unsaved { throw Failure(.inputOutput, path, "not written: \(unsaved.reason)") }
        if let applied { try report(applied, path) }
        Output.endAfterDeferredFailure()
    }

    /// Reports an edit that the journal doesn't have, or that the disk didn't confirm.
    static func report(_ applied: AppliedEdit, _ path: String) throws {
        if !applied.isRecorded {
            let reason =
                applied.journalProblem.map { "but the change journal failed: \($0)" }
                ?? "but too large for the journal: it can't be undone"
            Output.note("tideline: written, \(reason)")
        }
        guard !applied.isUnconfirmed else {
            throw Failure(.unconfirmed, path, "written, but the disk did not confirm it")
        }
    }

    /// Prints the changes of previewed edits, one per line. Prints warnings to standard error.
    static func print(_ previews: [EditPreview]) {
        for preview in previews {
            for change in preview.changes {
                let values = [change.old, change.new].map { value in
                    let line = value?.line ?? "nothing"
                    // Leave out the arrow of a relationship, because it would look like the arrow
                    // between the values.
                    return line.hasPrefix("→ ") ? String(line.dropFirst(2)) : line
                }
                Output.text(
                    Printable.line("\(change.subject)  \(values[0]) → \(values[1])"))
            }
            for warning in preview.warnings { Output.note("tideline: \(Printable.line(warning))") }
        }
    }
}
