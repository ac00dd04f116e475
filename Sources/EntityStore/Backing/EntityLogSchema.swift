import GRDB
import Replication

/// The form of `Entities.db`: what one device wrote, in order.
///
/// ```
/// meta (key TEXT, value)              format "tideline-2", identity, device
/// names (id INTEGER, name TEXT)       texts that repeat, numbered from 1: identifiers, types,
///                                     keys, tags
/// log (id INTEGER,                    from 1, without gaps; rows are never changed
///      timestamp INTEGER,             when it was written: microseconds since 2001
///      operation INTEGER,             1 creation, 2 entry, 3 removal, 4 deletion; 0 a row that was
///                                     lost when the log was mended, with a time that none can have
///      entity INTEGER,                names.id of its identifier
///      key INTEGER,                   names.id; entry, removal
///      tag INTEGER,                   names.id; of a creation the type, of an entry the semantic
///                                     type, NULL where it is the kind's own
///      date INTEGER,                  the datestamp; NULL where it is the timestamp
///      kind INTEGER,                  of an entry: 1 string, 2 integer, 3 double, 4 boolean,
///                                     5 date, 6 data, 7 relationship, 8 array, 9 dictionary
///      value)                         TEXT, INTEGER, REAL, 0 or 1, microseconds, BLOB, names.id,
///                                     JSON text, JSON text; of a row that was lost 1 where there
///                                     was one for certain; of a removal what it takes back:
///                                     {"upTo": {DEVICE: ROW}} or {"rows": {DEVICE: [ROW]}}
/// ```
///
/// A value that was set in the place of all others follows, in the same write, on a removal by `upTo`,
/// which is `{}` where nothing was there. A side of a conflict that is put back, because what ended the
/// conflict is taken back, follows on what its first writer had seen, and names that writer's entry:
/// {"upTo": {DEVICE: ROW}, "restates": {DEVICE: ROW}}.
///
/// A creation, an entry and so on each are a row of their own, so that removals and deletions
/// travel like everything else. The view `readable` shows the log with names in place of numbers.
enum EntityLogSchema {
    static let format = "tideline-2"
    static let table = LogTable(name: "log", mark: "timestamp")
    static let logColumns = [
        "id", "timestamp", "operation", "entity", "key", "tag", "date", "kind", "value",
    ]
    /// "TdEn".
    static let applicationID = 0x5464_456E
    static let version = 1
    /// The operation of a row in the place of one that was lost: it says nothing.
    static let lostRow: Int64 = 0
    /// The value of such a row where it is not just a number that may have been taken.
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

    /// Checks that a database is of this form.
    ///
    /// - Throws: `ReplicationError`: `.newerFormat`, `.unreadable`.
    static func identity(in db: Database) throws -> LogIdentity {
        guard let identity = try LogIdentity.fetch(from: db) else {
            throw ReplicationError(.unreadable, "it is not a log of entities")
        }
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard identity.format == format, version <= self.version else {
            throw ReplicationError(
                .newerFormat,
                "it has the form \(identity.format.quoted), version \(version), which "
                    + "this program does not know")
        }
        let application = try Int.fetchOne(db, sql: "PRAGMA application_id")
        guard application == applicationID,
            let names = try db.ordinaryColumns(of: "names"),
            Set(["id", "name"]).isSubset(of: names),
            let log = try db.ordinaryColumns(of: "log"), Set(logColumns).isSubset(of: log)
        else { throw ReplicationError(.unreadable, "it is not a log of entities") }
        return identity
    }
}
