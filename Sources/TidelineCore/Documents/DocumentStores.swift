import Automerge
public import DocumentStore
public import Foundation
import KeyValueStore
public import Replication

/// Stores of documents by path, whatever their form.
public enum DocumentStores {
    /// Opens the documents of a package, a storage folder of automerge-repo, or a file of the
    /// original AutomergeStore.
    ///
    /// - Parameters:
    ///   - device: Who writes to a package; `nil` to read only.
    ///   - writes: Whether a storage folder may be written.
    ///   - watches: Whether what others write is taken in as it comes; otherwise what is there now
    ///     is read.
    /// - Returns: `nil` for one Automerge file, which is no store.
    /// - Throws: ``CoreError``, `.badData` for what holds no documents; `ReplicationError`.
    public static func open(
        _ path: String, device: DeviceID? = nil, writes: Bool = false, watches: Bool = false
    ) throws -> AutomergeStore? {
        var configuration = AutomergeStore.Configuration()
        configuration.watchesFolder = watches
        let resolved = StoreKind.resolved(path)
        switch try StoreKind(of: path) {
        case .package(let package):
            return try AutomergeStore(package, device: device, configuration: configuration)
        case .storageFolder:
            return try AutomergeStore(
                storageFolder: path, isWritable: writes, configuration: configuration)
        case .coreDataDocuments:
            return try AutomergeStore(coreData: resolved, configuration: configuration)
        case .automerge: return nil
        case let kind: throw CoreError(.badData, "it holds \(kind.name), no documents")
        }
    }
}

extension AutomergeStore {
    /// How the store spells the identifier of a document or workspace.
    public func text(of id: UUID) -> String { hasWorkspaces ? id.uuidString : id.automergeID }
}

extension DocumentView {
    /// A document of a store, to be read and edited.
    public init(_ document: AutomergeStore.Document) { self.init(document.automerge) }
}

extension DocumentView {
    /// The whole document as the bytes of a file.
    ///
    /// - Complexity: O(*n*) in the number of its operations.
    public var saved: Data { document.save() }

    /// Makes a workspace of which this document is the index.
    ///
    /// - Returns: The workspace's identifier.
    /// - Throws: As `AutomergeStore.newWorkspace(named:index:)`.
    public func add(to store: AutomergeStore, named name: String) throws -> UUID {
        try store.newWorkspace(named: name, index: document).id
    }
}
