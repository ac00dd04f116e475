import Foundation
import GRDB
import Replication

/// A reader of the original Datastore's Core Data file. It returns the content as rows of one
/// device.
///
/// Tables and columns are those that Core Data creates for the original's model. Every property row
/// is an entry. If several tables have rows of the same property, the original uses only the rows
/// of the last of these tables, regardless of their dates. Therefore, the reader removes the other
/// rows.
struct DatastoreReader {
    /// The property tables in the order in which the original reads them.
    private static let tables: [(name: String, kind: EntityValueKind)] = [
        ("ZSTRINGPROPERTY", .string), ("ZBOOLEANPROPERTY", .boolean),
        ("ZINTEGERPROPERTY", .integer), ("ZDOUBLEPROPERTY", .double),
        ("ZDATEPROPERTY", .date), ("ZRELATIONSHIPPROPERTY", .relationship),
        ("ZDATAPROPERTY", .data),
    ]
    private static let entityTable = "ZENTITYRECORD"

    struct Outcome: Sendable {
        var batch: EntityRowBatch
        /// A problem with the file that doesn't prevent reading it.
        var problem: String?
    }

    private var batch: EntityRowBatch
    private var leavesOutTimes = false
    private var encoder = RowEncoder()
    private var identifiers: [Int64: String] = [:]
    private var duplicates: Set<Name> = []
    /// For each property, the rows of each table, in table order.
    private var rows: [Property: [[UInt32]]] = [:]
    private var operations: [(operation: EntityOperation, timestamp: Timestamp)] = []

    private struct Property: Hashable {
        @Name var identifier: String
        @Name var key: String
    }

    /// Returns whether the database has the original's table of entities.
    static func recognizes(_ db: Database) throws -> Bool {
        try db.ordinaryColumns(of: entityTable) != nil
    }

    /// - Throws: `ReplicationError`, `.unreadable`, if the database has another format.
    static func read(_ db: Database, device: DeviceID) throws -> Outcome {
        var reader = DatastoreReader(batch: EntityRowBatch(device: device))
        try reader.readEntities(db)
        for table in tables { try reader.readProperties(db, table.name, table.kind) }
        reader.removeUnreadEntries()
        return try reader.outcome()
    }

    private init(batch: EntityRowBatch) { self.batch = batch }

    private static func columns(
        _ db: Database, _ table: String, _ wanted: [String]
    ) throws -> Bool {
        guard let columns = try db.ordinaryColumns(of: table) else { return false }
        guard Set(wanted).isSubset(of: columns) else {
            throw ReplicationError(
                .unreadable, "the table \(table) lacks columns of a Datastore file")
        }
        return true
    }

    private mutating func readEntities(_ db: Database) throws {
        let wanted = ["Z_PK", "ZDATESTAMP", "ZIDENTIFIER", "ZTYPE"]
        guard try Self.columns(db, Self.entityTable, wanted) else {
            throw ReplicationError(.unreadable, "the file has no entity table")
        }
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT Z_PK, ZDATESTAMP, CAST(ZIDENTIFIER AS TEXT), CAST(ZTYPE AS TEXT)
                FROM ZENTITYRECORD ORDER BY Z_PK
                """)
        var known: Set<Name> = []
        while let row = try rows.next() {
            guard let key = row[0] as Int64? else { continue }
            let found = (row[2] as String?) ?? ""
            let identifier = found.isEmpty ? "record-\(key)" : found
            if !known.insert(identifier) { duplicates.insert(identifier) }
            identifiers[key] = identifier
            add(
                EntityOperation(
                    identifier: identifier, action: .creation(type: (row[3] as String?) ?? "")),
                datestamp(row[1]))
        }
    }

    private mutating func readProperties(
        _ db: Database, _ table: String, _ kind: EntityValueKind
    ) throws {
        let value = kind == .relationship ? "ZTARGET" : "ZVALUE"
        let wanted = ["Z_PK", "ZOWNER", "ZDATESTAMP", "ZNAME", "ZTYPENAME", value]
        guard try Self.columns(db, table, wanted) else { return }
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT ZOWNER, ZDATESTAMP, CAST(ZNAME AS TEXT), CAST(ZTYPENAME AS TEXT), \(value)
                FROM \(table) ORDER BY Z_PK
                """)
        var table: [Property: [UInt32]] = [:]
        while let row = try rows.next() {
            // Deleting an entity leaves rows without an owner behind.
            guard let owner = row[0] as Int64?, let identifier = identifiers[owner],
                let key = row[2] as String?, !key.isEmpty,
                let value = self.value(row[4], kind)
            else { continue }
            add(
                EntityOperation(
                    identifier: identifier,
                    action: .entry(key: key, value: value, tag: row[3] as String?)),
                datestamp(row[1]))
            table[Property(identifier: identifier, key: key), default: []]
                .append(UInt32(operations.count))
        }
        for (property, numbers) in table { self.rows[property, default: []].append(numbers) }
    }

    private mutating func add(_ operation: EntityOperation, _ timestamp: Timestamp) {
        operations.append((operation, timestamp))
    }

    private func value(_ value: DatabaseValue, _ kind: EntityValueKind) -> EntityValue? {
        switch (kind, value.storage) {
        case (.string, .string(let text)): .string(text)
        case (.boolean, .int64(let number)): .boolean(number != 0)
        case (.integer, .int64(let number)): .integer(number)
        case (.double, .double(let number)): .double(number)
        case (.double, .int64(let number)): .double(Double(number))
        case (.date, .double), (.date, .int64): .date(Self.instant(value))
        case (.relationship, .int64(let target)):
            identifiers[target].map { .relationship(.identifier($0)) }
        case (.data, .blob(let data)): .data(data)
        default: nil
        }
    }

    /// Returns the instant for a number of seconds since 2001, rounded to the nearest microsecond.
    private static func instant(_ value: DatabaseValue) -> Timestamp {
        let seconds = Double.fromDatabaseValue(value) ?? 0
        let scaled = (seconds * 1_000_000).rounded()
        return Timestamp(
            microseconds: Int64(exactly: scaled) ?? (scaled < 0 ? .min : scaled > 0 ? .max : 0))
    }

    /// Returns a row's datestamp, or the start of 2001 if it is missing or out of range. A property
    /// with an invalid date is still read.
    private mutating func datestamp(_ value: DatabaseValue) -> Timestamp {
        let found = Self.instant(value)
        guard !found.isRecordable else { return found }
        leavesOutTimes = true
        return Timestamp(microseconds: 0)
    }

    /// Removes the entries that the original doesn't read.
    private mutating func removeUnreadEntries() {
        for (property, tables) in rows where tables.count > 1 {
            var cover = EntityRowBatch.Cover()
            cover.rows[batch.device] = tables.dropLast().flatMap { $0 }
            add(
                EntityOperation(
                    identifier: property.identifier,
                    action: .removal(key: property.key, cover: cover)),
                .earliest)
        }
    }

    private mutating func outcome() throws -> Outcome {
        let encoded = try encoder.encode(operations, device: batch.device)
        var outcome = Outcome(batch: encoded)
        if let example = duplicates.min() {
            outcome.problem =
                "several records have the identifier \(example.text.quoted); they are shown "
                + "as one entity"
        }
        if leavesOutTimes, outcome.problem == nil {
            outcome.problem = "datestamps outside the years 1 to 9999 are ignored"
        }
        return outcome
    }
}
