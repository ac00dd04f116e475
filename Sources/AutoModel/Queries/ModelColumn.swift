/// A column of a model, for queries: `$0.name` in `Artist.where { $0.name == "Nina" }`.
public struct ModelColumn<Record, Value: Sendable>: Sendable, NamedColumn {
    /// The column's name.
    public let name: String
    let coder: ValueCoder<Value>
    /// The table's alias in a joined query; `nil` if the query adds the table's name itself.
    private let alias = ColumnAlias.current

    /// The column as SQL.
    var sql: String { alias.map { "\(quoted($0)).\(quoted(name))" } ?? columnSQL(name) }

    init<Coding: ColumnCoding<Value>>(
        _ record: Record.Type, _ name: String, _ coding: Coding
    ) {
        self.name = name
        coder = ValueCoder(encode: coding.sqlValue, decode: coding.value)
    }
}

// Generated code calls this function, because a program can declare its own `ModelColumn`.
// `AutoModel.ModelColumn(…)` isn't possible, because in an expression `AutoModel` is the macro.

/// Returns a column. For code that the macro generates.
public func _autoColumn<Record, Value: Sendable, Coding: ColumnCoding<Value>>(
    _ record: Record.Type, _ name: String, _ coding: Coding
) -> ModelColumn<Record, Value> { ModelColumn(record, name, coding) }

/// Returns the column of row identifiers. For code that the macro generates.
public func _autoIDColumn<Record>(_ record: Record.Type) -> ModelColumn<Record, Int64> {
    ModelColumn(record, "id", PlainCoding<Int64>())
}

/// The alias of the table whose columns are being created.
enum ColumnAlias {
    @TaskLocal static var current: String?
}

extension RecordColumns {
    /// Creates the columns of a table of a joined query.
    init(alias: String) { self = ColumnAlias.$current.withValue(alias) { Self() } }
}

/// A column of any type.
protocol NamedColumn {
    var name: String { get }
}

/// The conversions of an expression's values to and from SQL.
struct ValueCoder<Value: Sendable>: Sendable {
    let encode: @Sendable (Value) throws -> SQLValue
    let decode: @Sendable (SQLValue) throws -> Value
}
