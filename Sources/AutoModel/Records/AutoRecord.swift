/// A type with a table. The macro ``AutoModel(_:ids:file:tracksChanges:formerly:)`` adds the
/// conformance.
public protocol AutoRecord: Sendable {
    /// The values of a row.
    associatedtype _$Values: RecordValues
    /// The columns by property name, for queries.
    associatedtype Columns: RecordColumns
    static var _$declaration: RecordDeclaration { get }
    /// The indexes, constraints and conversions of the table.
    static var schema: ModelSchema<Self> { get }
    static func _$table(_ place: TablePlace) -> TableBox
}

extension AutoRecord {
    /// An empty schema, for models without further indexes, constraints or conversions.
    public static var schema: ModelSchema<Self> { ModelSchema() }
}

/// The values of a row. The macro generates the conformance.
public protocol RecordValues: Sendable {
    /// Creates the values of a new object.
    init()
    static func _$describe(_ values: Self, _ table: inout TableDescription)
    func _$bind(_ row: inout ColumnBinder) throws
    mutating func _$read(_ row: inout ColumnReader) throws
}

/// The columns of a model by property name. The macro generates the conformance.
public protocol RecordColumns: Sendable {
    init()
}

/// A struct that is a row of a table: a value without identity.
///
/// ```swift
/// @AutoModel struct Visit {
///     var place = ""
///     var stars = 0
/// }
///
/// var visit = Visit(place: "Paris")
/// try visit.save()
/// ```
///
/// ``save()-swift.method`` writes the whole row, and every fetch reads it again.
public protocol AutoValue: AutoRecord, RecordValues, Identifiable
where _$Values == Self, ID == Int64 {
    /// The row's identifier. With ``IDPolicy/ascending``, it is 0 before the first save.
    var id: Int64 { get set }
}

/// The way in which new rows get their identifiers.
public enum IDPolicy: Sendable {
    /// 63 random bits, assigned before the object is saved.
    case random
    /// The next number, which is never reused; 0 before the object is saved.
    case ascending
}

/// The arguments of a model's `@AutoModel` attribute. For code that the macro generates.
public struct RecordDeclaration: Sendable {
    /// The table's name.
    public let table: String
    /// The way in which new rows get their identifiers.
    public let ids: IDPolicy
    /// The name of the file that holds the table; `nil` for the database's own file.
    public let file: String?
    /// All earlier names of the table.
    public let formerNames: [String]

    /// Creates a declaration. For code that the macro generates.
    public init(
        table: String, ids: IDPolicy, file: String? = nil, formerly: [String] = []
    ) {
        self.table = table
        self.ids = ids
        self.file = file
        formerNames = formerly
    }
}
