import GRDB

/// The Swift types that the columns of a table had when the file was last migrated.
///
/// Columns of one SQL type may hold values of different Swift types, such as seconds in a `Double`
/// and in a `Date`. The file records the Swift types, so that a migration detects such changes.
struct TypeNotes {
    static let table = "automodel_types"
    private static let creation = """
        CREATE TABLE IF NOT EXISTS \(table) (tab TEXT NOT NULL, col TEXT NOT NULL, \
        type TEXT NOT NULL, PRIMARY KEY (tab, col)) WITHOUT ROWID
        """

    private let layout: TableLayout
    /// The types recorded in the file, by column.
    private let stored: [String: String]
    private let storedTable: String?

    init(_ layout: TableLayout, stored table: String?, _ db: Database) throws {
        self.layout = layout
        storedTable = table
        var stored: [String: String] = [:]
        if let table, try Self.exist(db) {
            let notes = try db.texts(
                "SELECT col, type FROM \(Self.table) WHERE tab = ? COLLATE NOCASE", [.text(table)])
            for (column, type) in notes { stored[column.lowercased()] = type }
        }
        self.stored = stored
    }

    /// Returns whether the column had another type. A column without a recorded type counts as
    /// unchanged.
    ///
    /// - Parameter name: The column's name in the file.
    func hasChanged(_ column: ColumnDescription, stored name: String) -> Bool {
        stored[name.lowercased()].map { $0 != column.typeName } ?? false
    }

    var isEmpty: Bool {
        let declared = layout.columns.map { ($0.name.lowercased(), $0.typeName) }
        return stored == Dictionary(declared) { first, _ in first }
    }

    func write(_ db: Database) throws {
        try db.execute(sql: Self.creation)
        for name in [layout.name, storedTable].compactMap(\.self) { try Self.remove(name, db) }
        for column in layout.columns {
            try db.run(
                "INSERT OR REPLACE INTO \(Self.table) (tab, col, type) VALUES (?, ?, ?)",
                [.text(layout.name), .text(column.name), .text(column.typeName)])
        }
    }

    static func remove(_ table: String, _ db: Database) throws {
        guard try exist(db) else { return }
        try db.run("DELETE FROM \(Self.table) WHERE tab = ? COLLATE NOCASE", [.text(table)])
    }

    /// Copies the recorded types of a table from an attached database.
    static func copy(_ table: String, from source: String, _ db: Database) throws {
        guard try exist(db, in: source) else { return }
        try db.execute(sql: creation)
        try db.run(
            "INSERT OR REPLACE INTO main.\(Self.table) SELECT * FROM \(source).\(Self.table) "
                + "WHERE tab = ? COLLATE NOCASE", [.text(table)])
    }

    private static func exist(_ db: Database, in schema: String = "main") throws -> Bool {
        try db.value(
            "SELECT 1 FROM \(schema).sqlite_master WHERE type = 'table' AND name = ?",
            [.text(table)]) != nil
    }
}

extension ColumnDescription {
    /// The name of the column's Swift type, without `Optional`.
    var typeName: String {
        let wrapped = (valueType as? any OptionalType.Type)?.wrapped ?? valueType
        return String(describing: wrapped)
    }
}

private protocol OptionalType {
    static var wrapped: Any.Type { get }
}
extension Optional: OptionalType {
    static var wrapped: Any.Type { Wrapped.self }
}
