public import Replication
public import Tables

/// A row as named values, in column order.
public struct RowRecord: Hashable, Sendable {
    /// A named value.
    public struct Member: Hashable, Sendable {
        /// The name of the column.
        public var name: String
        /// The value, in the JSON form of the command line.
        public var value: JSONValue
        /// The value in the database, for SQL, if it differs from ``value``.
        public var stored: TableValue?
        /// Whether the database computes the value, so that it can't be inserted.
        public var isComputed: Bool

        /// Creates a named value.
        public init(
            _ name: String, _ value: JSONValue, stored: TableValue? = nil, isComputed: Bool = false
        ) {
            self.name = name
            self.value = value
            self.stored = stored
            self.isComputed = isComputed
        }
    }

    /// The values, in column order.
    public var members: [Member]

    /// Creates a record. If two values have the same name, lookups find the first value.
    public init(_ members: [Member]) { self.members = members }

    /// The value with the given name.
    public subscript(name: String) -> JSONValue? { members.first { $0.name == name }?.value }

    /// Creates a record from a row; columns of ages become dates. The row's name comes first, as
    /// `id`, unless a column shows it.
    init(_ row: Row, in info: ListInfo) {
        let (columns, fields) = (info.columns, info.filterFields)
        var members: [Member] = []
        let names = Self.names(of: columns)
        if Self.hasID(names, in: info) { members.append(Member("id", .string(row.id.name))) }
        for (index, column) in columns.enumerated()
        where index < row.cells.count && !column.isDrawing {
            let kind = FilterField.named(column.id, in: fields)?.kind
            members.append(
                Member(names[index], Self.value(of: row.cells[index], column, kind, row)))
        }
        if Self.hasConflict(names, in: info) {
            members.append(Member("conflict", .boolean(row.isConflict)))
        }
        self.members = members
    }

    /// Returns the names of the values of a list's rows, for a file without rows.
    package static func names(in info: ListInfo) -> [String] {
        guard info.tableName == nil else { return info.columns.map(\.id) }
        let names = names(of: info.columns.filter { !$0.isDrawing })
        return (hasID(names, in: info) ? ["id"] : []) + names
            + (hasConflict(names, in: info) ? ["conflict"] : [])
    }

    private static func hasID(_ names: [String], in info: ListInfo) -> Bool {
        info.namingColumn == nil && !names.contains("id") && !names.contains("identifier")
    }

    private static func hasConflict(_ names: [String], in info: ListInfo) -> Bool {
        info.filterFields.contains { $0.name == "conflict" } && !names.contains("conflict")
    }

    private static func names(of columns: [Column]) -> [String] {
        let plain = columns.map { column in
            column.id == "age" ? "date" : column.id
        }
        // SQLite doesn't distinguish the names of columns by case.
        var taken = Set(plain.filter { !$0.hasPrefix("p:") }.map { $0.lowercased() })
        taken.insert("id")
        return plain.map { name in
            guard name.hasPrefix("p:") else { return name }
            // A property keeps its own name unless another column has the same name.
            let key = String(name.dropFirst(2))
            return taken.insert(key.lowercased()).inserted ? key : name
        }
    }

    private static func value(
        of cell: RowCell, _ column: Column, _ kind: FilterField.Kind?, _ row: Row
    ) -> JSONValue {
        if let value = cell.value { return value.json }
        if let instant = cell.instant { return .string(instant.iso8601) }
        if column.id == "device", let device = row.device { return .string(device.name) }
        switch kind {
        case .number, .size:
            if let number = Int64(cell.text) { return .integer(number) }
            return Double(cell.text).map { .real($0) } ?? .null
        case .age, .instant: return cell.text.isEmpty ? .null : .string(cell.text)
        case .text, .name, .value, .choice, nil: return .string(cell.text)
        }
    }
}

extension RowSource {
    /// Returns rows of a window as records.
    public func records(of rows: [Row], at instant: Timestamp?) async throws -> [RowRecord] {
        let info = info
        return rows.map { RowRecord($0, in: info) }
    }
}
