public import Foundation
public import GRDB

/// A table of rows that are only ever appended, with ids 1, 2, 3 and so on (data rule 5).
public struct LogTable: Hashable, Sendable {
    /// The table's name, as SQLite has it.
    public let name: String
    /// The column of the ids; an `INTEGER PRIMARY KEY`.
    public let id: String
    /// An integer column that tells two rows with one id apart, such as a timestamp.
    public let mark: String

    /// A table whose ids count its rows from 1.
    ///
    /// - Parameters:
    ///   - id: The column of the ids, an `INTEGER PRIMARY KEY`.
    ///   - mark: An integer column that a row replaced under the same id would differ in.
    public init(name: String, id: String = "id", mark: String) {
        self.name = name
        self.id = id
        self.mark = mark
    }
}

/// How far somebody has read a log.
public struct LogCursor: Hashable, Sendable, Codable {
    /// The file's ``LogIdentity/identity``; `nil` before anything was read.
    public let identity: UUID?
    /// The id of the last row that was read; 0 before the first.
    public let lastID: Int64
    /// That row's mark.
    public let mark: Int64?

    /// Before everything.
    public static let start = LogCursor(identity: nil, lastID: 0, mark: nil)

    /// After the row with the id `lastID`; ``start`` is the cursor before every row.
    public init(identity: UUID?, lastID: Int64, mark: Int64?) {
        self.identity = identity
        self.lastID = lastID
        self.mark = mark
    }

    /// Compares a file with what was read of it, and begins to read the rows that came since.
    ///
    /// - Parameter identity: The file's own.
    /// - Throws: A `DatabaseError` of GRDB's if the file lacks the table or a page of it is
    ///   damaged.
    /// - Complexity: Three look-ups, however long the log is.
    public func progress(
        in db: Database, table: LogTable, identity: LogIdentity
    ) throws -> LogProgress {
        try progress(in: db, table: table, identity: identity, toleratesDamage: false)
    }

    /// The same for a reader that takes the rows before a damaged page.
    ///
    /// - Parameter toleratesDamage: Whether a log whose end cannot be read is taken for endless.
    package func progress(
        in db: Database, table: LogTable, identity: LogIdentity, toleratesDamage: Bool
    ) throws -> LogProgress {
        let id = table.id.quotedDatabaseIdentifier
        let name = table.name.quotedDatabaseIdentifier
        let last: Int64
        do {
            last = try Int64.fetchOne(db, sql: "SELECT max(\(id)) FROM \(name)") ?? 0
        } catch let error as DatabaseError
            where toleratesDamage && error.resultCode == .SQLITE_CORRUPT
        {
            last = .max
        }
        var isAnew = self.identity != identity.identity || last < lastID
        if !isAnew, lastID > 0 {
            // Restored from an older copy and grown again, a file has other rows under known ids.
            let mark = table.mark.quotedDatabaseIdentifier
            let found = try Int64.fetchOne(
                db, sql: "SELECT \(mark) FROM \(name) WHERE \(id) = ?", arguments: [lastID])
            isAnew = found != self.mark
        }
        let start =
            isAnew ? LogCursor(identity: identity.identity, lastID: 0, mark: nil) : self
        return LogProgress(table: table, start: start, isAnew: isAnew, lastID: last)
    }
}

/// The reading of a log's new rows, which stops before the first gap in their ids.
public struct LogProgress: Sendable {
    /// The table that is read.
    public let table: LogTable
    /// Where reading begins: after this row.
    public let start: LogCursor
    /// Whether all that was read of this device before has to be forgotten: the file is another
    /// one, or went back. True at the first reading as well.
    public let isAnew: Bool
    /// The greatest id in the file.
    public let lastID: Int64
    /// Where reading has come to.
    public private(set) var cursor: LogCursor
    /// The first id that is missing though greater ones are there, once reading came to it: the
    /// copy is incomplete.
    public private(set) var gap: Int64?

    init(table: LogTable, start: LogCursor, isAnew: Bool, lastID: Int64) {
        self.table = table
        self.start = start
        self.isAnew = isAnew
        self.lastID = lastID
        cursor = start
    }

    /// Whether there is anything to read.
    public var hasRows: Bool { lastID > start.lastID }

    /// Whether a row is the one that follows, so that ``accept(_:mark:)`` would take it.
    public func isNext(_ id: Int64) -> Bool {
        gap == nil && cursor.lastID < .max && id == cursor.lastID + 1
    }

    /// Takes note of the next row in order of ids.
    ///
    /// - Returns: `false` if rows are missing before it: it must not be used, nor any after it.
    public mutating func accept(_ id: Int64, mark: Int64) -> Bool {
        guard gap == nil else { return false }
        let (expected, overflow) = cursor.lastID.addingReportingOverflow(1)
        guard !overflow, id == expected else {
            gap = expected
            return false
        }
        cursor = LogCursor(identity: cursor.identity, lastID: id, mark: mark)
        return true
    }

    /// Takes note of all rows up to the first gap, for readers that fetch them in another order.
    ///
    /// They must leave out the rows after ``cursor``'s then.
    ///
    /// - Throws: A `DatabaseError` of GRDB's if a page of the table is damaged.
    /// - Complexity: O(*n*) in the number of new rows, without looking into them.
    public mutating func acceptAll(in db: Database) throws {
        guard hasRows, gap == nil else { return }
        let id = table.id.quotedDatabaseIdentifier
        let name = table.name.quotedDatabaseIdentifier
        let sql = "SELECT count(*) FROM \(name) WHERE \(id) > ?"
        let count = try Int64.fetchOne(db, sql: sql, arguments: [cursor.lastID]) ?? 0
        let (expected, overflow) = lastID.subtractingReportingOverflow(cursor.lastID)
        var through = lastID
        if overflow || count != expected {
            through = cursor.lastID
            let ids = try Int64.fetchCursor(
                db, sql: "SELECT \(id) FROM \(name) WHERE \(id) > ? ORDER BY \(id)",
                arguments: [through])
            while let next = try ids.next(), next == through + 1 { through = next }
            gap = through + 1
        }
        guard through > cursor.lastID else { return }
        let mark = try Int64.fetchOne(
            db,
            sql: """
                SELECT \(table.mark.quotedDatabaseIdentifier) FROM \(name) WHERE \(id) = ?
                """, arguments: [through])
        cursor = LogCursor(identity: cursor.identity, lastID: through, mark: mark)
    }
}
