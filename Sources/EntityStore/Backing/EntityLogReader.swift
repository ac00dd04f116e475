import GRDB
import LosslessJSON
import Replication

/// A reader of the new rows of a log, which it validates.
struct EntityLogReader {
    private var batch: EntityRowBatch
    /// The number of names that were read, including earlier ones.
    private var names: Int
    private var progress: LogProgress
    private var head: EntityHead

    /// - Parameters:
    ///   - progress: Advanced past the rows that are ingested or skipped.
    ///   - head: Updated with these rows.
    static func read(
        _ db: Database, of device: DeviceID, behind progress: inout LogProgress,
        _ head: inout EntityHead
    ) throws -> EntityRowBatch {
        // SQLite loads a value when it steps to its row.
        try db.limitingLength(to: EntityOperation.longestValue) {
            var reader = EntityLogReader(device, progress, head)
            do {
                try reader.readNames(db)
                try reader.readRows(db)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_TOOBIG {
                reader = EntityLogReader(device, progress, head)
                try reader.readNames(db)
                try reader.readRowsOneByOne(db)
            }
            reader.head.notes.nameCount = reader.names
            (progress, head) = (reader.progress, reader.head)
            return reader.batch
        }
    }

    private init(_ device: DeviceID, _ progress: LogProgress, _ head: EntityHead) {
        batch = EntityRowBatch(device: device)
        names = head.notes.nameCount
        self.progress = progress
        self.head = head
    }

    private mutating func readNames(_ db: Database) throws {
        let rows = try Stepper(db, "SELECT id, name FROM names WHERE id > ? ORDER BY id")
        rows.bind(1, Int64(names))
        while try rows.step() {
            // Skip names after a gap, and rows that refer to the skipped names.
            guard rows.integer(0) == Int64(names + 1), let name = rows.text(1) else { break }
            batch.names.append(String(decoding: name, as: UTF8.self))
            names += 1
        }
    }

    private mutating func readRows(_ db: Database) throws {
        guard progress.hasRows else { return }
        let count = progress.lastID.subtractingReportingOverflow(progress.start.lastID)
        // Every row has at least seven bytes, regardless of its id.
        let size = try Int64.fetchOne(
            db, sql: "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
        if !count.overflow, let size, count.partialValue <= size / 7 {
            batch.rows.reserveCapacity(Int(count.partialValue))
        }
        let rows = try Stepper(db, "SELECT \(Self.columns) FROM log WHERE id > ? ORDER BY id")
        rows.bind(1, progress.start.lastID)
        while try rows.step() {
            guard takeRow(rows) else { return }
        }
    }

    /// Reads rows as ``readRows(_:)`` does, but skips rows with values that are too long.
    private mutating func readRowsOneByOne(_ db: Database) throws {
        let ids = try Stepper(db, "SELECT id, timestamp FROM log WHERE id > ? ORDER BY id")
        ids.bind(1, progress.start.lastID)
        let row = try Stepper(db, "SELECT \(Self.columns) FROM log WHERE id = ?")
        while try ids.step() {
            row.reset()
            row.bind(1, ids.integer(0))
            do {
                guard try row.step(), takeRow(row) else { return }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_TOOBIG {
                guard let (id, timestamp) = next(ids) else { return }
                if head.remarks.isEmpty {
                    head.addRemark(
                        "row \(id) is skipped: its value has more than "
                            + "\(EntityOperation.longestValue) bytes")
                }
                pass(id, timestamp)
            }
        }
        row.reset()
    }

    private static let columns =
        "id, timestamp, operation, entity, key, tag, date, kind, value"

    /// Returns the id and time of a row, or `nil` if it doesn't follow the last row that was read.
    private mutating func next(_ row: Stepper) -> (id: Int64, timestamp: Int64)? {
        guard let id = row.integer(0), progress.isNext(id) else {
            _ = progress.accept(row.integer(0) ?? .min, mark: 0)
            return nil
        }
        guard let timestamp = row.integer(1) else { return stop("row \(id) has no time") }
        guard id < Int64(UInt32.max) / 2 else { return stop("the log has too many rows") }
        return (id, timestamp)
    }

    private mutating func stop(_ problem: String) -> (Int64, Int64)? {
        head.stop = ReplicationError(.unreadable, problem)
        return nil
    }

    private mutating func pass(_ id: Int64, _ timestamp: Int64) {
        batch.lastRow = UInt32(clamping: id)
        _ = progress.accept(id, mark: timestamp)
    }

    /// Ingests or skips the current row of the statement.
    ///
    /// - Returns: Whether more rows may follow.
    private mutating func takeRow(_ row: Stepper) -> Bool {
        guard let (id, timestamp) = next(row) else { return false }
        if Timestamp.isRecordable(timestamp), row.isNull(6) || row.timestamp(6) != nil {
            if let problem = take(row, UInt32(id), timestamp) {
                _ = stop("row \(id) \(problem)")
                return false
            }
            head.note(timestamp)
        } else if row.integer(2) == EntityLogSchema.lostRow {
            // A lost row has no valid time and doesn't count as a row.
            head.leftOutCount += 1
        } else {
            head.leaveOut()
        }
        pass(id, timestamp)
        return true
    }

    private func name(_ row: Stepper, _ column: CInt) -> UInt32? {
        guard let id = row.integer(column), id > 0, id <= names else { return nil }
        return UInt32(id)
    }

    /// Ingests the current row of the statement.
    ///
    /// - Returns: A description of the problem if the row is invalid. An invalid row is not
    ///   ingested.
    private mutating func take(_ columns: Stepper, _ id: UInt32, _ timestamp: Int64) -> String? {
        guard let number = columns.integer(2).flatMap(UInt8.init(exactly:)),
            let operation = EntityRowBatch.Operation(rawValue: number)
        else { return "has an operation that this program doesn't know" }
        guard let entity = name(columns, 3) else { return "doesn't name an entity" }
        var row = EntityRowBatch.Row(
            id: id, entity: entity, timestamp: timestamp, date: columns.integer(6) ?? timestamp,
            operation: operation)
        switch operation {
        case .deletion: break
        case .creation:
            guard let type = name(columns, 5) else { return "doesn't name a type" }
            row.tag = type
        case .removal:
            guard let key = name(columns, 4) else { return "doesn't name a key" }
            guard let cover = columns.text(8).flatMap({ EntityRowBatch.Cover(text: .init($0)) })
            else { return "doesn't name the entries that it removes" }
            row.key = key
            row.payload = UInt64(batch.covers.count)
            batch.covers.append(cover)
        case .entry:
            guard let key = name(columns, 4) else { return "doesn't name a key" }
            row.key = key
            if !columns.isNull(5) {
                guard let tag = name(columns, 5) else { return "has a tag without a name" }
                row.tag = tag
            }
            guard let number = columns.integer(7).flatMap(UInt8.init(exactly:)),
                let kind = EntityValueKind(rawValue: number)
            else { return "has a value of a kind that this program doesn't know" }
            row.kind = kind
            guard takeValue(columns, &row) else { return "has a value that doesn't match its kind" }
        }
        batch.rows.append(row)
        return nil
    }

    private mutating func takeValue(_ columns: Stepper, _ row: inout EntityRowBatch.Row) -> Bool {
        switch row.kind {
        case .string, .array, .dictionary:
            guard let text = columns.text(8) else { return false }
            return take(text, &row)
        case .data:
            guard columns.isValue(8), !columns.isNull(8) else { return false }
            // An empty blob has no address.
            return take(columns.blob(8) ?? UnsafeBufferPointer(start: nil, count: 0), &row)
        case .integer, .date, .boolean:
            guard let number = columns.integer(8) else { return false }
            row.payload = UInt64(bitPattern: number)
        case .double:
            // SQLite has no NaN and stores it as NULL.
            guard let number = columns.isNull(8) ? Double.nan : columns.double(8) else {
                return false
            }
            row.payload = number.bitPattern
        case .relationship:
            guard let target = name(columns, 8) else { return false }
            row.payload = UInt64(target)
        }
        return true
    }

    private mutating func take(
        _ bytes: UnsafeBufferPointer<UInt8>, _ row: inout EntityRowBatch.Row
    ) -> Bool {
        guard let length = UInt32(exactly: bytes.count) else { return false }
        row.payload = UInt64(batch.bytes.count)
        row.length = length
        batch.bytes.append(contentsOf: bytes)
        return true
    }
}

extension EntityRowBatch.Cover {
    /// Parses the value of a removal; `nil` if the text is something else.
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
                case ("restates", .number(let digits)):
                    guard restated == nil, let row = UInt32(digits) else { return nil }
                    restated = PropertyEntry.ID(device: id, row: Int64(row))
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
            if let restated {
                writer.key("restates")
                writer.object { writer in
                    writer.key(restated.device.name)
                    writer.integer(restated.row)
                }
            }
        }
        return writer.text
    }
}
