import Automerge
import DocumentStore
import Foundation
import Replication
import Synchronization

/// An open document of a store, which receives the changes of other devices.
///
/// The screen shows a copy, so the document can change while rows are read.
final class StoredDocument: DocumentContext {
    let id: UUID
    let context: DocumentStoreContext
    private let state = Mutex(State())

    private struct State {
        /// Keeps the document open in the store.
        var document: AutomergeStore.Document?
        var open: OpenDocument?
        /// Whether a refresh is scheduled.
        var isDue = false
    }

    init(_ id: UUID, in context: DocumentStoreContext) {
        self.id = id
        self.context = context
    }

    /// The identifier in the store's format. Row names start with it.
    var text: String { context.store?.text(of: id) ?? id.uuidString }

    /// The last read state of the document; `nil` if it hasn't been requested.
    var known: OpenDocument? { state.withLock { $0.open } }

    func opened() async throws -> OpenDocument? {
        if let known { return known }
        return try await context.onQueue { try self.known ?? self.read(self.held()) }
    }

    /// Returns the document itself, and opens it if necessary. Called on the context's queue.
    func held() throws -> AutomergeStore.Document {
        if let held = state.withLock({ $0.document }) { return held }
        guard let store = context.store, let document = try store.openDocument(id) else {
            throw CoreError(.noAnswer, "the document is no longer in the store")
        }
        state.withLock { $0.document = document }
        return document
    }

    private func read(_ document: AutomergeStore.Document) throws -> OpenDocument {
        let size = context.store?.documentSummary(id)?.byteCount ?? 0
        let open = try OpenDocument(
            view(of: document.automerge.fork()), byteCount: size, prefix: text,
            deviceName: context.name(of:))
        state.withLock { $0.open = open }
        context.conflicts.note(open.conflictCount, of: id)
        return open
    }

    /// Returns a view of a copy of the document, with the devices that edit it.
    func view(of copy: Automerge.Document) -> DocumentView {
        DocumentView(copy, devices: context.store?.authors(of: id) ?? [:])
    }

    /// Reads the document again, and reports the changes.
    func refresh(writtenBy devices: Set<DeviceID>) {
        let isDue = state.withLock { state in
            defer { state.isDue = true }
            return state.isDue
        }
        // Changes in quick succession are read together.
        guard !isDue else { return }
        context.async { [weak self] in
            guard let self else { return }
            self.state.withLock { $0.isDue = false }
            self.reportNews(writtenBy: devices.sorted().first, isOwn: false)
        }
    }

    /// Reports changes since the last read. Called on the context's queue.
    func reportNews(writtenBy device: DeviceID?, isOwn: Bool) {
        let (held, old) = state.withLock { ($0.document, $0.open) }
        guard let held, let old, let new = try? read(held), new.view.heads != old.view.heads else {
            return
        }
        let (rows, text) = new.marks(since: old)
        let changes = new.newChanges(since: old)
        context.emit(
            SessionEvent(
                .changed(.documents, rows: rows, isOwn: isOwn), date: Date(), device: device,
                summary: "\(context.title(of: id)): \(text)",
                elsewhere: [.documentHistory: changes.rows],
                written: isOwn ? nil : changes.written))
    }

    /// Closes the edited document, so that it is read again. Called on the context's queue.
    func discardEdits() throws {
        try context.store?.closeDocument(id, saving: false)
        state.withLock { $0.document = nil }
        _ = try read(try held())
    }
}
