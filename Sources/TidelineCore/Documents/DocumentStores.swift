import Automerge
public import DocumentStore
public import Foundation
public import Replication

/// Opens document stores of any format by path.
public enum DocumentStores {
    /// Opens the documents of a package, a storage folder of automerge-repo, or a file of the
    /// original AutomergeStore.
    ///
    /// - Parameters:
    ///   - device: The device that writes to a package; `nil` for read-only access.
    ///   - writes: Whether a storage folder may be written.
    ///   - watches: Whether later writes of other programs and devices are followed. If not, only
    ///     the current state is read.
    ///   - willAddDevice: Called before the folder of `device` is created.
    /// - Returns: `nil` for a single Automerge file, which is not a store.
    /// - Throws: ``CoreError``, `.badData` for a store without documents; `ReplicationError`.
    public static func open(
        _ path: String, device: DeviceID? = nil, writes: Bool = false, watches: Bool = false,
        willAddDevice: StorePackage.DeviceObserver? = nil
    ) throws -> AutomergeStore? {
        var configuration = AutomergeStore.Configuration()
        configuration.watchesFolder = watches
        return try DocumentPlace(path, willAddDevice)?.open(
            device: device, isWritable: writes, configuration: configuration)
    }
}

/// The location of documents.
package enum DocumentPlace: Sendable {
    case package(StorePackage)
    /// A folder of automerge-repo's file-system storage.
    case storageFolder(String)
    /// A Core Data file of the original AutomergeStore.
    case coreData(String)

    /// Detects the documents at a path; `nil` for a single Automerge file, which is not a store.
    init?(_ path: String, _ willAddDevice: StorePackage.DeviceObserver? = nil) throws {
        let kind = try StoreKind(of: path)
        switch (kind, kind.place) {
        case (.package(let package), _): self = .package(package.observed(by: willAddDevice))
        case (_, let place as DocumentPlace): self = place
        case _ where kind.isAutomergeFile: return nil
        default: throw CoreError(.badData, "a store of kind \(kind.name) has no documents")
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

extension DocumentView {
    /// Creates a view of a store's document, for reading and editing.
    public init(_ document: AutomergeStore.Document) { self.init(document.automerge) }

    /// Creates a view of a store's document, with the devices that edit it.
    public init(_ document: AutomergeStore.Document, in store: AutomergeStore) {
        self.init(document.automerge, devices: store.authors(of: document.id))
    }

    /// The document in file format.
    ///
    /// - Complexity: O(*n*) in the number of its operations.
    public var saved: Data { document.save() }
}

extension AutomergeStore {
    /// Returns a copy of a document, which is independent of the store; `nil` if the store doesn't
    /// have the document.
    func copy(of id: UUID) throws -> Automerge.Document? {
        try openDocument(id).map { document in
            withExtendedLifetime(document) { document.automerge.fork() }
        }
    }

    /// Returns the title of a document in lists; `nil` if the store doesn't have it.
    package func title(of id: UUID) -> String? {
        documentSummary(id).map { title(of: $0, in: workspaceSummary($0.workspace)) }
    }

    /// Returns the title of a document in lists. For the index of a named workspace, this is the name
    /// of the workspace. Its other documents have titles such as `Summer by the sea › 7B0E4C52…`.
    package func title(of document: DocumentSummary, in workspace: WorkspaceSummary?) -> String {
        let own = text(of: document.id)
        guard hasWorkspaces else { return own }
        let name = workspace?.name ?? ""
        if document.isIndex { return name.isEmpty ? own : name }
        let parent = name.isEmpty ? text(of: document.workspace).prefix(8) + "…" : name
        return "\(parent) › \(own.prefix(8))…"
    }
}
