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
        let store: AutomergeStore
        private let held = Mutex<Automerge.Document?>(nil)

        init(_ id: UUID, in store: AutomergeStore) {
            self.id = id
            self.store = store
        }

        func hold(_ index: Automerge.Document) { held.withLock { $0 = index } }
        func release() { held.withLock { $0 = nil } }

        /// The document with the main content of the workspace.
        ///
        /// - Throws: ``DocumentStoreError``: `.notArrived` if the first changes of the document
        ///   have not arrived, `.noSuchWorkspace` if the workspace was deleted.
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

        /// Opens and returns the documents of the workspace, the index first. Leaves out documents
        /// that can't be opened yet, because their first changes have not arrived.
        ///
        /// ``documentSummaries`` lists all documents without opening them.
        ///
        /// - Throws: The errors of ``AutomergeStore/openDocument(_:)``.
        /// - Complexity: O(*n*) in the number of operations of documents that aren't open.
        public var documents: [Document] {
            get throws {
                try documentSummaries.compactMap { summary -> Document? in
                    do {
                        return try store.openDocument(summary.id)
                    } catch let error as DocumentStoreError where error.code == .notArrived {
                        return nil
                    }
                }
            }
        }

        /// The summaries of the workspace's documents, the index first.
        ///
        /// - Complexity: O(*n*) in the number of their chunks; no document is opened.
        public var documentSummaries: [DocumentSummary] { store.documentSummaries(in: id) }

        /// Creates a document in this workspace.
        ///
        /// - Throws: The errors of ``AutomergeStore/newDocument(in:content:)``.
        public func newDocument(content: Automerge.Document? = nil) throws -> Document {
            try store.newDocument(in: id, content: content)
        }

        /// Renames the workspace. The name is on disk when this method returns.
        ///
        /// - Throws: The errors of ``AutomergeStore/renameWorkspace(_:to:)``.
        public func rename(to name: String) throws { try store.renameWorkspace(id, to: name) }

        /// Deletes the workspace and its documents, on every device that receives the deletion.
        ///
        /// - Throws: The errors of ``AutomergeStore/deleteWorkspace(_:)``.
        public func delete() throws { try store.deleteWorkspace(id) }
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

        /// The sync status of the document in this program, on disk and on other devices. Read it
        /// again after each event about the document.
        public var syncStatus: DocumentSyncStatus { store.syncStatus(of: id) }
    }
}

extension AutomergeStore.Document: Identifiable, Hashable {
    /// Returns whether both are the same open document of a store.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.id == rhs.id && lhs.automerge === rhs.automerge
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension AutomergeStore.Workspace: Identifiable, Hashable {
    /// Returns whether both are the same workspace of a store.
    public static func == (lhs: AutomergeStore.Workspace, rhs: AutomergeStore.Workspace) -> Bool {
        lhs.id == rhs.id && lhs.store === rhs.store
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
