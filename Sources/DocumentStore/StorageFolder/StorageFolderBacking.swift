import Automerge
import Foundation
import Replication
import Synchronization

/// A storage folder of automerge-repo. Other programs may access the folder concurrently.
///
/// Files are added atomically under names derived from their content. A file is deleted only after
/// a snapshot that contains all of its changes is on disk, and only if the file's size has not
/// changed since the read.
final class StorageFolderBacking: ChunkBacking {
    let readOnlyReason: String?
    let ownDevice: DeviceID? = nil
    let hasWorkspaces = false
    /// Each chunk is a separate file.
    let writesTogether = false
    let compaction = CompactionRule.asMuchAsSnapshots
    let folder: StorageFolder
    let state = Mutex(StorageFolder.Listing())
    private let watcher = Mutex<FolderTreeWatcher?>(nil)

    init(_ path: String, isWritable: Bool) {
        folder = StorageFolder(path)
        readOnlyReason = isWritable ? nil : "the store is read-only"
    }

    var unexpectedItems: [String] { state.withLock { $0.problems } }

    func read(isWoken: Bool) throws -> BackingRead {
        let listing: StorageFolder.Listing
        do {
            listing = try folder.listing()
        } catch let error as ReplicationError where error.code == .notFound && isWoken {
            return BackingRead(isDeleted: true)
        }
        return state.withLock { known in
            var read = BackingRead()
            for (key, chunk) in listing.chunks where known.chunks[key] != chunk {
                read.entries.append(.chunk(chunk))
            }
            // Replacements are added before the replaced files are discarded.
            for (key, chunk) in known.chunks where listing.chunks[key] == nil {
                read.entries.append(.chunkDeleted(key, of: chunk.document))
            }
            known = listing
            return read
        }
    }

    func contents(of chunks: [ChunkRecord]) throws -> [ChunkKey: Data] {
        let known = state.withLock { $0.steps }
        var found: [ChunkKey: Data] = [:]
        for chunk in chunks {
            guard case .file(let document, let isSnapshot, let name) = chunk.key else { continue }
            let steps = known[document] ?? StorageFolder.steps(of: document)
            // A file that changes during the read is read again after the next notification.
            found[chunk.key] = try? folder.root.read(
                name, in: steps + [StorageFolder.kind(isSnapshot: isSnapshot)],
                limit: AutomergeStore.longestChunk)
        }
        return found
    }

    func write(_ writes: [BackingWrite], at timestamp: Timestamp) throws -> BackingRead {
        try state.withLock { known in
            var read = BackingRead()
            var added: Set<ChunkKey> = []
            for write in writes {
                switch write {
                case .workspace: break
                case .chunk(_, let document, let isSnapshot, let data, let heads, _):
                    let (chunk, unconfirmed) = try add(
                        data, isSnapshot, heads, document, timestamp, &known)
                    read.unconfirmed = read.unconfirmed ?? unconfirmed
                    added.insert(chunk.key)
                    read.entries.append(.chunk(chunk))
                case .chunksDeleted(let chunks, let document):
                    // A snapshot that the disk did not confirm doesn't replace anything.
                    guard read.unconfirmed == nil else { continue }
                    for key in chunks.map(\.key) where !added.contains(key) {
                        // If the file can't be deleted, two files have its content, which does no
                        // harm.
                        try? remove(key, &known)
                        known.chunks[key] = nil
                        read.entries.append(.chunkDeleted(key, of: document))
                    }
                case .workspaceDeleted(let document): try removeSyncStates(of: document, known)
                }
            }
            return read
        }
    }

    /// Adds a chunk file.
    ///
    /// - Returns: The chunk, and the error if the disk did not confirm it; otherwise `nil`.
    private func add(
        _ data: Data, _ isSnapshot: Bool, _ heads: Set<ChangeHash>, _ document: UUID,
        _ timestamp: Timestamp, _ known: inout StorageFolder.Listing
    ) throws -> (ChunkRecord, unconfirmed: ReplicationError?) {
        let steps = known.steps[document] ?? StorageFolder.steps(of: document)
        let name = StorageFolder.name(isSnapshot: isSnapshot, data, heads: heads)
        let kind = StorageFolder.kind(isSnapshot: isSnapshot)
        // The temporary file is created in a higher folder, because other programs read every file
        // in the chunk folders.
        var unconfirmed: ReplicationError?
        do throws(ReplicationError) {
            try folder.root.write(data, as: name, in: steps + [kind], by: 2)
        } catch {
            guard error.code == .unconfirmed else { throw error }
            unconfirmed = error
        }
        let key = ChunkKey.file(document: document, isSnapshot: isSnapshot, name: name)
        let chunk = ChunkRecord(
            id: "\(kind)/\(name)", document: document, workspace: document,
            isSnapshot: isSnapshot, byteCount: data.count, device: nil, timestamp: timestamp,
            key: key)
        known.chunks[key] = chunk
        known.steps[document] = steps
        return (chunk, unconfirmed)
    }

    private func remove(_ key: ChunkKey, _ known: inout StorageFolder.Listing) throws {
        guard case .file(let document, let isSnapshot, let name) = key,
            let steps = known.steps[document], let chunk = known.chunks[key]
        else { return }
        try folder.root.remove(
            name, in: steps + [StorageFolder.kind(isSnapshot: isSnapshot)],
            ifOf: Int64(chunk.byteCount))
    }

    func watch(_ wake: @escaping @Sendable () -> Void) {
        // A depth of 3 covers the two levels of document folders and the chunk folders.
        let started = FolderTreeWatcher(folder.root.path, depth: 3, handler: wake)
        watcher.withLock { $0 = started }
        // Reads files that were written after the last read and before watching started.
        DispatchQueue.global(qos: .userInitiated).async(execute: wake)
    }

    func close() {
        watcher.withLock { $0 = nil }
        state.withLock { $0 = StorageFolder.Listing() }
    }
}

extension AutomergeStore {
    /// Opens a storage folder of automerge-repo's file-system storage adapter.
    ///
    /// Programs that use automerge-repo may access the folder concurrently. They don't re-read open
    /// documents.
    ///
    /// - Parameter isWritable: Whether documents may be written.
    /// - Throws: `ReplicationError` if the folder doesn't exist.
    /// - Complexity: O(*n*) in the number of its files; none is opened.
    public convenience init(
        storageFolder path: String, isWritable: Bool = true,
        configuration: Configuration = Configuration()
    ) throws {
        self.init(StorageFolderBacking(path, isWritable: isWritable), configuration)
        try load()
    }

    /// Creates a storage folder of automerge-repo with a new identifier.
    ///
    /// - Throws: `ReplicationError`, `.cannotCreate` if the path exists and isn't an empty folder.
    public convenience init(
        creatingStorageFolder path: String, configuration: Configuration = Configuration()
    ) throws {
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false)
        let root = RootedFolder(path)
        guard let entries = try? root.entries(), entries.isEmpty else {
            throw ReplicationError(.cannotCreate, at: path, "the path already exists")
        }
        let file = StorageFolder.adapterFile
        try root.write(
            Data(UUID().uuidString.lowercased().utf8), as: file.name, in: [file.folder], by: 0)
        try self.init(storageFolder: path, configuration: configuration)
    }

    /// Returns the path of the file that contains the identifier of a storage folder.
    package static func storageIDFile(ofStorageFolder path: String) -> String {
        let file = StorageFolder.adapterFile
        return URL(filePath: path).appending(path: "\(file.folder)/\(file.name)").path
    }

    /// Returns the temporary files of writes in a storage folder, with their paths within it.
    ///
    /// - Complexity: O(*n*) in the number of documents.
    package static func unfinishedFiles(
        inStorageFolder path: String
    ) -> [(path: String, file: RootedFolder.Entry)] {
        StorageFolder(path).unfinishedFiles()
    }

    /// Returns whether a folder is a storage folder of automerge-repo.
    public static func isStorageFolder(_ path: String) -> Bool { StorageFolder.recognizes(path) }
}
