/// A change of one row.
public struct TableChange: Hashable, Sendable, Codable {
    /// The operation on the row.
    public enum Action: String, Hashable, Sendable, Codable {
        case update, insert, delete
    }

    /// A column and its value.
    public struct Cell: Hashable, Sendable, Codable {
        /// The name of the column.
        public let column: String
        /// The value to write or to expect.
        public let value: TableValue

        /// Creates a cell.
        public init(_ column: String, _ value: TableValue) {
            self.column = column
            self.value = value
        }
    }

    /// The operation.
    public let action: Action
    /// The name of the table.
    public let table: String
    /// The key of the row. For a row to insert, the key that it will have, or `nil` to let the
    /// database assign one.
    public let key: RowKey?
    /// The values to write.
    public let cells: [Cell]
    /// The values that the row must have; otherwise the change fails because the row has changed.
    public var expected: [Cell]
    /// Whether to increment the row's `Z_OPT`, in which Core Data counts an object's saves.
    public var countsSaves = false
    /// Whether columns accept values that don't have the declared type, as SQLite does. This is for
    /// values whose type the user specified, and for values that the database already had.
    public var acceptsAnyType = false

    /// Returns a change that updates a row.
    public static func update(
        _ table: String, _ key: RowKey, _ cells: [Cell], expecting expected: [Cell] = []
    ) -> Self {
        Self(action: .update, table: table, key: key, cells: cells, expected: expected)
    }

    /// Returns a change that inserts a row.
    public static func insert(_ table: String, _ cells: [Cell], key: RowKey? = nil) -> Self {
        Self(action: .insert, table: table, key: key, cells: cells, expected: [])
    }

    /// Returns a change that deletes a row.
    public static func delete(
        _ table: String, _ key: RowKey, expecting expected: [Cell] = []
    ) -> Self {
        Self(action: .delete, table: table, key: key, cells: [], expected: expected)
    }
}

extension TableChange {
    /// Decodes a change. In the journals of earlier versions, properties can be missing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        action = try container.decode(Action.self, forKey: .action)
        table = try container.decode(String.self, forKey: .table)
        key = try container.decodeIfPresent(RowKey.self, forKey: .key)
        cells = try container.decode([Cell].self, forKey: .cells)
        expected = try container.decode([Cell].self, forKey: .expected)
        countsSaves = try container.decodeIfPresent(Bool.self, forKey: .countsSaves) ?? false
        acceptsAnyType = try container.decodeIfPresent(Bool.self, forKey: .acceptsAnyType) ?? false
    }
}

extension TableValue: Codable {
    /// Encodes the value as a string in the command line's JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(json)
    }

    /// Decodes the string.
    ///
    /// - Throws: `DecodingError` for any other text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let json = TableValue(jsonText: text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "not a table value")
        }
        self = json
    }
}
