/// A table, view or virtual table of a database, as its schema describes it.
public struct TableSchema: Hashable, Sendable {
    /// What it is.
    public enum Kind: Hashable, Sendable {
        case table
        case view
        /// A virtual table, with the name of its module.
        case virtual(module: String)
        /// A table in which the virtual table `of` keeps what it holds.
        case shadow(of: String)

        /// The word for it in `tideline tables list`.
        public var name: String {
            switch self {
            case .table: "table"
            case .view: "view"
            case .virtual: "virtual"
            case .shadow: "shadow"
            }
        }
    }

    /// The name, as the schema spells it.
    public let name: String
    public let kind: Kind
    /// The statement that made it; `nil` for tables that SQLite makes by itself.
    public let sql: String?
    /// In the order of the table; empty where ``problem`` says why.
    public let columns: [ColumnSchema]
    public let indices: [IndexSchema]
    public let foreignKeys: [ForeignKey]
    public let triggers: [TriggerSchema]
    /// Whether rows are known by their primary key alone.
    public let isWithoutRowID: Bool
    public let isStrict: Bool
    /// What the rowid is called in SQL: the integer primary key, or a name that no column has
    /// taken; `nil` where rows have none that can be named.
    public let rowID: String?
    /// The collations that its columns or indices name and that this program lacks. It is read in
    /// the order of text without case instead.
    public let missingCollations: [String]
    /// Why it cannot be read: a module that is missing, a view of what is gone.
    public let problem: String?

    /// The columns of the primary key, in its order.
    public var primaryKey: [ColumnSchema] {
        columns.filter { $0.primaryKeyPosition > 0 }
            .sorted { $0.primaryKeyPosition < $1.primaryKeyPosition }
    }

    /// The names that SQLite has for a rowid, unless columns are called so.
    package static let rowIDNames = ["rowid", "_rowid_", "oid"]

    /// The column that is the rowid by another name; `nil` where there is none.
    package var rowIDColumn: ColumnSchema? {
        let key = primaryKey
        // `INTEGER PRIMARY KEY DESC` is not, and has an index of its own.
        guard rowID != nil, key.count == 1, SQLName.areSame(key[0].declaredType, "INTEGER"),
            !indices.contains(where: { $0.origin == .primaryKey })
        else { return nil }
        return key[0]
    }

    /// Whether rows can be named one by one, and so be edited and walked through by key.
    public var hasKeys: Bool {
        switch kind {
        case .view, .virtual: return false
        case .table, .shadow: break
        }
        return rowID != nil || isWithoutRowID && !primaryKey.isEmpty
    }

    /// Whether it is one that SQLite keeps for itself.
    public var isSystem: Bool { SQLName.folded(name).starts(with: Array("sqlite_".utf8)) }

    /// The column of that name, whatever the case of its ASCII letters.
    public func column(_ name: String) -> ColumnSchema? {
        columns.first { SQLName.areSame($0.name, name) }
    }
}

/// A column of a table or view.
public struct ColumnSchema: Hashable, Sendable {
    /// Where its values come from.
    public enum Storage: Hashable, Sendable {
        case ordinary
        /// Of a virtual table, and left out of `*`.
        case hidden
        /// Computed whenever it is read.
        case generatedVirtual
        /// Computed when its row is written.
        case generatedStored
    }

    /// The type that SQLite prefers to store values of the column as.
    public enum Affinity: String, Hashable, Sendable {
        case integer, real, numeric, text, blob
    }

    public let name: String
    /// As the schema spells it; empty where it says nothing.
    public let declaredType: String
    public let isNotNull: Bool
    /// As SQL; `nil` where there is none.
    public let defaultSQL: String?
    /// Counted from 1 in the primary key; 0: not in it.
    public let primaryKeyPosition: Int
    public let storage: Storage

    /// By SQLite's rules: <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>
    public var affinity: Affinity {
        let type = declaredType.uppercased()
        if type.contains("INT") { return .integer }
        if type.contains("CHAR") || type.contains("CLOB") || type.contains("TEXT") { return .text }
        if type.isEmpty || type.contains("BLOB") { return .blob }
        if type.contains("REAL") || type.contains("FLOA") || type.contains("DOUB") { return .real }
        return .numeric
    }

    /// Whether a person may write it.
    public var isWritable: Bool { storage == .ordinary }
}

/// An index of a table.
public struct IndexSchema: Hashable, Sendable {
    /// A column of an index.
    public struct Part: Hashable, Sendable {
        /// `nil` for an expression, and for the rowid.
        public let column: String?
        public let isDescending: Bool
        public let collation: String
    }

    /// Why there is an index.
    public enum Origin: String, Hashable, Sendable {
        case created = "c"
        case unique = "u"
        case primaryKey = "pk"
    }

    public let name: String
    public let isUnique: Bool
    public let isPartial: Bool
    public let origin: Origin
    /// Its key, in order.
    public let parts: [Part]
}

/// A reference from columns of a table to columns of another.
public struct ForeignKey: Hashable, Sendable {
    /// The number that SQLite has for it in its table.
    public let id: Int
    /// The table that holds the reference.
    public let table: String
    public let columns: [String]
    /// The table that is referred to.
    public let target: String
    /// The columns there, one for each of ``columns``; empty: its primary key, where it has none
    /// of that many columns.
    public let targetColumns: [String]
    public let onUpdate: String
    public let onDelete: String
}

/// What a database does by itself when a table is written.
public struct TriggerSchema: Hashable, Sendable {
    public let name: String
    public let sql: String
}
