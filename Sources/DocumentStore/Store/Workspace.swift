public import Automerge
public import Foundation
import Synchronization

extension AutomergeStore {
    /// A workspace: an index document, and any number of others.
    ///
    /// It holds its index open. One object stands for a workspace for as long as somebody holds it.
    public final class Workspace: Sendable {
        /// The workspace's identifier, which is its index document's too.
        public let id: UUID
        private let store: AutomergeStore
        private let held = Mutex<Automerge.Document?>(nil)

        init(_ id: UUID, in store: AutomergeStore) {
            self.id = id
            self.store = store
        }

        func hold(_ index: Automerge.Document) { held.withLock { $0 = index } }
        func letGo() { held.withLock { $0 = nil } }

        /// The document of a workspace's main content.
        ///
        /// - Throws: ``DocumentStoreError``: `.notArrived` while no snapshot of it has come from
        ///   the device that made it, `.noSuchWorkspace` after the workspace was deleted.
        public var index: Document {
            get throws {
                guard let document = try store.openDocument(id) else {
                    throw DocumentStoreError(
                        store.workspaceSummary(id) == nil ? .noSuchWorkspace : .notArrived,
                        "the index of the workspace \(store.text(of: id)) is not there")
                }
                hold(document.automerge)
                return document
            }
        }

        /// Whether the index document has arrived, so that it can be opened.
        public var hasIndex: Bool { store.workspaceSummary(id)?.hasIndex ?? false }

        /// What people call it; empty where only chunks of it have come.
        public var name: String { store.workspaceSummary(id)?.name ?? "" }

        /// Its documents, the index first.
        public var documents: [DocumentSummary] { store.documents(in: id) }

        /// Makes a document in this workspace.
        ///
        /// - Throws: As ``AutomergeStore/newDocument(in:content:)``.
        public func newDocument(content: Automerge.Document? = nil) throws -> Document {
            try store.newDocument(in: id, content: content)
        }
    }

    /// An open document of the store.
    public struct Document: Sendable {
        /// The document's identifier.
        public let id: UUID
        /// The workspace that it belongs to.
        public let workspace: UUID
        /// The document itself: to be read and edited. What is edited is stored by itself.
        public let automerge: Automerge.Document
        let store: AutomergeStore

        /// Stores its edits now.
        ///
        /// - Throws: As ``AutomergeStore/save()``.
        public func save() throws { try store.save(id) }
    }
}

extension AutomergeStore.Document: Identifiable {}
extension AutomergeStore.Workspace: Identifiable {}
