import Automerge
import Foundation
import Replication

/// The file layout of automerge-repo's file-system storage.
///
/// ```
/// st/orage-adapter-id                         the UUID of the store
/// 2j/9knpCseyhnK8izDmLpGP5WMdZQ/              a document: its identifier, split in two
///   snapshot/SHA-256 of its heads             a document chunk
///   incremental/SHA-256 of the file           change chunks
///   sync-state/STORAGE ID                     the sync state with another store
/// ```
///
/// Programs access the files without locks, so a file may be torn or empty. Names are not verified
/// against the contents, and unreadable files are ignored.
struct StorageFolder: Sendable {
    let root: RootedFolder

    static let adapterFile = (folder: "st", name: "orage-adapter-id")
    private static let kinds = [("snapshot", true), ("incremental", false)]

    init(_ path: String) { root = RootedFolder(path) }

    /// The contents of the folder.
    struct Listing {
        var chunks: [ChunkKey: ChunkRecord] = [:]
        /// The path components of each document's folder, as spelled on disk.
        var steps: [UUID: [String]] = [:]
        /// Descriptions of unexpected items.
        var problems: [String] = []
    }

    /// Lists all chunks without opening any.
    ///
    /// - Throws: `ReplicationError` if the folder itself can't be listed.
    /// - Complexity: O(*n*) in the number of files.
    func listing() throws -> Listing {
        var listing = Listing()
        let entries = try root.entries()
        listing.problems += SubductionStorage.all(in: root, entries).map(\.problem)
        for first in entries where first.isFolder && first.name.utf8.count == 2 {
            // Another process may delete folders during the listing. They are skipped.
            for second in (try? root.entries([first.name])) ?? [] where second.isFolder {
                list([first.name, second.name], &listing)
            }
        }
        return listing
    }

    private func list(_ steps: [String], _ listing: inout Listing) {
        var files: [(isSnapshot: Bool, entry: RootedFolder.Entry)] = []
        for (kind, isSnapshot) in Self.kinds {
            for entry in (try? root.entries(steps + [kind])) ?? [] where !entry.isFolder {
                if Self.isHash(entry.name) {
                    files.append((isSnapshot, entry))
                } else if Self.isPlaceholder(entry.name) {
                    listing.problems.append(
                        "\((steps + [kind, entry.name]).joined(separator: "/")): a sync service has "
                            + "not downloaded this chunk")
                }
            }
        }
        // A folder without a chunk isn't a document.
        guard !files.isEmpty else { return }
        guard let document = Self.document(steps[0], steps[1]) else {
            listing.problems.append(
                "\(steps.joined(separator: "/")): left out, because its name isn't a document "
                    + "identifier")
            return
        }
        if let known = listing.steps[document], known != steps {
            listing.problems.append(
                "\(steps.joined(separator: "/")): left out, because it is a second folder of the "
                    + "same document")
            return
        }
        listing.steps[document] = steps
        for (isSnapshot, entry) in files {
            let key = ChunkKey.file(
                document: document, isSnapshot: isSnapshot, name: entry.name)
            listing.chunks[key] = ChunkRecord(
                id: "\(isSnapshot ? "snapshot" : "incremental")/\(entry.name)",
                document: document, workspace: document, isSnapshot: isSnapshot,
                byteCount: Int(entry.byteCount), device: nil, timestamp: entry.modified, key: key)
        }
    }

    /// Returns the temporary files of writes, with their paths within the folder. A file remains if
    /// its writer was killed.
    ///
    /// - Complexity: O(*n*) in the number of documents.
    func unfinishedFiles() -> [(path: String, file: RootedFolder.Entry)] {
        // Files are written via the folder of the document, or via the storage folder itself.
        var files = unfinishedFiles(in: [])
        for first in folders([]) where first.utf8.count == 2 {
            for second in folders([first]) { files += unfinishedFiles(in: [first, second]) }
        }
        return files
    }

    private func unfinishedFiles(
        in steps: [String]
    ) -> [(path: String, file: RootedFolder.Entry)] {
        ((try? root.items(steps)) ?? [])
            .filter { $0.kind == .file && RootedFolder.isUnfinished($0.name) }
            .map { ((steps + [$0.name]).joined(separator: "/"), $0) }
    }

    private func folders(_ steps: [String]) -> [String] {
        ((try? root.entries(steps)) ?? []).filter(\.isFolder).map(\.name)
    }

    /// Returns the document of a folder. On a case-insensitive disk, the first two characters may
    /// be spelled as in another document's folder.
    static func document(_ first: String, _ second: String) -> UUID? {
        if let document = UUID(strictAutomergeID: first + second) { return document }
        let variants = first.map { [String($0).lowercased(), String($0).uppercased()] }
        guard variants.count == 2 else { return nil }
        for a in variants[0] {
            for b in variants[1] {
                if let found = UUID(strictAutomergeID: a + b + second) { return found }
            }
        }
        return nil
    }

    /// Returns the path components for the folder of a new document.
    static func steps(of document: UUID) -> [String] {
        let text = document.automergeID
        return [String(text.prefix(2)), String(text.dropFirst(2))]
    }

    private static func isHash(_ name: String) -> Bool {
        name.utf8.count == 64
            && name.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    /// Returns whether a file stands in for a chunk that a sync service hasn't downloaded.
    private static func isPlaceholder(_ name: String) -> Bool {
        [(".", ".icloud"), ("", ".nextcloud"), ("", ".owncloud")].contains { start, end in
            name.hasPrefix(start) && name.hasSuffix(end)
                && isHash(String(name.dropFirst(start.count).dropLast(end.count)))
        }
    }

    /// Returns the file name of a chunk: the hash of the heads for a snapshot, the hash of the
    /// bytes for a delta.
    static func name(isSnapshot: Bool, _ data: Data, heads: Set<ChangeHash>) -> String {
        guard isSnapshot else { return SHA256.text(of: data) }
        let text = heads.sorted().map(\.debugDescription).joined()
        return SHA256.text(of: Array(text.utf8))
    }

    static func kind(isSnapshot: Bool) -> String { isSnapshot ? "snapshot" : "incremental" }

    /// Returns whether a folder is a storage folder: it contains a store identifier, a document, or
    /// a ``SubductionStorage``.
    ///
    /// - Complexity: If the folder is a storage folder, only a few of its subfolders are read.
    static func recognizes(_ path: String) -> Bool {
        let root = RootedFolder(path)
        guard let entries = try? root.entries() else { return false }
        if !SubductionStorage.all(in: root, entries).isEmpty { return true }
        let folders = entries.filter { $0.isFolder && $0.name.utf8.count == 2 }
        if folders.contains(where: { $0.name == adapterFile.folder }),
            (try? root.entries([adapterFile.folder]))?
                .contains(where: { !$0.isFolder && $0.name == adapterFile.name }) == true
        {
            return true
        }
        return folders.contains { first in
            (try? root.entries([first.name]))?.contains { second in
                second.isFolder && document(first.name, second.name) != nil
                    && (try? root.entries([first.name, second.name]))?.contains { entry in
                        entry.isFolder && kinds.contains { $0.0 == entry.name }
                    } == true
            } == true
        }
    }
}

extension UUID {
    /// Creates a UUID from base58check text with a payload of exactly 16 bytes.
    fileprivate init?(strictAutomergeID text: String) {
        guard let payload = Base58Check.payload(text), let uuid = UUID(bytes: payload) else {
            return nil
        }
        self = uuid
    }
}
