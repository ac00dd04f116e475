import Automerge
import DocumentStore
import Foundation
import Replication
import Synchronization

/// A document of a store that somebody looks at. What others write into it arrives in it.
///
/// What is shown of it is a copy: the document itself goes on while rows are read.
final class StoredDocument: DocumentContext {
    let id: UUID
    let context: DocumentStoreContext
    private let state = Mutex(State())

    private struct State {
        /// Held, so that the store keeps it up.
        var document: AutomergeStore.Document?
        var open: OpenDocument?
        /// Whether it is about to be read anew.
        var isDue = false
    }

    init(_ id: UUID, in context: DocumentStoreContext) {
        self.id = id
        self.context = context
    }

    /// Its identifier as the store spells it, which the names of its rows begin with.
    var text: String { context.store?.text(of: id) ?? id.uuidString }

    /// As it was read last; `nil` while nobody has asked for it.
    var known: OpenDocument? { state.withLock { $0.open } }

    func opened() async throws -> OpenDocument? {
        if let known { return known }
        return try await context.onQueue { try self.current() }
    }

    /// The document as it is read. Called on the context's queue.
    ///
    /// - Throws: ``CoreError``, `.noAnswer`, where it is not in the store any more;
    ///   `DocumentStoreError`, `ReplicationError`.
    private func current() throws -> OpenDocument {
        if let known { return known }
        return try read(try held())
    }

    /// The document itself, opened if need be. Called on the context's queue.
    func held() throws -> AutomergeStore.Document {
        if let held = state.withLock({ $0.document }) { return held }
        guard let store = context.store, let document = try store.openDocument(id) else {
            throw CoreError(.noAnswer, "the document is not in the store any more")
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

    /// A copy of the document, with the devices that edit it.
    func view(of copy: Automerge.Document) -> DocumentView {
        DocumentView(copy, devices: context.store?.authors(of: id) ?? [:])
    }

    /// Reads the document anew, and tells what changed in it.
    ///
    /// - Parameter devices: Who wrote it.
    func refresh(writtenBy devices: Set<DeviceID>) {
        let isDue = state.withLock { state in
            defer { state.isDue = true }
            return state.isDue
        }
        // What came meanwhile is read as one.
        guard !isDue else { return }
        context.async { [weak self] in
            guard let self else { return }
            self.state.withLock { $0.isDue = false }
            self.tellNews(writtenBy: devices.sorted().first, isOwn: false)
        }
    }

    /// Called on the context's queue.
    func tellNews(writtenBy device: DeviceID?, isOwn: Bool) {
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
                elsewhere: [.documentLog: changes.rows],
                written: isOwn ? nil : changes.written))
    }

    /// Forgets the document: it is read anew when somebody asks.
    func letGo() {
        state.withLock { state in
            state.document = nil
            state.open = nil
        }
    }

    /// The same document as the store has it now; the one that was held is closed. Called on the
    /// context's queue.
    func discardEdits() throws {
        try context.store?.closeDocument(id, saving: false)
        state.withLock { $0.document = nil }
        _ = try read(try held())
    }
}
