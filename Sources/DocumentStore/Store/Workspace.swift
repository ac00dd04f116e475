public import Automerge
public import Foundation
import Synchronization

extension AutomergeStore {
    /// A workspace: an index document and any number of other documents.
    ///
    /// A workspace keeps its index open. While a caller holds a workspace, the store always returns
    /// the same object for it.
    public final class Workspace: Sendable {
        /// The identifier of the workspace and its index document.
        public let id: UUID
        private let store: AutomergeStore
        private let held = Mutex<Automerge.Document?>(nil)

        init(_ id: UUID, in store: AutomergeStore) {
            self.id = id
            self.store = store
        }

        func hold(_ index: Automerge.Document) { held.withLock { $0 = index } }
        func letGo() { held.withLock { $0 = nil } }

        /// The document with the main content of the workspace.
        ///
        /// - Throws: ``DocumentStoreError``: `.notArrived` if no snapshot of it has arrived from
        ///   the device that created it, `.noSuchWorkspace` if the workspace was deleted.
        public var index: Document {
            get throws {
                guard let document = try store.openDocument(id) else {
                    throw DocumentStoreError(
                        store.workspaceSummary(id) == nil ? .noSuchWorkspace : .notArrived,
                        "the index of the workspace \(store.text(of: id)) is missing")
                }
                hold(document.automerge)
                return document
            }
        }

        /// Whether the index document has arrived and can be opened.
        public var hasIndex: Bool { store.workspaceSummary(id)?.hasIndex ?? false }

        /// The name of the workspace; empty if only chunks have arrived.
        public var name: String { store.workspaceSummary(id)?.name ?? "" }

        /// The documents of the workspace, the index first.
        public var documents: [DocumentSummary] { store.documents(in: id) }

        /// Creates a document in this workspace.
        ///
        /// - Throws: The errors of ``AutomergeStore/newDocument(in:content:)``.
        public func newDocument(content: Automerge.Document? = nil) throws -> Document {
            try store.newDocument(in: id, content: content)
        }
    }

    /// An open document of the store.
    public struct Document: Sendable {
        /// The document's identifier.
        public let id: UUID
        /// The workspace that contains the document.
        public let workspace: UUID
        /// The Automerge document to read and edit. Edits are saved automatically.
        public let automerge: Automerge.Document
        let store: AutomergeStore

        /// Saves the edits immediately.
        ///
        /// - Throws: The errors of ``AutomergeStore/save()``.
        public func save() throws { try store.save(id) }
    }
}

extension AutomergeStore.Document: Identifiable {}
extension AutomergeStore.Workspace: Identifiable {}
