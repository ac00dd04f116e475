import Foundation
import GRDB
public import Replication

/// The format of `Documents.db`: one device's writes to workspaces and chunks, in order.
///
/// ```
/// meta (key TEXT, value)              format "tideline-documents", identity, device
/// log (id INTEGER,                    from 1, without gaps; rows are never changed or deleted
///      timestamp INTEGER,             time of the write: microseconds since 2001
///      operation INTEGER,             1 workspace name, 2 workspace deletion, 3 snapshot, 4 delta,
///                                     5 deletion of chunks
///      workspace BLOB,                a UUID; operations 1 to 4
///      document BLOB,                 a UUID; operations 3 to 5
///      chunk BLOB,                    a UUID; operations 3 and 4
///      size INTEGER,                  3 and 4: bytes of the chunk; 5: number of chunks
///      value)                         1: the name; 5: the row ids of the chunks, "3,4,5"; 3 and 4:
///                                     the actors of the device's own changes in the chunk and in
///                                     the chunks that it replaced, if known
/// content (id INTEGER,                id of a row with operation 3 or 4
///          data BLOB)                 the chunk; removed once its deletion is in the log
/// ```
///
/// Deleting a chunk appends a row, in the same transaction that adds the chunk's replacement. The
/// bytes of the chunk are removed, but its row stays, so ids have no gaps. A gap indicates an
/// incomplete copy.
struct DocumentLog: ConsecutiveLog, WrittenLog {
    typealias Batch = [BackingRead.Entry]
    typealias Notes = NoNotes
    typealias Whole = [LogRows<Batch, Notes>]
    typealias Written = [BackingRead.Entry]

    let kind = DatabaseKind.documents
    let table = LogTable(name: "log", mark: "timestamp")
    /// Rows missing from one device's log don't affect the chunks of other devices.
    let keepsRows = true
    /// The setting that returns free pages to the file system, because a sync service transfers the
    /// whole file.
    let creationSQL = "PRAGMA auto_vacuum = FULL"

    static let format = "tideline-documents"
    /// "TdDo" in ASCII.
    static let applicationID = 0x5464_446F
    static let version = 1

    enum Operation: Int64 {
        case name = 1, workspaceDeletion, snapshot, delta, chunkDeletion
    }

    func suggestion(forCopyAt path: String, in package: StorePackage) -> Suggestion {
        .appendDocuments(ofCopyAt: path)
    }

    func identity(in db: Database) throws -> LogIdentity {
        guard let identity = try LogIdentity.fetch(from: db) else {
            // An interrupted writer may leave a file without its first transaction. The next writer
            // continues this file.
            guard
                try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") != 0
                    || Int.fetchOne(db, sql: "PRAGMA page_count") != 1
            else {
                throw ReplicationError(.incomplete, "it is empty so far")
            }
            throw ReplicationError(.unreadable, "it is not a log of documents")
        }
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard identity.format == Self.format, version <= Self.version else {
            throw ReplicationError(
                .newerFormat,
                "it has the format \(identity.format.quoted), version \(version), which "
                    + "this program does not know")
        }
        let columns = [
            "id", "timestamp", "operation", "workspace", "document", "chunk", "size", "value",
        ]
        guard try Int.fetchOne(db, sql: "PRAGMA application_id") == Self.applicationID,
            let log = try db.ordinaryColumns(of: "log"), Set(columns).isSubset(of: log),
            let content = try db.ordinaryColumns(of: "content"),
            Set(["id", "data"]).isSubset(of: content)
        else { throw ReplicationError(.unreadable, "it is not a log of documents") }
        return identity
    }

    func create(in db: Database, as device: DeviceID) throws {
        try LogIdentity(format: Self.format, device: device).insert(into: db)
        try db.execute(
            sql: """
                PRAGMA application_id = \(Self.applicationID);
                PRAGMA user_version = \(Self.version);
                CREATE TABLE log (
                    id INTEGER PRIMARY KEY, timestamp INTEGER NOT NULL,
                    operation INTEGER NOT NULL, workspace BLOB, document BLOB, chunk BLOB,
                    size INTEGER, value);
                CREATE TABLE content (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
                CREATE VIEW readable AS
                SELECT log.id, timestamp,
                    CASE operation WHEN 1 THEN 'name' WHEN 2 THEN 'workspace deleted'
                        WHEN 3 THEN 'snapshot' WHEN 4 THEN 'delta'
                        WHEN 5 THEN 'chunks deleted' END AS operation,
                    hex(workspace) AS workspace, hex(document) AS document, hex(chunk) AS chunk,
                    size, value, length(data) AS bytes
                FROM log LEFT JOIN content ON content.id = log.id;
                """)
    }
}

extension Suggestion.Action {
    /// Append the rows of the log of documents at `paths[1]` to the log at `paths[0]`, which no
    /// program may be writing. Without paths, the advice is about a copy that the message names.
    public static let appendDocuments = Self("appendDocuments")
}

extension Suggestion {
    /// Returns the suggestion for a copy of a document log.
    package static func appendDocuments(ofCopyAt path: String) -> Self {
        let copy = URL(filePath: path)
        let name = DatabaseKind.documents.fileName
        let original = copy.deletingLastPathComponent().appending(path: name).path
        return Suggestion(
            "end all programs that write the original, append the rows of the copy to it, then "
                + "delete the copy", .appendDocuments,
            // A copy with the name of the original is in a copy of the device's folder.
            paths: copy.lastPathComponent == name ? [] : [original, path])
    }
}

extension DatabaseKind {
    /// A device's log of documents.
    public static let documents = DatabaseKind(named: "Documents")
}
