import DocumentStore
import Foundation
package import Replication
import Synchronization
import Tables

/// The list of differences between an open store and another store.
///
/// Both stores are shown in their state at the time of the comparison. The other store's state of a
/// row can be copied to the open store. Keys, properties and values in documents can also be edited
/// in the list, starting with the other store's value. Edited rows show the current value.
package final class DifferencesSource: RowSource {
    /// The maximum number of differences. All of them are in memory.
    private static let limit = 200_000

    private let session: any StoreSession
    /// The path of the other store.
    private let path: String
    /// The other store, if it is a package.
    private let otherPackage: StorePackage?
    /// The kinds of data among keys, entities and documents that can't be fully read in the other
    /// store. Items of these kinds that seem to be missing there may exist.
    private let incompleteKinds: Set<StoreDifference.Kind>
    private let title: String
    private let state: Mutex<State>

    private struct State {
        var differences: [RowID: StoreDifference]
        var rows: [Row]
        /// The rows that were edited in this list.
        var edited: Set<RowID> = []
    }

    /// Compares the files of an open store with those of the store at `path`, which must be of the
    /// same kind.
    ///
    /// - Parameter instant: The instant at which the open store is compared; `nil` for the present.
    /// - Throws: The errors of ``StoreComparison``; ``CoreError`` `.usage` for too many
    ///   differences; `CancellationError`.
    /// - Complexity: Reads both stores, and keeps the differences in memory.
    package init(
        of session: any StoreSession, with path: String, at instant: Timestamp?
    ) async throws {
        self.session = session
        self.path = path
        title = "Differences from " + URL(filePath: path).lastPathComponent
        let stores = try StoreComparison(from: .init(path), to: .init(session.path, at: instant))
        otherPackage = try? StoreKind.package(at: path)
        var differences: [RowID: StoreDifference] = [:]
        var rows: [Row] = []
        var incompleteKinds: Set<StoreDifference.Kind> = []
        let comparisons = try await stores.comparisons { part in
            for device in part.status.devices where device.state != DeviceReport.State.ok.rawValue {
                guard let problem = device.problem else { continue }
                if part.path == path, let kind = part.kind { incompleteKinds.insert(kind) }
                rows.append(
                    Row(
                        problem: "\(device.name): \(problem)", of: part.path, number: rows.count))
            }
            for problem in part.unexpectedItems {
                if part.path == path, let kind = part.kind { incompleteKinds.insert(kind) }
                rows.append(Row(problem: problem, of: part.path, number: rows.count))
            }
        }
        for comparison in comparisons {
            for (side, note) in try comparison.notes() {
                rows.append(Row(problem: note, of: stores.path(of: side), number: rows.count))
            }
            var found: [Row] = []
            try await comparison.forEach { difference in
                try Task.checkCancellation()
                guard differences.count < Self.limit else {
                    throw CoreError(
                        .usage, "more than \(Counted.grouped(Self.limit)) differences",
                        suggestion: "compare a part with 'tideline diff --prefix'")
                }
                let row = Row(difference, id: RowID("difference \(differences.count)"))
                differences[row.id] = difference
                found.append(row)
            } warn: { side, problem in
                // Blobs, servers and rows aren't deleted if the other store can't be read.
                if side == .from {
                    if comparison is KeyComparison { incompleteKinds.insert(.keys) }
                    if comparison is DocumentComparison { incompleteKinds.insert(.documents) }
                }
                rows.append(Row(problem: problem, of: stores.path(of: side), number: rows.count))
            }
            rows += found.inNaturalOrder { $0.cells[0].text }
        }
        self.incompleteKinds = incompleteKinds
        state = Mutex(State(differences: differences, rows: rows))
    }

    /// Whether the stores are the same.
    package var isEmpty: Bool { state.withLock { $0.rows.isEmpty } }

    package var info: ListInfo {
        var edits: [EditKind: Availability] = [:]
        for kind in [EditKind.set, .remove] {
            let possible =
                [PaneID.keys, .entities].compactMap { pane($0.part)?.info.edits[kind] }
                + [documents?.placeEdits[kind]].compactMap(\.self)
            edits[kind] = possible.first { $0 == .available } ?? possible.first
        }
        let takingOver =
            [edits[.set]].compactMap(\.self)
            + StoreDifference.Kind.allCases.compactMap { takeover(of: $0)?.availability }
        edits[.takeOver] =
            takingOver.first { $0 == .available } ?? takingOver.first
            ?? .unavailable(because: Availability.readOnlyKind)
        return ListInfo(
            title,
            columns: [
                Column("name", "NAME", minimumWidth: 14, isSortable: true),
                Column("kind", "KIND", width: 8, isSortable: true),
                Column("change", "CHANGE", width: 11, isSortable: true),
                Column("other", "OTHER STORE", minimumWidth: 12, isSortable: true),
                Column("open", "OPEN STORE", minimumWidth: 12, isSortable: true),
            ],
            filterFields: [
                FilterField(
                    "change",
                    .choice(
                        StoreDifference.Change.allCases.map(\.words) + [StoreDifference.sameNow]),
                    example: "change:changed"),
                FilterField("kind", example: "kind:key"),
                FilterField("name", example: "name:note/*"),
                FilterField("other", example: "other:draft"),
                FilterField("open", example: "open:done"),
            ], edits: edits, hasPast: false, whyNoAlert: "a comparison doesn't change",
            namingColumn: "name")
    }

    package func window(_ request: WindowRequest) async throws -> RowWindow {
        await readEdited()
        let list = RowList(state.withLock { $0.rows })
        return try await list.arranged(request.query, by: info).window(request)
    }

    package func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        await readEdited(row)
        if let difference = difference(row) {
            return Detail(
                title: difference.title,
                sections: [.init(difference.shownWords, difference.lines(names))])
        }
        let unread = state.withLock { state in state.rows.first { $0.id == row } }
        return unread.map { unread in
            Detail(
                title: unread.cells[0].text,
                sections: [
                    .init(unread.cells[2].text, [Detail.Line("", unread.cells[3].text, .problem)])
                ])
        }
    }

    private var names: [DeviceID: String] {
        Dictionary(session.status.devices.map { ($0.id, $0.name) }) { $1 }
    }

    package func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        guard let difference = difference(row) else { return [] }
        let values = [("open store", difference.to), ("other store", difference.from)]
        return values.compactMap { name, side in side.value.map { CopyForm(name, $0.text) } }
            + [CopyForm("JSON", difference.json.line)]
    }

    private func difference(_ row: RowID) -> StoreDifference? {
        state.withLock { $0.differences[row] }
    }

    // MARK: Edits

    /// Reads the current values of the edited rows. An edit may have been undone.
    ///
    /// - Parameter only: The row to read if it was edited; `nil` for all edited rows.
    private func readEdited(_ only: RowID? = nil) async {
        let edited = state.withLock { state in
            state.edited.filter { only == nil || $0 == only }
                .compactMap { row in state.differences[row].map { (row, $0) } }
        }
        guard !edited.isEmpty else { return }
        var found: [RowID: StoreDifference] = [:]
        for kind in StoreDifference.Kind.allCases {
            let items = edited.filter { _, difference in
                difference.subject.kind == kind && !difference.isEditable
            }
            guard !items.isEmpty, let takeover = takeover(of: kind),
                let updated = try? await takeover.updated(items.map { $0.1 })
            else { continue }
            for (item, difference) in zip(items, updated) { found[item.0] = difference }
        }
        for (row, difference) in edited where difference.isEditable {
            guard let (source, target, field) = target(of: row) else { continue }
            let value = (try? await source.editableValue(of: target, field: field)) ?? nil
            var updated = difference
            updated.note(value, writer: session.status.ownDevice)
            found[row] = updated
        }
        let current = found
        state.withLock { state in
            for index in state.rows.indices {
                let row = state.rows[index].id
                guard let difference = current[row] else { continue }
                state.differences[row] = difference
                state.rows[index] = Row(difference, id: row)
            }
        }
    }

    package func editableValue(of row: RowID, field: FieldPath?) async throws -> TypedText? {
        guard let (source, target, field) = target(of: row) else { return nil }
        if let typed = difference(row)?.from.value?.typed { return typed }
        return try await source.editableValue(of: target, field: field)
    }

    package func preview(_ edit: Edit) async throws -> EditPreview {
        if let (takeover, differences) = try takeover(for: edit) {
            return try await takeover.preview(differences, edit)
        }
        if case .takeOver(let rows) = edit, rows.count > 1 {
            return try await previewSeparately(rows)
        }
        let plain = try plain(edit)
        let (source, inner) = try inner(plain)
        var preview = try await source.preview(inner)
        preview.edit = edit
        if case .set(let row, _, let text) = plain, case .place = difference(row)?.subject,
            [.map, .list].contains(text.kind)
        {
            preview.warnings.append("dates, counters and bytes inside the value are copied as JSON")
        }
        return preview
    }

    package func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        var applied: AppliedEdit
        if let (takeover, differences) = try takeover(for: preview.edit) {
            applied = try await takeover.apply(preview, differences)
        } else if case .takeOver(let rows) = preview.edit, rows.count > 1 {
            return try await applySeparately(preview)
        } else {
            let (source, edit) = try inner(try plain(preview.edit))
            var inner = preview
            inner.edit = edit
            applied = try await source.apply(inner)
        }
        let rows = preview.edit.existingRows
        if rows.isEmpty { return applied }
        applied.rows = rows
        state.withLock { $0.edited.formUnion(applied.rows) }
        return applied
    }

    /// Returns the takeover for the rows of an edit, and their differences. Returns `nil` for other
    /// edits, for rows whose values are set or deleted instead, and for several rows that are
    /// written one by one.
    private func takeover(
        for edit: Edit
    ) throws(EditError) -> (takeover: any Takeover, differences: [StoreDifference])? {
        guard case .takeOver(let rows) = edit else { return nil }
        let differences = rows.compactMap(difference)
        guard let first = differences.first, differences.count == rows.count else {
            throw EditError(.unsupported, "data that could not be compared can't be copied")
        }
        // One data model undoes the whole edit.
        guard differences.allSatisfy({ $0.subject.kind == first.subject.kind }) else {
            throw EditError(
                .unsupported,
                "only items of one kind can be copied together: filter by kind, for example "
                    + "kind:\(first.subject.word)")
        }
        guard !first.isEditable, let takeover = takeover(of: first.subject.kind),
            rows.count == 1 || takeover.takesSeveral
        else { return nil }
        return (takeover, differences)
    }

    /// Returns the takeover of items that aren't ``StoreDifference/isEditable``; `nil` if the open
    /// store has no list of this kind.
    private func takeover(of kind: StoreDifference.Kind) -> (any Takeover)? {
        switch kind {
        case .tables:
            return (pane(PaneID.tables.part) as? TablesSource).map {
                TableTakeover(database: $0.database, other: TableFile(path))
            }
        case .blobs:
            let blobs = session.panes.first { $0.id == .blobs }?.source as? BlobsSource
            guard let blobs, let otherPackage else { return nil }
            return BlobTakeover(source: blobs, other: otherPackage.blobs)
        case .documents:
            return documents.map { DocumentTakeover(context: $0.context, other: path) }
        case .servers:
            return (pane(PaneID.servers.part) as? ServerGroupsSource).map {
                ServerTakeover(context: $0.context, path: path, package: otherPackage)
            }
        case .keys, .entities: return nil
        }
    }

    /// Returns an edit that sets or deletes a value, instead of an edit that takes it over.
    private func plain(_ edit: Edit) throws(EditError) -> Edit {
        guard case .takeOver(let rows) = edit, let row = rows.first,
            let difference = difference(row), target(of: row) != nil
        else { return edit }
        guard let value = difference.from.value else {
            guard !incompleteKinds.contains(difference.subject.kind) else {
                throw EditError(
                    .unreadable,
                    "the other store's \(difference.subject.kind.rawValue) can't be fully read, so it "
                        + "may have this item: compare the stores again later, or delete the item "
                        + "instead")
            }
            return .remove([row], field: nil)
        }
        guard let typed = value.typed else {
            throw EditError(
                .unsupported,
                "the other store's value can't be copied: \(value.problem ?? value.text)")
        }
        return .set(row, field: nil, typed)
    }

    /// Translates an edit of this list into an edit of the open store's own list.
    private func inner(_ edit: Edit) throws -> (source: any RowSource, edit: Edit) {
        switch edit {
        case .set(let row, _, let text):
            if let (source, target, field) = target(of: row) {
                if difference(row)?.to.value != nil {
                    return (source, .set(target, field: field, text))
                }
                // Only the other store has the item, so it is added.
                let (name, parent) = field.map { ($0.property, target) } ?? (target.name, nil)
                return (source, .add(name: name, parent: parent, text))
            }
        case .remove(let rows, _) where rows.count == 1:
            if let (source, target, field) = target(of: rows[0]) {
                return (source, .remove([target], field: field))
            }
        case .revert(let written):
            if let source = pane(written.model) { return (source, edit) }
        default: break
        }
        throw EditError(
            .unsupported,
            "only single keys, properties and values in documents can be edited here: edit "
                + "other items in their own lists")
    }

    /// Returns the row of the open store that a difference is about; `nil` if it can't be edited.
    private func target(
        of row: RowID
    ) -> (source: any RowSource, row: RowID, field: FieldPath?)? {
        switch difference(row)?.subject {
        case .key(let key): return pane(PaneID.keys.part).map { ($0, RowID(key), nil) }
        case .property(let entity, let name):
            return pane(PaneID.entities.part).map { ($0, RowID(entity), FieldPath(name)) }
        case .place(let document?, let pointer):
            guard !pointer.isEmpty, let documents, let id = UUID(automergeID: document) else {
                return nil
            }
            return (documents.places(of: id), RowID(document + pointer), nil)
        default: return nil
        }
    }

    private var documents: DocumentListSource? {
        pane(PaneID.documents.part) as? DocumentListSource
    }

    private func pane(_ part: String) -> (any RowSource)? {
        session.panes.first { $0.id.part == part }?.source
    }
}
