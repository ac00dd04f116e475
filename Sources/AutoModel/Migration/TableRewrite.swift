import Foundation
import GRDB

/// Writes a table anew with other columns, in the order that SQLite's documentation gives.
///
/// <https://www.sqlite.org/lang_altertable.html#otheralter>
struct TableRewrite {
    let plan: TablePlan
    let migrator: Migrator
    let db: Database

    private var layout: TableLayout { plan.layout }
    private var table: String { quoted(layout.name) }
    /// How many rows one statement copies: it cannot tell how far it is.
    private static let batch = 100_000

    func run() throws {
        try askForDropped()
        for index in layout.columns.indices where !plan.added.contains(index) {
            try askForChanged(index)
        }
        addFunctions()
        defer { removeFunctions() }
        let others = try othersOfTable()
        let new = "automodel_new_\(layout.name)"
        // Nothing of ours is left behind by a transaction; a name that is taken is somebody's.
        try db.execute(sql: layout.createSQL(as: new))
        try copy(to: quoted(new))
        try keepNumber(new)
        try db.execute(sql: "DROP TABLE \(table)")
        try db.execute(sql: "ALTER TABLE \(quoted(new)) RENAME TO \(table)")
        for (name, sql) in others {
            do {
                try db.execute(sql: sql)
            } catch {
                throw AutoModelError(
                    .declaration,
                    "\(migrator.file.path): '\(name)', which somebody else made for "
                        + "'\(layout.name)', does not fit the table as it is declared now; remove "
                        + "it first", cause: error)
            }
        }
    }

    /// A number that was used for a row is not used again.
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

    /// Indices and triggers that are not ours go with the table and are made again.
    private func othersOfTable() throws -> [(name: String, sql: String)] {
        try db.rows(
            """
            SELECT name, sql FROM sqlite_master WHERE type IN ('index', 'trigger')
            AND tbl_name = ? COLLATE NOCASE AND sql IS NOT NULL
            AND substr(name, 1, 10) <> 'automodel_' ORDER BY type, name
            """, [.text(layout.name)]
        ).map { (try String(sqlValue: $0[0]), try String(sqlValue: $0[1])) }
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

    /// The new value of a column, of a row of the table as it was.
    private func value(_ index: Int) -> String {
        let column = layout.columns[index]
        let fallback =
            column.defaultValue.map(\.literal) ?? (column.isNullable ? "NULL" : made(index))
        guard !plan.added.contains(index) else { return fallback }
        let own = "\(table).\(quoted(column.name))"
        var value = own
        let hasHook = layout.conversions[column.name] != nil
        if plan.retyped.contains(index) {
            let change = ValueChange(type: column.type)
            let otherwise = hasHook ? "automodel_convert(\(index), \(own))" : fallback
            value = """
                CASE WHEN \(own) IS NULL THEN NULL WHEN \(change.fits(own)) \
                THEN \(change.changed(own)) ELSE \(otherwise) END
                """
        }
        guard !column.isNullable, plan.emptied.contains(index) || plan.retyped.contains(index)
        else {
            return value
        }
        let missing = hasHook ? "automodel_convert(\(index), NULL)" : fallback
        return "coalesce(\(value), \(missing))"
    }

    private func made(_ index: Int) -> String { "automodel_default(\(index), \(table).id)" }

    private func askForDropped() throws {
        for name in plan.dropped where !layout.removals.contains(name.lowercased()) {
            let column = quoted(name)
            // What every row has anyway says nothing.
            let usual = plan.stored?.column(name)?.defaultText.map { " AND \(column) IS NOT \($0)" }
            try migrator.ask(
                .column, layout.name, name,
                try db.ids(
                    "SELECT id FROM \(table) WHERE \(column) IS NOT NULL\(usual ?? "")"))
        }
    }

    private func askForChanged(_ index: Int) throws {
        let column = layout.columns[index]
        guard layout.conversions[column.name] == nil else { return }
        let own = quoted(column.name)
        if plan.retyped.contains(index) {
            let fits = ValueChange(type: column.type).fits(own)
            try migrator.ask(
                .narrowing, layout.name, column.name,
                try db.ids(
                    "SELECT id FROM \(table) WHERE \(own) IS NOT NULL AND NOT (\(fits))"))
        }
        if plan.emptied.contains(index) {
            try migrator.ask(
                .missing, layout.name, column.name,
                try db.ids("SELECT id FROM \(table) WHERE \(own) IS NULL"))
        }
    }

    private func addFunctions() {
        let layout = layout
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
                guard let convert = layout.conversions[column.name] else { return nil }
                let new = try convert(SQLValue(values[1]))
                guard new.isNull ? column.isNullable : new.isOf(column.type) else {
                    throw AutoModelError(
                        .unfitValue,
                        "the conversion of '\(layout.name).\(column.name)' gave "
                            + "\(new.literal.prefix(40)), which its column cannot hold")
                }
                return new.databaseValue
            })
    }

    private func removeFunctions() {
        for name in ["automodel_default", "automodel_convert"] {
            db.remove(function: DatabaseFunction(name, argumentCount: 2) { _ in nil })
        }
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
