package import GRDB
package import Replication

/// The readable rows of a damaged entity log.
///
/// Rows keep their numbers, because other devices' logs refer to removed rows by number
/// (``EntityRowBatch/Cover``). With new numbers, the wrong rows would be removed, or removed rows
/// would be restored. A placeholder without effect replaces each lost row.
package struct SalvagedEntityLog: Salvage {
    private var rows: [Int64: [TableLeaves.Value]] = [:]
    private var names: [Int64: [UInt8]] = [:]
    /// The placeholders from an earlier repair, by row number. The value is `true` if the replaced
    /// row certainly existed.
    private var placeholders: [Int64: Bool] = [:]
    /// The last row that certainly existed.
    private var lastID: Int64 = 0
    /// The number of rows that may have followed the last row.
    private var furtherCount: Int64 = 0

    package init() {}

    package var count: Int { rows.count }
    package var makesLog: Bool { !rows.isEmpty && !names.isEmpty }

    /// A lower bound for the bytes that a row takes on a page.
    private static let leastRow = 14

    /// Adds a row of the table `log` or `names`, which differ in their columns.
    package mutating func add(_ number: Int64, _ values: [TableLeaves.Value]) {
        // Greater numbers are impossible in a log.
        guard (1..<Int64(UInt32.max) / 2).contains(number), case .null? = values.first else {
            return
        }
        if values.count == 2, case .text(let name) = values[1],
            String(validating: name, as: UTF8.self) != nil
        {
            names[number] = name
        } else if values.count == EntityLogSchema.logColumns.count,
            let timestamp = values[1].integer
        {
            let isLost = values[2].integer == EntityLogSchema.lostRow
            switch (isLost, Timestamp.isRecordable(timestamp)) {
            case (false, true): rows[number] = values
            case (true, false):
                placeholders[number] = values[8].integer == EntityLogSchema.certain
            default: break
            }
        }
    }

    package mutating func finish(_ unread: TableLeaves.Unread) {
        // Other devices may have removed lost rows by number, so new rows must not reuse these
        // numbers.
        let last = max(rows.keys.max() ?? 0, placeholders.keys.max() ?? 0)
        (lastID, furtherCount) = unread.end(
            ofTable: EntityLogSchema.table.name, behind: last, leastRow: Self.leastRow)
    }

    /// Writes the rows that readers accept. A row at which a reader would stop counts as lost.
    ///
    /// - Complexity: O(*n*) in the greatest row number.
    package func write(to db: Database, as device: DeviceID) throws -> String {
        try EntityLogSchema.create(in: db, device: device)
        let lastName = names.keys.max() ?? 0
        let insertName = try Stepper(db, "INSERT INTO names (id, name) VALUES (?, ?)")
        for id in stride(from: 1, through: lastName, by: 1) {
            insertName.bind(1, id)
            insertName.bind(2, copying: names[id] ?? [])
            try insertName.run()
        }
        let insert = try Stepper(
            db,
            """
            INSERT OR REPLACE INTO log
                (id, timestamp, operation, entity, key, tag, date, kind, value)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        for id in stride(from: 1, through: lastID + furtherCount, by: 1) {
            let row = rows[id].flatMap { isNamed($0) ? $0 : nil }
            let isCertain = id <= lastID && placeholders[id] ?? true
            Self.bind(row ?? Self.lost(isCertain: isCertain), id, insert)
            try insert.run()
        }
        let readable = try Self.drop(whatStopsReadersIn: db, of: device, insert)
        // Without names, values can't be assigned to entities and properties.
        guard readable > 0 else {
            throw ReplicationError(.unreadable, "no row can be read completely")
        }
        return content(readable)
    }

    /// Describes the content of the new file, as ``Salvage/write(to:as:)`` specifies.
    private func content(_ readable: Int) -> String {
        let uncertain = placeholders.values.count { !$0 }
        let there = lastID - Int64(uncertain)
        let part = readable < there ? "\(readable) of " : ""
        guard furtherCount > 0 else {
            return "with \(part.isEmpty ? "all " : part)\(there) rows"
        }
        return "with \(part)\(there) rows; a damaged page may have held up to \(furtherCount) more"
            + ", whose numbers aren't used again"
    }

    /// Returns whether all names of a row exist.
    private func isNamed(_ row: [TableLeaves.Value]) -> Bool {
        var used = [row[3], row[4], row[5]].compactMap(\.integer)
        if row[7].integer == Int64(EntityValueKind.relationship.rawValue),
            let target = row[8].integer
        {
            used.append(target)
        }
        return used.allSatisfy { names[$0] != nil }
    }

    /// Returns the placeholder of a lost row. Readers skip it, because its time is not valid.
    private static func lost(isCertain: Bool) -> [TableLeaves.Value] {
        [
            .null, .integer(.min), .integer(EntityLogSchema.lostRow), .integer(0), .null, .null,
            .null, .null, isCertain ? .integer(EntityLogSchema.certain) : .null,
        ]
    }

    private static func bind(_ row: [TableLeaves.Value], _ id: Int64, _ insert: Stepper) {
        insert.bind(1, id)
        for (place, value) in row.enumerated().dropFirst() {
            let column = CInt(place + 1)
            switch value {
            case .null: insert.bind(column, nil)
            case .integer(let number): insert.bind(column, number)
            case .real(let number): insert.bind(column, double: number)
            case .text(let text): insert.bind(column, copying: text)
            case .blob(let bytes): insert.bind(column, copyingBlob: bytes)
            }
        }
    }

    /// - Returns: The number of remaining rows that have an effect.
    private static func drop(
        whatStopsReadersIn db: Database, of device: DeviceID, _ insert: Stepper
    ) throws -> Int {
        let identity = try EntityLogSchema.identity(in: db)
        var head = EntityHead(form: EntityLogSchema.format, notes: EntityNotes())
        var count = 0
        while true {
            var progress = try head.cursor.progress(
                in: db, table: EntityLogSchema.table, identity: identity)
            count += try EntityLogReader.read(db, of: device, behind: &progress, &head).rows.count
            head.cursor = progress.cursor
            guard head.stop != nil else { return count }
            head.stop = nil
            bind(lost(isCertain: true), progress.cursor.lastID + 1, insert)
            try insert.run()
        }
    }
}
