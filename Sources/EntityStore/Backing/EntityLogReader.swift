import GRDB
import GRDBSQLite
import LosslessJSON
import Replication

/// Reads the rows of a log that came since a cursor, and checks each.
struct EntityLogReader {
    struct Outcome: Sendable {
        var batch: RowBatch
        var cursor: LogCursor
        /// Whether what was read of this log before is to be forgotten.
        var isAnew: Bool
        /// Why reading stopped before the last row.
        var problem: ReplicationError?
        /// Whether rows were left out because they have times that no row can have.
        var leavesOutTimes = false
        /// The first row that was left out because its value is too long.
        var longRow: Int64?
    }

    private let device: DeviceID
    private let nameCount: Int
    private var batch: RowBatch
    private var names = 0

    /// - Parameter nameCount: How many names were read with the rows up to the cursor.
    static func read(
        _ db: Database, device: DeviceID, from cursor: LogCursor, nameCount: Int
    ) throws -> Outcome {
        // SQLite loads a value when it comes to its row.
        try db.limitingLength(to: EntityOperation.longestValue) {
            try readWithinLimit(db, device: device, from: cursor, nameCount: nameCount)
        }
    }

    private static func readWithinLimit(
        _ db: Database, device: DeviceID, from cursor: LogCursor, nameCount: Int
    ) throws -> Outcome {
        let identity = try EntityLogSchema.identity(in: db)
        // Its rows would be taken for another device's, and be there twice.
        try LogIdentity.check(identity.device, isOf: device)
        let progress = try cursor.progress(
            in: db, table: EntityLogSchema.table, identity: identity)
        var reader = EntityLogReader(
            device: device, nameCount: progress.isAnew ? 0 : nameCount)
        var outcome = Outcome(
            batch: reader.batch, cursor: progress.start, isAnew: progress.isAnew)
        try reader.readNames(db)
        if progress.hasRows {
            let count = progress.lastID.subtractingReportingOverflow(progress.start.lastID)
            // No row is shorter than seven bytes, whatever its id says.
            let size = try Int64.fetchOne(
                db, sql: "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
            if !count.overflow, let size, count.partialValue <= size / 7 {
                reader.batch.rows.reserveCapacity(Int(count.partialValue))
            }
            let before = (reader, outcome)
            do {
                try reader.readRows(db, &outcome)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_TOOBIG {
                (reader, outcome) = before
                try reader.readRowsOneByOne(db, &outcome)
            }
        }
        outcome.batch = reader.batch
        return outcome
    }

    private init(device: DeviceID, nameCount: Int) {
        self.device = device
        self.nameCount = nameCount
        batch = RowBatch(device: device)
        names = nameCount
    }

    private mutating func readNames(_ db: Database) throws {
        let statement = try db.makeStatement(
            sql: "SELECT id, name FROM names WHERE id > ? ORDER BY id")
        try statement.setArguments([nameCount])
        let handle = statement.sqliteStatement
        while try Self.step(handle, db) {
            // Names after a gap are not used, nor are rows that need them.
            guard sqlite3_column_int64(handle, 0) == Int64(names + 1) else { break }
            batch.names.append(String(decoding: Self.text(handle, 1), as: UTF8.self))
            names += 1
        }
    }

    private mutating func readRows(_ db: Database, _ outcome: inout Outcome) throws {
        let rows = try db.makeStatement(
            sql: "SELECT \(Self.columns) FROM log WHERE id > ? ORDER BY id")
        try rows.setArguments([outcome.cursor.lastID])
        while try Self.step(rows.sqliteStatement, db) {
            guard takeRow(rows.sqliteStatement, &outcome) else { return }
        }
    }

    /// As ``readRows(_:_:)``, without the rows of which a value is too long.
    private mutating func readRowsOneByOne(_ db: Database, _ outcome: inout Outcome) throws {
        let ids = try db.makeStatement(
            sql: "SELECT id, timestamp FROM log WHERE id > ? ORDER BY id")
        try ids.setArguments([outcome.cursor.lastID])
        let row = try db.makeStatement(sql: "SELECT \(Self.columns) FROM log WHERE id = ?")
        while try Self.step(ids.sqliteStatement, db) {
            let id = sqlite3_column_int64(ids.sqliteStatement, 0)
            sqlite3_reset(row.sqliteStatement)
            sqlite3_bind_int64(row.sqliteStatement, 1, id)
            do {
                guard try Self.step(row.sqliteStatement, db),
                    takeRow(row.sqliteStatement, &outcome)
                else { return }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_TOOBIG {
                guard isNext(id, &outcome) else { return }
                outcome.longRow = outcome.longRow ?? id
                pass(id, sqlite3_column_int64(ids.sqliteStatement, 1), &outcome)
            }
        }
        sqlite3_reset(row.sqliteStatement)
    }

    private static let columns =
        "id, timestamp, operation, entity, key, tag, date, kind, value"

    /// Whether a row is the one after the last that was read.
    private func isNext(_ id: Int64, _ outcome: inout Outcome) -> Bool {
        guard id == outcome.cursor.lastID + 1 else {
            outcome.problem = ReplicationError(
                .incomplete,
                "Row \(outcome.cursor.lastID + 1) is missing though later ones are there")
            return false
        }
        guard id < Int64(UInt32.max) / 2 else {
            outcome.problem = ReplicationError(.unreadable, "It has too many rows")
            return false
        }
        return true
    }

    private mutating func pass(_ id: Int64, _ timestamp: Int64, _ outcome: inout Outcome) {
        batch.lastRow = UInt32(clamping: id)
        outcome.cursor = LogCursor(
            identity: outcome.cursor.identity, lastID: id, mark: timestamp)
    }

    /// Takes in the row that the statement stands on, or passes over it.
    ///
    /// - Returns: Whether there may be more.
    private mutating func takeRow(_ handle: OpaquePointer, _ outcome: inout Outcome) -> Bool {
        let id = sqlite3_column_int64(handle, 0)
        guard isNext(id, &outcome) else { return false }
        if !Self.hasRecordableTimes(handle) {
            outcome.leavesOutTimes = true
        } else if let problem = take(handle, UInt32(id)) {
            outcome.problem = ReplicationError(.unreadable, "Row \(id) \(problem)")
            return false
        }
        pass(id, sqlite3_column_int64(handle, 1), &outcome)
        return true
    }

    private static func step(_ handle: OpaquePointer, _ db: Database) throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            throw DatabaseError(
                resultCode: ResultCode(rawValue: sqlite3_extended_errcode(db.sqliteConnection)),
                message: String(cString: sqlite3_errmsg(db.sqliteConnection)))
        }
    }

    private func name(_ handle: OpaquePointer, _ column: CInt) -> UInt32? {
        let id = sqlite3_column_int64(handle, column)
        return id > 0 && id <= names ? UInt32(id) : nil
    }

    /// Whether timestamp and datestamp are such that a row can have them.
    private static func hasRecordableTimes(_ handle: OpaquePointer) -> Bool {
        Timestamp.isRecordable(sqlite3_column_int64(handle, 1))
            && (sqlite3_column_type(handle, 6) == SQLITE_NULL
                || Timestamp.isRecordable(sqlite3_column_int64(handle, 6)))
    }

    /// Takes in the row that the statement stands on.
    ///
    /// - Returns: What is wrong with it; it was not taken in then.
    private mutating func take(_ handle: OpaquePointer, _ id: UInt32) -> String? {
        guard let number = UInt8(exactly: sqlite3_column_int64(handle, 2)),
            let operation = RowBatch.Operation(rawValue: number)
        else { return "has an operation that this program does not know" }
        guard let entity = name(handle, 3) else { return "names no entity" }
        let timestamp = sqlite3_column_int64(handle, 1)
        var row = RowBatch.Row(
            id: id, entity: entity, timestamp: timestamp,
            date: sqlite3_column_type(handle, 6) == SQLITE_NULL
                ? timestamp : sqlite3_column_int64(handle, 6),
            operation: operation)
        switch operation {
        case .deletion: break
        case .creation:
            guard let type = name(handle, 5) else { return "names no type" }
            row.tag = type
        case .removal:
            guard let key = name(handle, 4) else { return "names no key" }
            guard let cover = RowBatch.Cover(text: Self.text(handle, 8)) else {
                return "does not say what it takes back"
            }
            row.key = key
            row.payload = UInt64(batch.covers.count)
            batch.covers.append(cover)
        case .entry:
            guard let key = name(handle, 4) else { return "names no key" }
            row.key = key
            if sqlite3_column_type(handle, 5) != SQLITE_NULL {
                guard let tag = name(handle, 5) else { return "has a tag without a name" }
                row.tag = tag
            }
            guard let number = UInt8(exactly: sqlite3_column_int64(handle, 7)),
                let kind = EntityValueKind(rawValue: number)
            else { return "has a value of a kind that this program does not know" }
            row.kind = kind
            guard takeValue(handle, &row) else { return "has a value that is not of its kind" }
        }
        batch.rows.append(row)
        return nil
    }

    private mutating func takeValue(_ handle: OpaquePointer, _ row: inout RowBatch.Row) -> Bool {
        let type = sqlite3_column_type(handle, 8)
        switch row.kind {
        case .string, .array, .dictionary, .data:
            guard type == (row.kind == .data ? SQLITE_BLOB : SQLITE_TEXT) else { return false }
            let bytes = row.kind == .data ? Self.blob(handle) : Self.text(handle, 8)
            guard let length = UInt32(exactly: bytes.count) else { return false }
            row.payload = UInt64(batch.bytes.count)
            row.length = length
            batch.bytes.append(contentsOf: bytes)
        case .integer, .date, .boolean:
            guard type == SQLITE_INTEGER else { return false }
            row.payload = UInt64(bitPattern: sqlite3_column_int64(handle, 8))
        case .double:
            // SQLite has no NaN: it is stored as NULL.
            guard type == SQLITE_FLOAT || type == SQLITE_NULL else { return false }
            row.payload =
                (type == SQLITE_NULL ? Double.nan : sqlite3_column_double(handle, 8)).bitPattern
        case .relationship:
            guard type == SQLITE_INTEGER, let target = name(handle, 8) else { return false }
            row.payload = UInt64(target)
        }
        return true
    }

    /// A text in UTF-8, whatever the encoding of the file.
    private static func text(_ handle: OpaquePointer, _ column: CInt) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_text(handle, column)
        return UnsafeRawBufferPointer(
            start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }

    private static func blob(_ handle: OpaquePointer) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(handle, 8)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, 8)))
    }
}

extension RowBatch.Cover {
    /// Reads the value of a removal; `nil` for what is none.
    init?(text: UnsafeRawBufferPointer) {
        guard case .object(let members)? = try? JSONParser.parse(Array(text)) else { return nil }
        for member in members {
            guard case .object(let devices) = member.value else { return nil }
            for device in devices {
                guard let id = try? DeviceID(device.name) else { return nil }
                switch (member.name, device.value) {
                case ("upTo", .number(let digits)):
                    guard let row = UInt32(digits) else { return nil }
                    upTo[id] = row
                case ("rows", .array(let elements)):
                    for element in elements {
                        guard case .number(let digits) = element, let row = UInt32(digits) else {
                            return nil
                        }
                        rows[id, default: []].append(row)
                    }
                default: return nil
                }
            }
        }
    }

    var text: String {
        var writer = JSONWriter()
        writer.object { writer in
            if !upTo.isEmpty {
                writer.key("upTo")
                writer.object { writer in
                    for (device, row) in upTo.sorted(by: { $0.key < $1.key }) {
                        writer.key(device.name)
                        writer.integer(row)
                    }
                }
            }
            if !rows.isEmpty {
                writer.key("rows")
                writer.object { writer in
                    for (device, numbers) in rows.sorted(by: { $0.key < $1.key }) {
                        writer.key(device.name)
                        writer.array { for number in numbers { $0.integer(number) } }
                    }
                }
            }
        }
        return writer.text
    }
}
