import Automerge
public import DocumentStore
public import Foundation
import KeyValueStore
public import Replication

/// Stores of documents by path, whatever their form.
public enum DocumentStores {
    /// Opens the documents of a package, a storage folder of automerge-repo, or a file of the
    /// original AutomergeStore. Nothing is watched: what is there now is read.
    ///
    /// - Parameters:
    ///   - device: Who writes to a package; `nil` to read only.
    ///   - writes: Whether a storage folder may be written.
    /// - Returns: `nil` for one Automerge file, which is no store.
    /// - Throws: ``CoreError``, `.badData` for what holds no documents; `ReplicationError`.
    public static func open(
        _ path: String, device: DeviceID? = nil, writes: Bool = false
    ) throws -> AutomergeStore? {
        var configuration = AutomergeStore.Configuration()
        configuration.watches = false
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

extension StoreInfo {
    /// Adds what a package's `Documents.db` files hold, where there are any.
    mutating func describeDocuments(_ package: StorePackage) throws {
        guard try package.devices().contains(where: { $0.has(.documents) }) else { return }
        guard let store = try DocumentStores.open(package.path) else { return }
        count(store)
        let names = package.deviceNames()
        for status in store.devices() where status.form != nil || status.problem != nil {
            if let problem = status.problem { problems.append("\(status.device): \(problem)") }
            add(status, name: names[status.device] ?? status.device.name)
        }
        devices.sort { $0.id < $1.id }
    }

    /// Tells of a store that is documents and nothing else.
    mutating func describeDocuments(at path: String) throws {
        guard let store = try DocumentStores.open(path) else { return }
        count(store)
    }

    private mutating func count(_ store: AutomergeStore) {
        let documents = store.documents()
        // In a storage folder, documents are in no workspace.
        if store.hasWorkspaces { counts["workspaces"] = store.workspaces.count }
        counts["documents"] = documents.count
        counts["chunks"] = documents.reduce(0) { $0 + $1.chunkCount }
        problems += store.oddities
        let waiting = documents.count { $0.snapshotCount == 0 }
        if waiting > 0 {
            problems.append("no snapshot of \(waiting) document(s) is there, only later changes")
        }
    }

    private mutating func add(_ status: DeviceStatus, name: String) {
        guard let place = devices.firstIndex(where: { $0.id == status.device }) else {
            devices.append(
                Device(
                    id: status.device, name: name, format: "tideline-2", rows: status.rows, keys: 0,
                    first: status.first, last: status.last, bytes: status.bytes,
                    state: status.state.rawValue, problem: status.problem))
            return
        }
        devices[place].rows += status.rows
        devices[place].bytes += status.bytes
        devices[place].first = [devices[place].first, status.first].compactMap { $0 }.min()
        devices[place].last = [devices[place].last, status.last].compactMap { $0 }.max()
        // A device without keys is not absent where it has documents.
        if devices[place].state == "absent" || status.state != .ok {
            devices[place].state = status.state.rawValue
            devices[place].problem = status.problem
        }
        devices[place].format = devices[place].format ?? "tideline-2"
    }
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
