/// One change of one row.
public struct TableChange: Hashable, Sendable, Codable {
    /// What happens to the row.
    public enum Action: String, Hashable, Sendable, Codable {
        case update, insert, delete
    }

    /// A column with a value.
    public struct Cell: Hashable, Sendable, Codable {
        public let column: String
        public let value: TableValue

        /// A column with its value.
        public init(_ column: String, _ value: TableValue) {
            self.column = column
            self.value = value
        }
    }

    public let action: Action
    public let table: String
    /// The row; of a row that is inserted, the key that it is to have, `nil` for a new one.
    public let key: RowKey?
    /// What is written.
    public let cells: [Cell]
    /// What the row must hold before; else it was changed by someone else.
    public var expected: [Cell]
    /// Whether the row's `Z_OPT`, in which Core Data counts how often an object was saved, goes up.
    public var countsSaves = false

    /// New values for a row.
    public static func update(
        _ table: String, _ key: RowKey, _ cells: [Cell], expecting expected: [Cell] = []
    ) -> Self {
        Self(action: .update, table: table, key: key, cells: cells, expected: expected)
    }

    /// A new row.
    public static func insert(_ table: String, _ cells: [Cell], key: RowKey? = nil) -> Self {
        Self(action: .insert, table: table, key: key, cells: cells, expected: [])
    }

    /// A row less.
    public static func delete(
        _ table: String, _ key: RowKey, expecting expected: [Cell] = []
    ) -> Self {
        Self(action: .delete, table: table, key: key, cells: [], expected: expected)
    }
}

extension TableValue: Codable {
    /// As text of JSON, in the form of the command line.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(json)
    }

    /// - Throws: `DecodingError` for any other text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let json = TableValue.parse(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "not a value of a table")
        }
        self = json
    }
}
