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
        return try DocumentPlace(path)?.open(
            device: device, isWritable: writes, configuration: configuration)
    }
}

/// Where documents are.
enum DocumentPlace: Sendable {
    case package(StorePackage)
    /// A folder of automerge-repo's file-system storage.
    case storageFolder(String)
    /// The original's Core Data file.
    case coreData(String)

    /// What is at a path; `nil` for one Automerge file, which is no store.
    init?(_ path: String) throws {
        switch try StoreKind(of: path) {
        case .package(let package): self = .package(package)
        case .storageFolder: self = .storageFolder(path)
        case .coreDataDocuments: self = .coreData(StoreKind.resolved(path))
        case .automerge: return nil
        case let kind: throw CoreError(.badData, "it holds \(kind.name), no documents")
        }
    }

    func open(
        device: DeviceID?, isWritable: Bool, configuration: AutomergeStore.Configuration
    ) throws -> AutomergeStore {
        switch self {
        case .package(let package):
            try AutomergeStore(package, device: device, configuration: configuration)
        case .storageFolder(let path):
            try AutomergeStore(
                storageFolder: path, isWritable: isWritable, configuration: configuration)
        case .coreData(let path):
            try AutomergeStore(coreData: path, configuration: configuration)
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
