import Foundation
import GRDB
import Replication

/// The form of `Documents.db`: what one device made of workspaces and chunks, in order.
///
/// ```
/// meta (key TEXT, value)              format "tideline-documents", identity, device
/// log (id INTEGER,                    from 1, without gaps; rows are never changed or deleted
///      timestamp INTEGER,             when it was written: microseconds since 2001
///      operation INTEGER,             1 a workspace's name, 2 its deletion, 3 a snapshot, 4 a delta,
///                                     5 the deletion of chunks
///      workspace BLOB,                a UUID; of 1 to 4
///      document BLOB,                 a UUID; of 3 to 5
///      chunk BLOB,                    a UUID; of 3 and 4
///      size INTEGER,                  of 3 and 4 the bytes of the chunk, of 5 how many chunks
///      value)                         of 1 the name, of 5 the ids of their rows: "3,4,5"; of 3 and
///                                     4 the actors as whom the device made changes of its own in
///                                     the chunk and those that it took the place of, where known
/// content (id INTEGER,                of a row with operation 3 or 4
///          data BLOB)                 the chunk; gone once its deletion is in the log
/// ```
///
/// A chunk is deleted by a row like everything else, in the transaction that adds what replaces it.
/// Its bytes go, its row stays, so that ids have no gaps: a gap means an incomplete copy.
struct DocumentLog: ConsecutiveLog, WrittenLog {
    typealias Batch = [BackingRead.Entry]
    typealias Notes = NoNotes
    typealias Whole = [LogRows<Batch, Notes>]
    typealias Written = [BackingRead.Entry]

    let kind = DatabaseKind.documents
    let table = LogTable(name: "log", mark: "timestamp")
    /// What is not there in one device's log does not keep another's chunks from being read.
    let keepsRows = true
    /// What is freed leaves the file, which a sync service carries as a whole.
    let creationSQL = "PRAGMA auto_vacuum = FULL"

    static let format = "tideline-documents"
    /// "TdDo".
    static let applicationID = 0x5464_446F
    static let version = 1

    enum Operation: Int64 {
        case name = 1, workspaceDeletion, snapshot, delta, chunkDeletion
    }

    func identity(in db: Database) throws -> LogIdentity {
        guard let identity = try LogIdentity.fetch(from: db) else {
            // What is written before the first transaction: a writer that was killed between the two
            // leaves a file that the next one goes on with.
            guard
                try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") != 0
                    || Int.fetchOne(db, sql: "PRAGMA page_count") != 1
            else {
                throw ReplicationError(.incomplete, "it has nothing in it so far")
            }
            throw ReplicationError(.unreadable, "it is not a log of documents")
        }
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard identity.format == Self.format, version <= Self.version else {
            throw ReplicationError(
                .newerFormat,
                "it has the form \(identity.format.quoted), version \(version), which "
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

extension UUID {
    /// Its 16 bytes.
    var bytes: Data { withUnsafeBytes(of: uuid) { Data($0) } }

    /// The UUID of 16 bytes; `nil` for any other number of them.
    init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
        self.init(uuid: uuid)
    }
}
