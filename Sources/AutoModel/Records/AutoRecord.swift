/// What every model is: a type with a table. The macro ``AutoModel(_:ids:file:formerly:)`` makes a
/// type one.
public protocol AutoRecord: Sendable {
    /// The values of a row.
    associatedtype _$Values: RecordValues
    /// The columns by name, for queries.
    associatedtype Columns: RecordColumns
    static var _$declaration: RecordDeclaration { get }
    /// Indices, conversions and removals, where there are any.
    static var schema: ModelSchema<Self> { get }
    static func _$table(_ place: TablePlace) -> TableBox
}

extension AutoRecord {
    /// Nothing beside the columns.
    public static var schema: ModelSchema<Self> { ModelSchema() }
}

/// The values of a row, as they become columns and come back. Made by the macro.
public protocol RecordValues: Sendable {
    /// Those of a new object.
    init()
    static func _$describe(_ values: Self, _ table: inout TableDescription)
    func _$bind(_ row: inout ColumnBinder) throws
    mutating func _$read(_ row: inout ColumnReader) throws
}

/// The columns of a model by the names of its properties. Made by the macro.
public protocol RecordColumns: Sendable {
    init()
}

/// A struct that is a row of a table: a value without identity.
///
/// It is written as a whole by ``save()-swift.method`` and read anew by every fetch.
public protocol AutoValue: AutoRecord, RecordValues, Identifiable
where _$Values == Self, ID == Int64 {
    /// 0 where rows are numbered and this one has no number yet.
    var id: Int64 { get set }
}

/// How new rows get their identifiers.
public enum IDPolicy: Sendable {
    /// 63 random bits, known before the object is saved.
    case random
    /// The next number, never one that was used before; 0 until the object is saved.
    case ascending
}

/// What the attribute of a model says. Made by the macro.
public struct RecordDeclaration: Sendable {
    public let table: String
    public let ids: IDPolicy
    /// `nil` for the database's own.
    public let file: String?
    public let formerNames: [String]

    public init(
        table: String, ids: IDPolicy, file: String? = nil, formerly: [String] = []
    ) {
        self.table = table
        self.ids = ids
        self.file = file
        formerNames = formerly
    }
}
