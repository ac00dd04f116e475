import Foundation
import GRDB
import Replication
import Synchronization

/// The Core Data file of the original AutomergeStore and its external data files, read-only.
///
/// A changed file is listed from scratch, because the order of its rows doesn't identify new rows.
final class CoreDataBacking: ChunkBacking {
    let readOnlyReason: String?
    let ownDevice: DeviceID? = nil
    let hasWorkspaces = true
    let compaction = CompactionRule.halfOfSnapshots
    private let path: String
    private let state = Mutex(State())
    private let watcher = Mutex<FileWatcher?>(nil)

    private struct State {
        var stamp: FileStamp?
        var known = Listing()
    }

    struct Listing: Sendable {
        var chunks: [ChunkKey: ChunkRecord] = [:]
        var workspaces: [UUID: String] = [:]
    }

    private static let stamp = BackingRead.Stamp(timestamp: .earliest, device: nil)

    init(_ path: String) {
        self.path = URL(filePath: path).resolvingSymlinksInPath().path
        readOnlyReason =
            "\(path) is a file of the original AutomergeStore, which is read-only"
    }

    func read(isWoken: Bool) throws -> BackingRead {
        try state.withLock { state in
            let outcome: ForeignDatabase.Outcome<Listing>
            do {
                outcome = try ForeignDatabase.read(path, unless: state.stamp) {
                    try Self.listing($0)
                }
            } catch let error as ReplicationError where error.code == .notFound && isWoken {
                return BackingRead(isDeleted: true)
            }
            guard case .read(let found, let stamp) = outcome else { return BackingRead() }
            defer { (state.stamp, state.known) = (stamp, found) }
            return Self.difference(from: state.known, to: found)
        }
    }

    private static func difference(from known: Listing, to found: Listing) -> BackingRead {
        var read = BackingRead()
        for (id, name) in found.workspaces where known.workspaces[id] != name {
            read.entries.append(.workspace(id, name: name, stamp))
        }
        for id in known.workspaces.keys where found.workspaces[id] == nil {
            read.entries.append(.workspaceDeleted(id, stamp))
        }
        for (key, chunk) in found.chunks where known.chunks[key] != chunk {
            read.entries.append(.chunk(chunk))
        }
        for (key, chunk) in known.chunks where found.chunks[key] == nil {
            read.entries.append(.chunkDeleted(key, of: chunk.document))
        }
        return read
    }

    /// Reads the workspaces and chunks in the file.
    ///
    /// - Throws: `ReplicationError`, `.unreadable` for a database with a different schema.
    private static func listing(_ db: Database) throws -> Listing {
        try check(db)
        return try db.limitingLength(to: 1 << 20) {
            var listing = Listing()
            var workspaces: [Int64: UUID] = [:]
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT Z_PK AS pk, ZNAME AS name,
                        CASE WHEN length(ZID) = 16 THEN ZID END AS id
                    FROM ZWORKSPACEMO
                    """)
            while let row = try rows.next() {
                guard let pk = row.integer("pk"), let id = row.uuid("id") else { continue }
                workspaces[pk] = id
                listing.workspaces[id] = row.text("name") ?? ""
            }
            try listChunks(db, workspaces, into: &listing)
            return listing
        }
    }

    private static func listChunks(
        _ db: Database, _ workspaces: [Int64: UUID], into listing: inout Listing
    ) throws {
        // The query selects the sizes of the chunks, not their bytes.
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT Z_PK AS pk, ZISSNAPSHOT AS isSnapshot, ZSIZE AS size, ZWORKSPACE AS owner,
                    length(ZDATA) AS length, CASE WHEN length(ZID) = 16 THEN ZID END AS id,
                    CASE WHEN length(ZDOCUMENTID) = 16 THEN ZDOCUMENTID END AS document,
                    CASE WHEN length(ZWORKSPACEID) = 16 THEN ZWORKSPACEID END AS workspace
                FROM ZCHUNKMO WHERE ZDATA IS NOT NULL
                """)
        while let row = try rows.next() {
            guard let pk = row.integer("pk"), let document = row.uuid("document"),
                let length = row.integer("length")
            else { continue }
            let workspace = row.integer("owner").flatMap { workspaces[$0] } ?? row.uuid("workspace")
            // Like the original, skip chunks without a workspace.
            guard let workspace else { continue }
            let size = row.integer("size") ?? 0
            let key = ChunkKey.row(nil, pk)
            listing.chunks[key] = ChunkRecord(
                id: row.uuid("id")?.uuidString ?? "row \(pk)", document: document,
                workspace: workspace, isSnapshot: row.integer("isSnapshot") ?? 0 != 0,
                byteCount: Int(clamping: size > 0 ? size : length - 1), device: nil,
                timestamp: nil, key: key)
        }
    }

    private static func check(_ db: Database) throws {
        let tables = [
            "ZWORKSPACEMO": ["Z_PK", "ZNAME", "ZID"],
            "ZCHUNKMO": [
                "Z_PK", "ZISSNAPSHOT", "ZSIZE", "ZWORKSPACE", "ZDATA", "ZDOCUMENTID", "ZID",
                "ZWORKSPACEID",
            ],
        ]
        for (table, wanted) in tables {
            guard let columns = try db.ordinaryColumns(of: table),
                Set(wanted).isSubset(of: columns)
            else {
                throw ReplicationError(
                    .unreadable, "the table \(table) is missing or lacks columns")
            }
        }
    }

    func contents(of chunks: [ChunkRecord]) throws -> [ChunkKey: Data] {
        let stored = try ForeignDatabase.value(from: path) { db in
            try Self.check(db)
            let find = try db.makeStatement(
                sql: "SELECT ZDATA FROM ZCHUNKMO WHERE Z_PK = ? AND typeof(ZDATA) = 'blob'")
            var found: [ChunkKey: Data] = [:]
            for chunk in chunks {
                guard case .row(_, let row) = chunk.key else { continue }
                found[chunk.key] = try? Data.fetchOne(find, arguments: [row])
            }
            return found
        }
        return stored.compactMapValues(content)
    }

    /// Returns the value of an attribute with external storage. The first byte is 1 if the bytes
    /// follow, or 2 if the name of an external file follows.
    private func content(_ stored: Data) -> Data? {
        switch stored.first {
        case 1: return Data(stored.dropFirst())
        case 2:
            let name = String(decoding: stored.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
            guard let id = UUID(uuidString: name), name.utf8.count == 36 else { return nil }
            let url = URL(filePath: path)
            let base = url.deletingPathExtension().lastPathComponent
            let folder = RootedFolder(url.deletingLastPathComponent().path)
            let steps = [".\(base)_SUPPORT", "_EXTERNAL_DATA"]
            // Core Data uses uppercase names, but a copy may have changed the case.
            for spelling in [name, id.uuidString, id.uuidString.lowercased()] {
                let limit = AutomergeStore.longestChunk
                if let data = try? folder.read(spelling, in: steps, limit: limit) { return data }
            }
            return nil
        // An attribute without external storage contains the bytes directly.
        case 0x85: return stored
        default: return nil
        }
    }

    func write(_ writes: [BackingWrite], at timestamp: Timestamp) throws -> BackingRead {
        throw DocumentStoreError(.readOnly, readOnlyReason ?? "")
    }

    func watch(_ wake: @escaping @Sendable () -> Void) {
        let started = FileWatcher(path, isDatabase: true, handler: wake)
        watcher.withLock { $0 = started }
    }

    func close() {
        watcher.withLock { $0 = nil }
        state.withLock { $0 = State() }
    }
}

extension Row {
    fileprivate func uuid(_ column: String) -> UUID? {
        guard case .blob(let data) = (self[column] as DatabaseValue).storage else { return nil }
        return UUID(bytes: data)
    }
}

extension AutomergeStore {
    /// Opens the Core Data file (`private.sqlite`, `shared.sqlite`) of the original AutomergeStore
    /// for reading. The folder with its external data must be in the same directory.
    ///
    /// - Throws: `ReplicationError`: `.notFound`, `.unreadable` for another kind of file,
    ///   `.incomplete` for an incomplete file.
    /// - Complexity: O(*n*) in the number of chunks in the file. No document is opened.
    public convenience init(
        coreData path: String, configuration: Configuration = Configuration()
    ) throws {
        self.init(CoreDataBacking(path), configuration)
        try load()
    }
}
