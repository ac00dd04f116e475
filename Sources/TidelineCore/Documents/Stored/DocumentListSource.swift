import DocumentStore
import Foundation
import Replication

/// The list of a store's documents, by workspace, each with its index first. Opening one shows its
/// tree.
///
/// The list is created from the stored chunks without opening any document. Conflicts appear once
/// they are counted.
final class DocumentListSource: RowSource {
    private let context: DocumentStoreContext
    private let lists = KeptAnswers<UInt64, DocumentList>()
    private let arranged = KeptAnswers<UInt64, RowList>()

    init(_ context: DocumentStoreContext) { self.context = context }

    private static let sizes = [
        Column("document", "DOCUMENT", minimumWidth: 14, isSortable: true),
        Column("size", "SIZE", width: 8, alignment: .trailing, isSortable: true),
        Column("chunks", "CHUNKS", width: 6, alignment: .trailing, isSortable: true),
    ]
    private static let authors = [
        Column("device", "DEVICES", minimumWidth: 10, width: 20, isSortable: true)
    ]
    private static let rest = [
        Column("age", "AGE", width: 4, alignment: .trailing, isSortable: true),
        Column("id", "ID", minimumWidth: 12, width: 36, yieldsWidth: true, isSortable: true),
    ]
    private static let fields = [
        FilterField("document", example: "document:Plans*"),
        FilterField("size", .size, example: "size>4k"),
        FilterField("chunks", .number, example: "chunks>10"),
        FilterField("age", .age, example: "age<10m"),
        FilterField("id", example: "id:7b0e*"),
        FilterField("conflict", .choice(FilterField.yesNo), example: "conflict:yes"),
    ]
    private static let deviceField = FilterField(
        "device", .name, example: "device:ipad", aliases: ["devices"])

    /// Whether chunks have a device, which only packages record.
    private var showsDevices: Bool {
        if case .package = context.place { true } else { false }
    }

    var info: ListInfo {
        ListInfo(
            "Documents",
            columns: showsDevices
                ? Self.sizes + Self.authors + Self.rest : Self.sizes + Self.rest,
            filterFields: showsDevices ? Self.fields + [Self.deviceField] : Self.fields,
            edits: context.workspaceEdits, valueKinds: [.map],
            addForm: AddForm(name: "workspace", value: "content"), conflictsHoldLists: true,
            hasPast: false)
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        guard let store = context.store else {
            return RowWindow(rows: [], start: 0, total: 0, isTotalExact: false)
        }
        var query = request.query
        query.instant = nil
        let revision = context.revision
        let plain = lists.answer(to: RowQuery(), in: revision) {
            DocumentList(context, store, showsDevices: showsDevices)
        }
        if query.filter.isEmpty, query.sort == nil { return try await plain.window(request) }
        let rows = try arranged.answer(to: query, in: revision) {
            try RowList(plain.rows(0..<plain.count)).arranged(query, by: info)
        }
        return try await rows.window(request)
    }

    func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)? {
        guard let id = UUID(automergeID: row.name),
            let known = context.store?.documentSummary(id)
        else { return nil }
        guard known.snapshotCount > 0 else {
            throw CoreError(
                .noAnswer, "only later changes have arrived, without the snapshot they build on")
        }
        let document = context.document(id)
        guard let open = try await document.opened() else { return nil }
        context.show(document)
        context.emit(SessionEvent(.status, date: Date()))
        return DocumentTreeSource(
            document, base: open.prefix, title: context.title(of: id))
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        guard let id = UUID(automergeID: row.name) else { return [] }
        return [
            CopyForm("id", row.name), CopyForm("URL", "automerge:\(id.automergeID)"),
            CopyForm("name", context.title(of: id)),
        ]
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let id = UUID(automergeID: row.name) else { return nil }
        return try await context.detail(of: id)
    }

    // MARK: Edits

    func editableValue(of row: RowID, field: FieldPath?) async throws -> TypedText? { nil }

    func preview(_ edit: Edit) async throws -> EditPreview {
        try await context.preview(edit)
    }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        try await context.apply(preview)
    }
}

/// All documents of a store as rows, in list order.
struct DocumentList: IndexedRows, Sendable {
    private enum Entry: Sendable {
        case document(DocumentSummary, WorkspaceSummary?)
        /// A workspace whose index has not arrived, only its name or other documents.
        case missingIndex(WorkspaceSummary)

        var id: UUID {
            switch self {
            case .document(let document, _): document.id
            case .missingIndex(let workspace): workspace.id
            }
        }
    }

    private let context: DocumentStoreContext
    private let store: AutomergeStore
    private let showsDevices: Bool
    private let missing: Set<DeviceID>
    private let entries: [Entry]
    private let places: [UUID: Int]

    var count: Int { entries.count }

    /// - Complexity: O(*n* log *n*) in the number of documents, and in that of chunks.
    init(_ context: DocumentStoreContext, _ store: AutomergeStore, showsDevices: Bool) {
        self.context = context
        self.store = store
        self.showsDevices = showsDevices
        missing = showsDevices ? context.goneDevices : []
        var entries: [Entry] = []
        let all = store.documentSummaries()
        if store.hasWorkspaces {
            let documents = Dictionary(grouping: all, by: \.workspace)
            for workspace in store.workspaceSummaries {
                let own = documents[workspace.id] ?? []
                if let index = own.first(where: \.isIndex) {
                    entries.append(.document(index, workspace))
                } else {
                    entries.append(.missingIndex(workspace))
                }
                entries += own.filter { !$0.isIndex }.map { .document($0, workspace) }
            }
        } else {
            entries = all.map { .document($0, nil) }
        }
        self.entries = entries
        places = Dictionary(
            entries.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func index(of row: RowID) -> Int? { UUID(automergeID: row.name).flatMap { places[$0] } }

    func rows(_ range: Range<Int>) -> [Row] { entries[range].map(row) }

    private func row(_ entry: Entry) -> Row {
        switch entry {
        case .document(let document, let workspace): row(document, workspace)
        case .missingIndex(let workspace):
            Row(
                id: RowID(store.text(of: workspace.id)),
                cells: cells(
                    RowCell(
                        workspace.name.isEmpty ? store.text(of: workspace.id) : workspace.name,
                        .key),
                    size: RowCell("", .dim, value: .json(.integer(0))),
                    chunks: RowCell("0", .number), authors: RowCell("not arrived", .problem),
                    age: RowCell(""), workspace.id), isDimmed: true)
        }
    }

    private func row(_ document: DocumentSummary, _ workspace: WorkspaceSummary?) -> Row {
        let isWhole = document.snapshotCount > 0
        var authors = RowCell("")
        var newest: DeviceID?
        if showsDevices {
            let chunks = store.chunks(of: document.id)
            newest =
                chunks.max {
                    $0.timestamp ?? .distantPast < $1.timestamp ?? .distantPast
                }?.device
            let devices = Set(chunks.compactMap(\.device)).sorted()
            // Missing devices come first, to be visible in a narrow column.
            let names = devices.filter(missing.contains).map { "\(context.name(of: $0)) (missing)" }
            authors = RowCell(
                (names + devices.filter { !missing.contains($0) }.map(context.name(of:)))
                    .joined(separator: ", "), names.isEmpty ? .device : .problem)
        }
        if !isWhole { authors = RowCell("no snapshot yet", .problem) }
        return Row(
            id: RowID(store.text(of: document.id)),
            cells: cells(
                RowCell(context.title(document, in: store, workspace: workspace), .key),
                size: RowCell(
                    ByteCount.text(document.byteCount), .number,
                    value: .json(.count(document.byteCount))),
                chunks: RowCell(String(document.chunkCount), .number), authors: authors,
                age: document.newest.map { RowCell($0.iso8601, .timestamp, instant: $0) }
                    ?? RowCell(""), document.id), device: newest,
            conflictsInside: context.conflicts[document.id] ?? 0, isDimmed: !isWhole)
    }

    private func cells(
        _ title: RowCell, size: RowCell, chunks: RowCell, authors: RowCell, age: RowCell,
        _ id: UUID
    ) -> [RowCell] {
        let text = RowCell(store.text(of: id), .dim)
        return [title, size, chunks] + (showsDevices ? [authors] : []) + [age, text]
    }
}
