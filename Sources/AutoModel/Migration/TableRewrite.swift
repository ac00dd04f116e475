import Foundation
import GRDB

/// A rewrite of a table with other columns, by the procedure in SQLite's documentation.
///
/// <https://www.sqlite.org/lang_altertable.html#otheralter>
struct TableRewrite {
    let plan: TablePlan
    let migrator: Migrator
    let db: Database

    private let lost = LostValues()

    private var layout: TableLayout { plan.layout }
    private var table: String { quoted(layout.name) }
    /// The number of rows per statement. Progress is reported between statements.
    private static let batch = 100_000

    func run() throws {
        try askForDropped()
        addFunctions()
        defer { removeFunctions() }
        let others = try othersOfTable()
        let new = "automodel_new_\(layout.name)"
        // If a table with this name exists, another program made it, because AutoModel's
        // transactions never leave one behind.
        try db.execute(sql: layout.createSQL(as: new))
        do {
            try copy(to: quoted(new))
        } catch {
            throw lost.failure ?? error
        }
        // The lost values are known only after the copy. If the loss is not allowed, the copy is
        // rolled back.
        try askForLost()
        try keepNumber(new)
        try db.execute(sql: "DROP TABLE \(table)")
        try db.execute(sql: "ALTER TABLE \(quoted(new)) RENAME TO \(table)")
        for (name, sql) in others {
            do {
                try db.execute(sql: sql)
            } catch {
                throw AutoModelError(
                    .declaration,
                    "\(migrator.file.path): '\(name)', which another program made for "
                        + "'\(layout.name)', doesn't fit the declared table; drop "
                        + "it first", cause: error)
            }
        }
    }

    /// Carries over the highest identifier ever used, so that identifiers aren't reused.
    private func keepNumber(_ new: String) throws {
        guard layout.ids == .ascending, plan.stored?.isAscending == true else { return }
        let used = try db.value(
            "SELECT seq FROM sqlite_sequence WHERE name = ? COLLATE NOCASE", [.text(layout.name)])
        guard case .integer(let number)? = used else { return }
        try db.run("DELETE FROM sqlite_sequence WHERE name = ?", [.text(new)])
        try db.run(
            "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)",
            [.text(new), .integer(number)])
    }

    /// Returns the indexes and triggers of other programs. Dropping the table drops them, so they
    /// have to be created again.
    private func othersOfTable() throws -> [(String, String)] {
        try db.texts(
            """
            SELECT name, sql FROM sqlite_master WHERE type IN ('index', 'trigger')
            AND tbl_name = ? COLLATE NOCASE AND sql IS NOT NULL
            AND substr(name, 1, 10) <> 'automodel_' ORDER BY type, name
            """, [.text(layout.name)])
    }

    private func copy(to new: String) throws {
        let names = (["id"] + layout.columns.map(\.name)).map(quoted).joined(separator: ", ")
        let values = (["id"] + layout.columns.indices.map(value)).joined(separator: ", ")
        let sql = """
            INSERT INTO \(new) (\(names)) SELECT \(values) FROM \(table)
            WHERE id > ? ORDER BY id LIMIT \(Self.batch)
            """
        guard case .integer(let least)? = try db.value("SELECT min(id) FROM \(table)"),
            case .integer(let greatest)? = try db.value("SELECT max(id) FROM \(table)")
        else { return }
        var last = least == .min ? least : least - 1
        if least == .min {
            try db.run(sql.replacingOccurrences(of: "id > ?", with: "id = ?"), [.integer(least)])
        }
        while last < greatest {
            try db.run(sql, [.integer(last)])
            guard case .integer(let reached)? = try db.value("SELECT max(id) FROM \(new)"),
                reached > last
            else { break }
            last = reached
            let done = (Double(last) - Double(least)) / max(1, Double(greatest) - Double(least))
            migrator.configuration.onMigration(.progress(table: layout.name, min(1, max(0, done))))
        }
    }

    /// Returns the SQL expression for the new value of a column.
    private func value(_ index: Int) -> String {
        let column = layout.columns[index]
        let fallback =
            column.defaultValue.map(\.literal) ?? (column.isNullable ? "NULL" : made(index))
        guard !plan.added.contains(index) else { return fallback }
        let own = "\(table).\(quoted(column.name))"
        let hasHook = layout.conversions[column.name] != nil
        func lost(_ kind: LostValues.Kind, _ value: String) -> String {
            hasHook
                ? "automodel_convert(\(index), \(value))"
                : "CASE WHEN automodel_lost(\(kind.rawValue), \(index), \(table).id) "
                    + "THEN \(fallback) END"
        }
        let missing =
            !column.isNullable && plan.emptied.contains(index) ? lost(.missing, "NULL") : nil
        guard plan.retyped.contains(index) else {
            return missing.map { "coalesce(\(own), \($0))" } ?? own
        }
        let otherwise = lost(.narrowing, own)
        if hasHook {
            return "CASE WHEN \(own) IS NULL THEN \(missing ?? "NULL") ELSE \(otherwise) END"
        }
        let usual = plan.stored?.column(column.name)?.type.lowercased() ?? ""
        return ValueChange(type: column.type, column: index).changed(
            own, usual: usual, empty: missing ?? "NULL", otherwise: otherwise)
    }

    private func made(_ index: Int) -> String { "automodel_default(\(index), \(table).id)" }

    private func askForDropped() throws {
        for name in plan.dropped where !layout.removals.contains(name.lowercased()) {
            let column = quoted(name)
            // Values equal to the column's default don't count as data.
            let usual = plan.stored?.column(name)?.defaultText.map { " AND \(column) IS NOT \($0)" }
            try migrator.ask(
                .column, layout.name, name,
                try db.ids(
                    "SELECT id FROM \(table) WHERE \(column) IS NOT NULL\(usual ?? "")"))
        }
    }

    private func askForLost() throws {
        for (index, column) in layout.columns.enumerated() {
            for kind in LostValues.Kind.allCases {
                guard let rows = lost.rows(kind, index) else { continue }
                try migrator.ask(
                    kind == .narrowing ? .narrowing : .missing, layout.name, column.name,
                    rows.ids, count: rows.count)
            }
        }
    }

    private func addFunctions() {
        let (layout, lost, path) = (layout, lost, migrator.file.path)
        db.add(
            function: DatabaseFunction("automodel_lost", argumentCount: 3, pure: false) { values in
                lost.note(
                    LostValues.Kind(rawValue: Int.fromDatabaseValue(values[0]) ?? 0),
                    Int.fromDatabaseValue(values[1]) ?? 0,
                    Int64.fromDatabaseValue(values[2]) ?? 0)
                return true
            })
        db.add(
            function: DatabaseFunction("automodel_fits", argumentCount: 2, pure: true) { values in
                let column = layout.columns[Int.fromDatabaseValue(values[0]) ?? 0]
                return values[1].isNull || column.fits(SQLValue(values[1]))
            })
        db.add(
            function: DatabaseFunction("automodel_default", argumentCount: 2, pure: false) {
                values in
                let index = Int.fromDatabaseValue(values[0]) ?? 0
                return try layout.makeValues()[index].databaseValue
            })
        db.add(
            function: DatabaseFunction("automodel_convert", argumentCount: 2, pure: false) {
                values in
                let column = layout.columns[Int.fromDatabaseValue(values[0]) ?? 0]
                do {
                    return try layout.converted(SQLValue(values[1]), column).databaseValue
                } catch {
                    lost.fail(
                        AutoModelError(
                            .invalidValue,
                            "\(path): the conversion of '\(layout.name).\(column.name)' failed: "
                                + ((error as? InvalidValue)?.reason ?? "\(error)"), cause: error))
                    throw error
                }
            })
    }

    private func removeFunctions() {
        for (name, count) in [
            ("automodel_default", 2), ("automodel_convert", 2), ("automodel_fits", 2),
            ("automodel_lost", 3),
        ] {
            db.remove(function: DatabaseFunction(name, argumentCount: count) { _ in nil })
        }
    }
}

extension TableLayout {
    /// Converts a value with the conversion that the schema declares for its column.
    fileprivate func converted(_ old: SQLValue, _ column: ColumnDescription) throws -> SQLValue {
        guard let convert = conversions[column.name] else { return .null }
        let new = try convert(old)
        let fits = new.isNull ? column.isNullable : new.isOf(column.type) && column.fits(new)
        guard fits else {
            throw InvalidValue(
                "it returned \(new.literal.prefix(40)), which isn't a value of the property")
        }
        return new
    }
}

extension SQLValue {
    init(_ value: DatabaseValue) {
        switch value.storage {
        case .null: self = .null
        case .int64(let number): self = .integer(number)
        case .double(let number): self = .real(number)
        case .string(let text): self = .text(text)
        case .blob(let data): self = .blob(data)
        }
    }

    var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let number): number.databaseValue
        case .real(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case .blob(let data): data.databaseValue
        }
    }

    func isOf(_ type: ColumnType) -> Bool {
        switch (self, type) {
        case (.integer, .integer), (.real, .real), (.integer, .real), (.text, .text),
            (.blob, .blob):
            true
        default: false
        }
    }
}
