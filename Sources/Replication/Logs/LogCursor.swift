public import Foundation
public import GRDB

/// An append-only table of rows with the ids 1, 2, 3, and so on (data rule 5).
public struct LogTable: Hashable, Sendable {
    /// The table's name in SQLite.
    public let name: String
    /// The name of the id column, an `INTEGER PRIMARY KEY`.
    public let id: String
    /// An integer column that distinguishes two rows with the same id, such as a timestamp.
    public let mark: String

    /// Creates a table whose ids count its rows from 1.
    ///
    /// - Parameter mark: An integer column that has a different value if another row replaces a
    ///   row with the same id.
    public init(name: String, id: String = "id", mark: String) {
        self.name = name
        self.id = id
        self.mark = mark
    }
}

/// The position up to which a reader has read a log.
public struct LogCursor: Hashable, Sendable, Codable {
    /// The file's ``LogIdentity/identity``; `nil` before the first reading.
    public let identity: UUID?
    /// The id of the last row read; 0 before the first.
    public let lastID: Int64
    /// The mark of the last row read.
    public let mark: Int64?

    /// The position before the first row.
    public static let start = LogCursor(identity: nil, lastID: 0, mark: nil)

    /// Creates a position after the row with the id `lastID`. Use ``start`` for the position before
    /// every row.
    public init(identity: UUID?, lastID: Int64, mark: Int64?) {
        self.identity = identity
        self.lastID = lastID
        self.mark = mark
    }

    /// Compares a file with this position and starts reading the newer rows.
    ///
    /// - Parameter identity: The file's own identity.
    /// - Throws: GRDB's `DatabaseError` if the file lacks the table or a page of it is damaged.
    /// - Complexity: Three look-ups, regardless of the log's length.
    public func progress(
        in db: Database, table: LogTable, identity: LogIdentity
    ) throws -> LogProgress {
        try progress(in: db, table: table, identity: identity, toleratesDamage: false)
    }

    /// Works like ``progress(in:table:identity:)``, for readers that use the rows before a damaged
    /// page.
    ///
    /// - Parameter toleratesDamage: Whether to continue if the last id can't be read because of
    ///   damage. In that case, the log counts as having every id.
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
        var startsOver = self.identity != identity.identity || last < lastID
        if !startsOver, lastID > 0 {
            // If the file was restored from an older copy and has grown since then, ids that the
            // reader knows belong to different rows.
            let mark = table.mark.quotedDatabaseIdentifier
            let found = try Int64.fetchOne(
                db, sql: "SELECT \(mark) FROM \(name) WHERE \(id) = ?", arguments: [lastID])
            startsOver = found != self.mark
        }
        let start =
            startsOver ? LogCursor(identity: identity.identity, lastID: 0, mark: nil) : self
        return LogProgress(table: table, start: start, startsOver: startsOver, lastID: last)
    }
}

/// One pass over a log's new rows, which stops before the first gap in their ids.
public struct LogProgress: Sendable {
    /// The table to read.
    public let table: LogTable
    /// The position after which reading starts.
    public let start: LogCursor
    /// Whether the reader has to discard all earlier rows of this device, because the file was
    /// replaced or restored from an older copy. Also true for the first reading.
    public let startsOver: Bool
    /// The greatest id in the file.
    public let lastID: Int64
    /// The current position of the reader.
    public private(set) var cursor: LogCursor
    /// The first missing id that is followed by greater ids; `nil` until the reader reaches it. A
    /// gap means that the copy is incomplete.
    public private(set) var gap: Int64?

    init(table: LogTable, start: LogCursor, startsOver: Bool, lastID: Int64) {
        self.table = table
        self.start = start
        self.startsOver = startsOver
        self.lastID = lastID
        cursor = start
    }

    /// Whether there are rows to read.
    public var hasRows: Bool { lastID > start.lastID }

    /// Returns whether a row is the next one, so that ``accept(_:mark:)`` would accept it.
    public func isNext(_ id: Int64) -> Bool {
        gap == nil && cursor.lastID < .max && id == cursor.lastID + 1
    }

    /// Records the next row in order of ids.
    ///
    /// - Returns: `false` if rows are missing before this one. In that case, use neither this row
    ///   nor any later one.
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

    /// Records all rows up to the first gap, for readers that fetch them in another order.
    ///
    /// Those readers must leave out the rows after ``cursor``.
    ///
    /// - Throws: GRDB's `DatabaseError` if a page of the table is damaged.
    /// - Complexity: O(*n*) in the number of new rows, without decoding them.
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
