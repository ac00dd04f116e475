import GRDB
import Replication

/// The format of `Entities.db`: the writes of one device, in order.
///
/// ```
/// meta (key TEXT, value)              format "tideline-2", identity, device
/// names (id INTEGER, name TEXT)       repeated texts, numbered from 1: identifiers, types,
///                                     keys, tags
/// log (id INTEGER,                    from 1, without gaps; rows never change
///      timestamp INTEGER,             write time: microseconds since 2001
///      operation INTEGER,             1 creation, 2 entry, 3 removal, 4 deletion; 0 a row that a
///                                     repair could not recover, with an impossible time
///      entity INTEGER,                names.id of its identifier
///      key INTEGER,                   names.id; entry, removal
///      tag INTEGER,                   names.id; for a creation the type, for an entry the semantic
///                                     type, NULL for the default of the kind
///      date INTEGER,                  the datestamp; NULL if equal to the timestamp
///      kind INTEGER,                  for an entry: 1 string, 2 integer, 3 double, 4 boolean,
///                                     5 date, 6 data, 7 relationship, 8 array, 9 dictionary
///      value)                         TEXT, INTEGER, REAL, 0 or 1, microseconds, BLOB, names.id,
///                                     JSON text, JSON text; for a lost row 1 if it certainly
///                                     existed; for a removal the entries that it covers:
///                                     {"upTo": {DEVICE: ROW}} or {"rows": {DEVICE: [ROW]}}
/// ```
///
/// Setting a value writes a removal with `upTo` (`{}` if there were no entries), and then the
/// entry. If undoing a resolution restores a side of a conflict, the removal covers the rows that
/// the first writer of that side had seen, and names that writer's entry: {"upTo": {DEVICE: ROW},
/// "restates": {DEVICE: ROW}}.
///
/// Creations, entries, removals and deletions are separate rows, so that they all replicate in the
/// same way. The view `readable` shows the log with names in place of numbers.
enum EntityLogSchema {
    static let format = "tideline-2"
    static let table = LogTable(name: "log", mark: "timestamp")
    static let logColumns = [
        "id", "timestamp", "operation", "entity", "key", "tag", "date", "kind", "value",
    ]
    /// "TdEn".
    static let applicationID = 0x5464_456E
    static let version = 1
    /// The operation of a placeholder for a lost row; it has no effect.
    static let lostRow: Int64 = 0
    /// The value of a placeholder if the lost row certainly existed.
    static let certain: Int64 = 1

    /// Creates the schema in a new file.
    static func create(in db: Database, device: DeviceID) throws {
        try LogIdentity(format: format, device: device).insert(into: db)
        try db.execute(
            sql: """
                PRAGMA application_id = \(applicationID);
                PRAGMA user_version = \(version);
                CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                CREATE TABLE log (
                    id INTEGER PRIMARY KEY, timestamp INTEGER NOT NULL,
                    operation INTEGER NOT NULL, entity INTEGER NOT NULL, key INTEGER,
                    tag INTEGER, date INTEGER, kind INTEGER, value);
                CREATE VIEW readable AS
                SELECT log.id, timestamp,
                    CASE operation WHEN 1 THEN 'creation' WHEN 2 THEN 'entry'
                        WHEN 3 THEN 'removal' WHEN 4 THEN 'deletion' END AS operation,
                    e.name AS entity, k.name AS key, t.name AS tag,
                    ifnull(date, timestamp) AS date,
                    CASE kind WHEN 7 THEN (SELECT name FROM names WHERE id = value)
                        ELSE value END AS value
                FROM log JOIN names e ON e.id = entity
                    LEFT JOIN names k ON k.id = key LEFT JOIN names t ON t.id = tag;
                """)
    }

    /// Checks that a database has this format.
    ///
    /// - Throws: `ReplicationError`: `.newerFormat`, `.unreadable`.
    static func identity(in db: Database) throws -> LogIdentity {
        guard let identity = try LogIdentity.fetch(from: db) else {
            throw ReplicationError(.unreadable, "the file is not an entity log")
        }
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard identity.format == format, version <= self.version else {
            throw ReplicationError(
                .newerFormat,
                "the file has the format \(identity.format.quoted), version \(version), which "
                    + "this program doesn't know")
        }
        let application = try Int.fetchOne(db, sql: "PRAGMA application_id")
        guard application == applicationID,
            let names = try db.ordinaryColumns(of: "names"),
            Set(["id", "name"]).isSubset(of: names),
            let log = try db.ordinaryColumns(of: "log"), Set(logColumns).isSubset(of: log)
        else { throw ReplicationError(.unreadable, "the file is not an entity log") }
        return identity
    }
}
