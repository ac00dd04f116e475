/// A table, view or virtual table, as described by the schema of its database.
public struct TableSchema: Hashable, Sendable {
    /// The kind of table.
    public enum Kind: Hashable, Sendable {
        case table
        case view
        /// A virtual table, with the name of its module.
        case virtual(module: String)
        /// A table in which the virtual table `of` stores its content.
        case shadow(of: String)

        /// The name of the kind in `tideline tables list`.
        public var name: String {
            switch self {
            case .table: "table"
            case .view: "view"
            case .virtual: "virtual"
            case .shadow: "shadow"
            }
        }
    }

    /// The name in the schema's spelling.
    public let name: String
    /// The kind of table.
    public let kind: Kind
    /// The statement that created the table; `nil` for tables that SQLite created itself.
    public let sql: String?
    /// The columns in the order of the table. If they can't be read, this is empty, and ``problem``
    /// has the reason.
    public internal(set) var columns: [ColumnSchema]
    /// The indices of the table.
    public let indices: [IndexSchema]
    /// The references from this table to other tables.
    public let foreignKeys: [ForeignKey]
    /// The triggers of the table.
    public let triggers: [TriggerSchema]
    /// Whether rows are identified by their primary key alone.
    public let isWithoutRowID: Bool
    /// Whether the table is declared as `STRICT`.
    public let isStrict: Bool
    /// The SQL name of the rowid: the integer primary key, or a name that no column uses. `nil` if
    /// rows have no rowid that can be named.
    public let rowID: String?
    /// The missing collations that the table's statement or its indices use. Reads compare
    /// text case-insensitively instead.
    public let missingCollations: [String]
    /// The missing functions that reads or writes of the table's rows call. Reads use `NULL`
    /// instead of the functions' results. Writes that need such a function are refused.
    public internal(set) var missingFunctions: [String] = []
    /// The functions in ``missingFunctions`` that are called when rows are read, because views or
    /// generated columns use them.
    public internal(set) var functionsReadAsNull: [String] = []
    /// The reason why the table can't be read, such as a missing module or a view of a deleted
    /// table.
    public let problem: String?

    /// The columns of the primary key, in key order.
    public var primaryKey: [ColumnSchema] {
        columns.filter { $0.primaryKeyPosition > 0 }
            .sorted { $0.primaryKeyPosition < $1.primaryKeyPosition }
    }

    /// ``rowID`` as it is written in a statement.
    var rowIDSQL: String? { rowID.map { column($0) == nil ? $0 : SQLName.quoted($0) } }

    /// SQLite's names for the rowid. A column with one of these names hides it.
    package static let rowIDNames = ["rowid", "_rowid_", "oid"]

    /// The column that is an alias of the rowid, if any.
    package var rowIDColumn: ColumnSchema? {
        let key = primaryKey
        // `INTEGER PRIMARY KEY DESC` isn't an alias, because it has a separate index.
        guard rowID != nil, key.count == 1, SQLName.areSame(key[0].declaredType, "INTEGER"),
            !indices.contains(where: { $0.origin == .primaryKey })
        else { return nil }
        return key[0]
    }

    /// Whether each row can be identified, so that it can be edited and reached by key.
    public var hasKeys: Bool {
        switch kind {
        case .view, .virtual: return false
        case .table, .shadow: break
        }
        return rowID != nil || isWithoutRowID && !primaryKey.isEmpty
    }

    /// Whether reads can use the indices. An index can hold results of missing functions, which
    /// would contradict the `NULL`s that are read from the table.
    var usesIndices: Bool {
        functionsReadAsNull.isEmpty
            || !indices.contains { index in
                index.isPartial
                    || index.parts.contains { part in
                        part.column.map { column($0)?.needsMissingFunction ?? true } ?? true
                    }
            }
    }

    /// The table as the source of a query.
    var source: String {
        let name = SQLName.quoted(name)
        guard !usesIndices else { return name }
        // SQLite ignores `NOT INDEXED` for tables without rowid. Their primary key is an index.
        let key = indices.first { $0.origin == .primaryKey }
        guard isWithoutRowID, let key else { return "\(name) NOT INDEXED" }
        return "\(name) INDEXED BY \(SQLName.quoted(key.name))"
    }

    /// Whether the table belongs to SQLite.
    public var isSystem: Bool { SQLName.folded(name).starts(with: Array("sqlite_".utf8)) }

    /// Returns the column with that name. The case of ASCII letters doesn't matter.
    public func column(_ name: String) -> ColumnSchema? {
        columns.first { SQLName.areSame($0.name, name) }
    }
}

/// A column of a table or view.
public struct ColumnSchema: Hashable, Sendable {
    /// The source of the column's values.
    public enum Storage: Hashable, Sendable {
        case ordinary
        /// A column of a virtual table that `*` leaves out.
        case hidden
        /// Computed at every read.
        case generatedVirtual
        /// Computed when its row is written.
        case generatedStored
    }

    /// The type in which SQLite prefers to store the column's values.
    public enum Affinity: String, Hashable, Sendable {
        case integer, real, numeric, text, blob
    }

    /// The name in the schema's spelling.
    public let name: String
    /// The type in the schema's spelling; empty if none is declared.
    public let declaredType: String
    /// Whether the column is declared as `NOT NULL`.
    public let isNotNull: Bool
    /// The default value as SQL, if any.
    public let defaultSQL: String?
    /// The position in the primary key, from 1; 0 if the column isn't part of it.
    public let primaryKeyPosition: Int
    /// The source of the column's values.
    public let storage: Storage
    /// Whether a missing function computes the column. Reads use `NULL` instead of the function's
    /// results.
    public internal(set) var needsMissingFunction = false

    /// The affinity by SQLite's rules:
    /// <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>
    public var affinity: Affinity {
        let type = declaredType.uppercased()
        if type.contains("INT") { return .integer }
        if type.contains("CHAR") || type.contains("CLOB") || type.contains("TEXT") { return .text }
        if type.isEmpty || type.contains("BLOB") { return .blob }
        if type.contains("REAL") || type.contains("FLOA") || type.contains("DOUB") { return .real }
        return .numeric
    }

    /// Whether the column can be written.
    public var isWritable: Bool { storage == .ordinary }
}

/// An index of a table.
public struct IndexSchema: Hashable, Sendable {
    /// A column of an index.
    public struct Part: Hashable, Sendable {
        /// The column; `nil` for an expression and for the rowid.
        public let column: String?
        /// Whether the index orders the column in descending order.
        public let isDescending: Bool
        /// The name of the collation.
        public let collation: String
    }

    /// The reason why the index exists.
    public enum Origin: String, Hashable, Sendable {
        case created = "c"
        case unique = "u"
        case primaryKey = "pk"
    }

    /// The name of the index.
    public let name: String
    /// Whether the index is unique.
    public let isUnique: Bool
    /// Whether the index covers only the rows that match a condition.
    public let isPartial: Bool
    /// The reason why the index exists.
    public let origin: Origin
    /// The parts of the key, in order.
    public let parts: [Part]
}

/// A reference from columns of a table to columns of a target table.
public struct ForeignKey: Hashable, Sendable {
    /// SQLite's number for the foreign key in its table.
    public let id: Int
    /// The table that holds the reference.
    public let table: String
    /// The columns that hold the reference.
    public let columns: [String]
    /// The table that the reference points to.
    public let target: String
    /// The target's columns, one for each of ``columns``. Empty if the key refers to a primary key
    /// with a different number of columns.
    public let targetColumns: [String]
    /// The action if the target's key changes, such as `CASCADE`.
    public let onUpdate: String
    /// The action if the target row is deleted, such as `SET NULL`.
    public let onDelete: String
}

/// A trigger: SQL that the database runs when a table is written.
public struct TriggerSchema: Hashable, Sendable {
    /// The name of the trigger.
    public let name: String
    /// The statement that created the trigger.
    public let sql: String
}
