import DocumentStore
import Foundation
import Replication

/// The list of a store's documents, sorted by workspace. The index of a workspace comes first.
/// Opening a document shows its tree.
///
/// The list is created from the stored chunks, without opening documents. Conflicts appear later.
final class DocumentListSource: RowSource {
    let context: DocumentStoreContext
    private let lists = ResultCache<UInt64, DocumentList>()
    private let arranged = ResultCache<UInt64, ArrangedList<DocumentList>>()

    init(_ context: DocumentStoreContext) { self.context = context }

    /// Whether chunks have a device, which only packages record.
    private var showsDevices: Bool {
        if case .package = context.place { true } else { false }
    }

    var info: ListInfo {
        let schema = DocumentList.schema(showsDevices: showsDevices)
        return ListInfo(
            "Documents",
            columns: schema.columns, filterFields: schema.filterFields,
            edits: context.workspaceEdits, valueKinds: [.map],
            addForm: AddForm(name: "workspace", value: "content"), conflictsHoldLists: true,
            hasPast: false, whyNoValue: "a document has many values; open it to select one")
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        guard let store = context.store else {
            return RowWindow(rows: [], start: 0, total: 0, isTotalExact: false)
        }
        let revision = context.revision
        let plain = lists.answer(to: RowQuery(), in: revision) {
            DocumentList(context, store, showsDevices: showsDevices)
        }
        return try await arranged.window(request.ofPresent, of: plain, in: revision)
    }

    func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)? {
        guard let id = UUID(automergeID: row.name),
            let known = context.store?.documentSummary(id)
        else { return nil }
        guard known.canBeOpened else {
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

    /// Returns the places of a document, for edits from other lists. The name of a row is the
    /// document's identifier, followed by a pointer.
    func places(of id: UUID) -> any RowSource { PointedPlaces(context.document(id)) }

    /// The edits of places in documents.
    var placeEdits: [EditKind: Availability] { context.availability.of(.set, .remove) }

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

    func preview(_ edit: Edit) async throws -> EditPreview {
        try await context.preview(edit)
    }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        try await context.apply(preview)
    }
}

/// All documents of a store, in list order.
struct DocumentList: IndexedItems {
    let schema: ListSchema<ListedDocument>
    private let context: DocumentStoreContext
    private let store: AutomergeStore
    private let showsDevices: Bool
    private let missing: Set<DeviceID>
    private let entries: [ListedDocument.Entry]
    private let places: [UUID: Int]

    var count: Int { entries.count }

    /// Creates the list.
    ///
    /// - Complexity: O(*n* log *n*) in the number of documents and chunks.
    init(_ context: DocumentStoreContext, _ store: AutomergeStore, showsDevices: Bool) {
        self.context = context
        self.store = store
        self.showsDevices = showsDevices
        schema = Self.schema(showsDevices: showsDevices)
        missing = showsDevices ? context.missingDevices : []
        var entries: [ListedDocument.Entry] = []
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
        places = Dictionary(keepingFirst: entries.enumerated().map { ($1.id, $0) })
    }

    /// Returns the columns of the list.
    ///
    /// - Parameter showsDevices: Whether chunks have a device.
    static func schema(showsDevices: Bool) -> ListSchema<ListedDocument> {
        let authors = ListColumn<ListedDocument>(
            "device", "DEVICES", minimumWidth: 10, width: 20, .name, example: "device:ipad",
            aliases: ["devices"],
            value: { .texts([$0.authors.text] + ($0.newestDevice.map { [$0.name] } ?? [])) },
            cell: \.authors)
        return ListSchema(
            [
                ListColumn(
                    "document", "DOCUMENT", minimumWidth: 14, example: "document:Plans*",
                    cell: \.title),
                .size(missing: RowCell("", .dim, value: .json(.integer(0)))) {
                    $0.document.map { Int64($0.byteCount) }
                },
                .number("chunks", "CHUNKS", width: 6, example: "chunks>10") {
                    $0.document?.chunkCount ?? 0
                },
            ] + (showsDevices ? [authors] : []) + [
                .age(example: "age<10m") { $0.document?.newest },
                ListColumn(
                    "id", "ID", minimumWidth: 12, width: 36, yieldsWidth: true, example: "id:7b0e*"
                ) { RowCell($0.text, .dim) },
                .conflict { $0.conflictCount > 0 },
            ], id: { RowID($0.text) },
            mark: { row, document in
                row.device = document.newestDevice
                row.conflictsInside = document.conflictCount
                row.isDimmed = !document.isWhole
                if document.document?.isIndex == false {
                    row.refusedEdits = [.rename: DocumentStoreContext.whyNotRenamed]
                }
            })
    }

    func index(of row: RowID) -> Int? { UUID(automergeID: row.name).flatMap { places[$0] } }

    func items(_ range: Range<Int>) -> [ListedDocument] {
        entries[range].map {
            ListedDocument(
                context: context, store: store, missing: missing, entry: $0,
                chunks: showsDevices ? store.chunks(of: $0.id) : [])
        }
    }
}

struct ListedDocument: Sendable {
    fileprivate enum Entry: Sendable {
        case document(DocumentSummary, WorkspaceSummary?)
        /// A workspace whose index hasn't arrived, although its name or other documents have.
        case missingIndex(WorkspaceSummary)

        var id: UUID {
            switch self {
            case .document(let document, _): document.id
            case .missingIndex(let workspace): workspace.id
            }
        }
    }

    fileprivate let context: DocumentStoreContext
    fileprivate let store: AutomergeStore
    fileprivate let missing: Set<DeviceID>
    fileprivate let entry: Entry
    /// The chunks; empty for a store that doesn't record the devices of chunks.
    fileprivate let chunks: [ChunkRecord]

    fileprivate var document: DocumentSummary? {
        if case .document(let document, _) = entry { document } else { nil }
    }
    fileprivate var isWhole: Bool { document?.canBeOpened ?? false }
    fileprivate var text: String { store.text(of: entry.id) }
    fileprivate var conflictCount: Int { document.flatMap { context.conflicts[$0.id] } ?? 0 }

    fileprivate var title: RowCell {
        switch entry {
        case .document(let document, let workspace):
            RowCell(store.title(of: document, in: workspace), .key)
        case .missingIndex(let workspace):
            RowCell(workspace.name.isEmpty ? text : workspace.name, .key)
        }
    }

    fileprivate var authors: RowCell {
        if document == nil { return RowCell("not arrived", .problem) }
        guard isWhole else { return RowCell("no snapshot yet", .problem) }
        let devices = Set(chunks.compactMap(\.device)).sorted()
        // Missing devices come first, so that they are visible in a narrow column.
        let names = devices.filter(missing.contains).map { "\(context.name(of: $0)) (missing)" }
        return RowCell(
            (names + devices.filter { !missing.contains($0) }.map(context.name(of:)))
                .joined(separator: ", "), names.isEmpty ? .device : .problem,
            value: .json(.array(devices.map { .string($0.name) })))
    }

    /// The device that wrote the newest chunk.
    fileprivate var newestDevice: DeviceID? {
        chunks.max { $0.timestamp ?? .distantPast < $1.timestamp ?? .distantPast }?.device
    }
}
