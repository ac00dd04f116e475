import GRDB
import GRDBSQLite
import LosslessJSON
import Replication

extension TableWriter {
    /// The result of inserting the rows of a file.
    public struct Insertion: Hashable, Sendable {
        /// The number of rows in the file.
        public let count: Int
        /// The number of rows, of the table or of the file, that these rows replaced because of
        /// `ON CONFLICT REPLACE`. `nil` if it isn't known, because the table also has triggers,
        /// which may add and delete rows.
        public let replacedCount: Int?
    }

    /// Inserts all rows of a file, or none.
    ///
    /// Names are matched to columns without regard to the case of ASCII letters. A column called
    /// `rowid` sets the rowid. Generated columns are computed, not imported. Columns that the file
    /// doesn't name get their default values.
    ///
    /// - Parameter columns: The columns of a new table; `nil` to insert into an existing table.
    /// - Throws: As ``apply(_:)``, with the line of the row; errors of the file.
    public func insert(
        _ rows: TableImport, into name: String, creating columns: [InferredColumn]? = nil
    ) throws -> Insertion {
        try inTransaction { db, limit in
            if let columns {
                let definitions = columns.map(\.sql).joined(separator: ", ")
                do {
                    try db.execute(sql: "CREATE TABLE \(SQLName.quoted(name)) (\(definitions))")
                } catch let error as DatabaseError {
                    // The error can be about the name, which the user chose.
                    throw TablesError(error) ?? error
                }
            }
            guard let table = try DatabaseSchema(db).table(name) else {
                throw TablesError(.notFound, "no table \(name)")
            }
            try Self.requireWritable(table)
            // SQLite doesn't count the rows that it replaces.
            let mayReplaceRows = table.mayReplaceRows
            let isCounted = mayReplaceRows && table.triggers.isEmpty
            let before = try isCounted ? table.count(db) : 0
            let insertion = RowInsertion(rows, into: table, db)
            try rows.forEachRow(header: insertion.begin) { row in
                if insertion.count % 1000 == 0 { limit.renew(db) }
                try insertion.insert(row)
            }
            guard mayReplaceRows else { return Insertion(count: insertion.count, replacedCount: 0) }
            guard isCounted else { return Insertion(count: insertion.count, replacedCount: nil) }
            limit.renew(db)
            let after = try table.count(db)
            return Insertion(
                count: insertion.count, replacedCount: max(0, before + insertion.count - after))
        }
    }
}

/// The insertion of one file's rows into a table.
private final class RowInsertion {
    /// The column that receives a field of the file. A class, so that the fields' list holds
    /// references instead of copies.
    private final class Target {
        let sql: String
        let column: ColumnSchema?
        /// Whether to reject text that isn't a number.
        let takesNumbers: Bool
        /// Whether text that is a number is converted to a number.
        let convertsNumbers: Bool
        /// Whether `Inf` and `-Inf` are numbers instead of text.
        let takesInfinity: Bool
        let affinity: ColumnSchema.Affinity

        init(
            sql: String, column: ColumnSchema?, takesNumbers: Bool, convertsNumbers: Bool
        ) {
            (self.sql, self.column) = (sql, column)
            (self.takesNumbers, self.convertsNumbers) = (takesNumbers, convertsNumbers)
            // Stored here, because deriving the affinity from the declared type is too slow for
            // each field.
            affinity = column?.affinity ?? .integer
            takesInfinity = takesNumbers || column?.isNumeric ?? false
        }

        /// Returns the number to store for the digits of a number that 64 bits can't represent;
        /// `nil` if the column keeps it as text.
        ///
        /// - Throws: ``TablesError``, `.unreadable`, if the database would change the number.
        func number(_ digits: String, _ place: ImportPlace) throws(TablesError) -> TableValue? {
            guard convertsNumbers || takesNumbers else { return nil }
            guard affinity == .real, let number = Double(digits), number.isFinite else {
                let name = column?.name ?? "the rowid"
                throw place.error("\(name) can't store \(digits), which needs more than 64 bits")
            }
            return .real(number)
        }
    }

    private let rows: TableImport
    private let table: TableSchema
    private let db: Database
    /// For each field, its column; `nil` for a field that isn't imported.
    private var targets: [Target?] = []
    private var names: [String] = []
    private var stepper: Stepper?
    private(set) var count = 0

    init(_ rows: TableImport, into table: TableSchema, _ db: Database) {
        (self.rows, self.table, self.db) = (rows, table, db)
    }

    /// Prepares the insertion of rows with these columns.
    func begin(_ columns: [(name: String, place: ImportPlace)]) throws {
        names = columns.map(\.name)
        targets = []
        for (name, place) in columns {
            let target = try target(name, place, among: names)
            if let target,
                targets.contains(where: { SQLName.areSame($0?.sql ?? "", target.sql) })
            {
                throw place.error("the column \(name) appears twice")
            }
            targets.append(target)
        }
        let columns = targets.compactMap { $0?.sql }
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        let name = SQLName.quoted(table.name)
        do {
            stepper = try Stepper(
                db,
                columns.isEmpty
                    ? "INSERT INTO \(name) DEFAULT VALUES"
                    : "INSERT INTO \(name) (\(columns.joined(separator: ", "))) VALUES (\(marks))")
        } catch let error as DatabaseError {
            throw TablesError(writing: error) ?? error
        }
    }

    private func target(
        _ name: String, _ place: ImportPlace, among names: [String]
    ) throws(TablesError) -> Target? {
        var name = name
        if table.column(name) == nil, let own = table.rowIDColumn?.name, Self.isRowID(name) {
            // Rows of `tables show --json` have the rowid twice.
            guard !names.contains(where: { SQLName.areSame($0, own) }) else { return nil }
            name = own
        }
        if let column = table.column(name) {
            guard column.isWritable else { return nil }
            let isPlainNumber: Bool
            do {
                try column.check(.text("x"), replacing: nil)
                isPlainNumber = false
            } catch {
                isPlainNumber = column.affinity == .integer || column.affinity == .real
            }
            let keepsText =
                column.affinity == .text || column.affinity == .blob
                || table.isStrict && SQLName.areSame(column.declaredType, "ANY")
            return Target(
                sql: SQLName.quoted(column.name), column: column, takesNumbers: isPlainNumber,
                convertsNumbers: !keepsText)
        }
        if let rowID = table.rowID, Self.isRowID(name) {
            return Target(sql: rowID, column: nil, takesNumbers: true, convertsNumbers: false)
        }
        throw place.error("\(table.name) has no column \(name.isEmpty ? name.quoted : name)")
    }

    private static func isRowID(_ name: String) -> Bool {
        TableSchema.rowIDNames.contains { SQLName.areSame($0, name) }
    }

    func insert(_ row: TableImport.Row) throws {
        let place: ImportPlace
        switch row {
        case .fields(let record):
            place = record.fields.first?.place ?? ImportPlace()
            guard let stepper else { return }
            try record.bytes.withUnsafeBytes { bytes in
                var position: CInt = 0
                for (field, target) in zip(record.fields, targets) {
                    guard let target else { continue }
                    position += 1
                    try bind(field, of: record, bytes, to: target, position, stepper.handle)
                }
                try run(stepper, place)
            }
        case .members(let members, let objectPlace):
            place = objectPlace
            let hasNames = members.elementsEqual(names) { Name($0.name) == Name($1) }
            if stepper == nil || !hasNames {
                try begin(members.map { ($0.name, place) })
            }
            guard let stepper else { return }
            var position: CInt = 0
            for (member, target) in zip(members, targets) {
                guard let target else { continue }
                position += 1
                var value = try TableImport.value(of: member, place)
                if let digits = member.value.largeNumber {
                    value = try target.number(digits, place) ?? value
                } else if target.affinity == .text, case .real = value,
                    case .number(let digits) = member.value
                {
                    // SQLite's conversion to text keeps only 15 digits.
                    value = .text(digits)
                }
                try bind(value, position, stepper.handle, place)
            }
            try run(stepper, place)
        }
        count += 1
    }

    /// Binds a value, which the encoding of the database may not be able to represent.
    private func bind(
        _ value: TableValue, _ position: CInt, _ handle: OpaquePointer, _ place: ImportPlace
    ) throws {
        do {
            try RowStepper.bind(value, position, handle)
        } catch let error as TablesError {
            throw place.error(error.message)
        }
    }

    private func bind(
        _ field: DelimitedRecord.Field, of record: DelimitedRecord, _ bytes: UnsafeRawBufferPointer,
        to target: Target, _ position: CInt, _ handle: OpaquePointer
    ) throws {
        if rows.isNull(field, of: record) { return try RowStepper.bind(.null, position, handle) }
        if let value = try rows.tagged(field, of: record) {
            return try bind(value, position, handle, field.place)
        }
        let content = UnsafeRawBufferPointer(rebasing: bytes[field.range])
        if target.takesNumbers, let integer = Self.shortInteger(content) {
            return try RowStepper.check(sqlite3_bind_int64(handle, position, integer))
        }
        if target.takesInfinity, let infinity = Self.infinity(content) {
            return try RowStepper.bind(.real(infinity), position, handle)
        }
        let number = target.convertsNumbers ? Self.real(content) : nil
        if target.takesNumbers, number == nil || target.affinity != .real {
            let text = try record.text(field)
            do {
                if let column = target.column {
                    try column.check(.text(text), replacing: nil)
                } else if Int64(text) == nil {
                    throw TablesError(.usage, "the rowid must be an integer")
                }
            } catch let error as TablesError {
                throw field.place.error(error.message)
            }
        }
        if let number { return try RowStepper.bind(.real(number), position, handle) }
        if target.convertsNumbers, content.count > 18,
            let digits = PlainNumber.largeInteger(try record.text(field)),
            let number = try target.number(digits, field.place)
        {
            return try RowStepper.bind(number, position, handle)
        }
        if content.contains(where: { $0 >= 0x80 }) {
            guard let text = String(validating: content, as: UTF8.self) else {
                throw field.place.error("the text isn't UTF-8")
            }
            return try RowStepper.bind(.text(text), position, handle)
        }
        guard let start = content.baseAddress, !content.isEmpty else {
            return try RowStepper.bind(.text(""), position, handle)
        }
        // The bytes stay in place until the statement has run.
        try RowStepper.check(
            sqlite3_bind_text64(
                handle, position, start.assumingMemoryBound(to: CChar.self),
                sqlite3_uint64(content.count), nil, UInt8(SQLITE_UTF8)))
    }

    /// Returns the number for `Inf` and `-Inf`, as exported; `nil` for other texts.
    private static func infinity(_ text: UnsafeRawBufferPointer) -> Double? {
        if text.elementsEqual("Inf".utf8) { return .infinity }
        return text.elementsEqual("-Inf".utf8) ? -.infinity : nil
    }

    /// Returns the real that is nearest to a decimal number. SQLite's conversion doesn't always
    /// find the nearest real.
    private static func real(_ text: UnsafeRawBufferPointer) -> Double? {
        guard text.count <= 40 else { return nil }
        // A number with few digits is the quotient of two integers that are exact as reals, so that
        // the division finds the nearest real.
        if text.count <= 16, let point = text.firstIndex(of: UInt8(ascii: ".")), point > 0,
            let whole = shortInteger(UnsafeRawBufferPointer(rebasing: text[..<point])),
            let part = shortInteger(UnsafeRawBufferPointer(rebasing: text[(point + 1)...])),
            text[point + 1] != UInt8(ascii: "-")
        {
            let scale = powersOfTen[text.count - point - 1]
            let magnitude = Double(Int64(whole.magnitude) * scale + part) / Double(scale)
            return text[0] == UInt8(ascii: "-") ? -magnitude : magnitude
        }
        var isInteger = true
        for byte in text {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"): break
            case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): isInteger = false
            default: return nil
            }
        }
        guard !isInteger, let number = Double(String(decoding: text, as: UTF8.self)),
            number.isFinite
        else { return nil }
        return number
    }

    /// 10 to the power of each index up to 15.
    private static let powersOfTen: [Int64] = (0..<15).reduce(into: [1]) { powers, _ in
        powers.append(powers[powers.count - 1] * 10)
    }

    /// Returns an integer of at most 18 digits, which fits in 64 bits; `nil` for other texts.
    private static func shortInteger(_ text: UnsafeRawBufferPointer) -> Int64? {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = text.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.count <= 18 else { return nil }
        var number: Int64 = 0
        for byte in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return isNegative ? -number : number
    }

    private func run(_ stepper: Stepper, _ place: ImportPlace) throws {
        do {
            try stepper.run()
        } catch let error as DatabaseError {
            // Other errors are about the database, not about the row.
            guard let explained = TablesError(writing: error), explained.code != .busy,
                explained.code != .readOnly
            else { throw error }
            throw TablesError(
                explained.code, "line \(place.line): \(explained.message)",
                suggestion: explained.suggestion)
        }
        guard db.changesCount == 0 else { return }
        throw TablesError(
            .refused,
            "line \(place.line): a constraint or a trigger of \(table.name) "
                + "ignored the row")
    }
}
