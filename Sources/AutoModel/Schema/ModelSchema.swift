import Foundation

/// The indexes, constraints and conversions of a model's table.
///
/// ```swift
/// static var schema: ModelSchema<Artist> {
///     ModelSchema()
///         .index(\.formed, \.name)
///         .index(\.name, where: "formed IS NOT NULL")
///         .index(expression: "lower(name)")
///         .unique(\.name, \.formed)
///         .removed("homepage")
/// }
/// ```
public struct ModelSchema<Record: AutoRecord>: Sendable {
    var indices: [IndexDescription] = []
    var removals: Set<String> = []
    var conversions: [String: ValueConversion] = [:]
    var isSynced = false

    /// Creates an empty schema.
    public init() {}

    /// Adds an index of one or several columns.
    ///
    /// - Parameter condition: An SQL condition. The index contains only rows that satisfy it.
    public func index(
        _ columns: PartialKeyPath<Record.Columns>..., where condition: String? = nil
    ) -> Self {
        adding(columns, isUnique: false, condition)
    }

    /// Adds a constraint that no two rows have the same values in these columns.
    ///
    /// - Parameter condition: An SQL condition. The constraint applies only to rows that satisfy
    ///   it.
    public func unique(
        _ columns: PartialKeyPath<Record.Columns>..., where condition: String? = nil
    ) -> Self {
        adding(columns, isUnique: true, condition)
    }

    /// Adds an index of an SQL expression such as `"lower(name)"`.
    public func index(
        expression: String, isUnique: Bool = false, where condition: String? = nil
    ) -> Self {
        var schema = self
        schema.indices.append(
            IndexDescription(terms: [expression], isUnique: isUnique, condition: condition))
        return schema
    }

    /// Allows a migration to drop columns that are no longer declared, with their values.
    public func removed(_ columns: String...) -> Self {
        var schema = self
        schema.removals.formUnion(columns.map { $0.lowercased() })
        return schema
    }

    /// Converts a column's values when the type of its property changes.
    ///
    /// The closure is called with each stored value of the old type, even if SQLite could convert
    /// it. If the property is no longer optional, the closure is also called with `NULL` for each
    /// missing value. If the only change is that the property becomes optional, the values stay and
    /// the closure isn't called.
    ///
    /// ```swift
    /// // `due` was an `Int` of milliseconds and is now a `Date?`.
    /// ModelSchema().converting(\.due) { old in
    ///     if case .integer(let number) = old { .real(Double(number) / 1000) } else { nil }
    /// }
    /// ```
    ///
    /// - Parameter convert: Returns the new value. If this closure throws, or returns a value that
    ///   the property can't read, the migration fails and the file stays unchanged.
    public func converting(
        _ column: PartialKeyPath<Record.Columns>,
        _ convert: @escaping @Sendable (SQLValue) throws -> SQLValue
    ) -> Self {
        var schema = self
        if let name = Self.name(of: column) { schema.conversions[name] = convert }
        return schema
    }

    /// Syncs the rows with other devices, once `AutoModelSync` is started for the database.
    ///
    /// Synced models have random identifiers. The transaction of a write also records it, so that
    /// no change is lost if the program ends before sending it.
    public func synced() -> Self {
        var schema = self
        schema.isSynced = true
        return schema
    }

    private func adding(
        _ columns: [PartialKeyPath<Record.Columns>], isUnique: Bool, _ condition: String?
    ) -> Self {
        var schema = self
        schema.indices.append(
            IndexDescription(
                terms: columns.compactMap { Self.name(of: $0) }.map(quoted), isUnique: isUnique,
                condition: condition))
        return schema
    }

    private static func name(of column: PartialKeyPath<Record.Columns>) -> String? {
        (Record.Columns()[keyPath: column] as? any NamedColumn)?.name
    }
}

typealias ValueConversion = @Sendable (SQLValue) throws -> SQLValue

/// A declared index.
struct IndexDescription: Sendable, Hashable {
    /// Quoted column names, or SQL expressions.
    let terms: [String]
    let isUnique: Bool
    let condition: String?
}

/// Returns a name as an SQL identifier, or a word as one term of a full-text search.
func quoted(_ name: String) -> String {
    "\"\(name.replacingOccurrences(of: "\"", with: "\"\""))\""
}
