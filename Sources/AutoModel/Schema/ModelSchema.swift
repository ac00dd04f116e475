import Foundation

/// What a model says of its table beside its columns.
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

    /// Nothing beside the columns.
    public init() {}

    /// An index of one or several columns.
    ///
    /// - Parameter condition: A condition in SQL; rows for which it does not hold are left out.
    public func index(
        _ columns: PartialKeyPath<Record.Columns>..., where condition: String? = nil
    ) -> Self {
        adding(columns, isUnique: false, condition)
    }

    /// No two rows have the same values in these columns.
    ///
    /// - Parameter condition: A condition in SQL; rows for which it does not hold may.
    public func unique(
        _ columns: PartialKeyPath<Record.Columns>..., where condition: String? = nil
    ) -> Self {
        adding(columns, isUnique: true, condition)
    }

    /// An index of an expression in SQL, as `"lower(name)"`.
    public func index(
        expression: String, isUnique: Bool = false, where condition: String? = nil
    ) -> Self {
        var schema = self
        schema.indices.append(
            IndexDescription(terms: [expression], isUnique: isUnique, condition: condition))
        return schema
    }

    /// Columns that are no longer declared and may be dropped with the values in them.
    public func removed(_ columns: String...) -> Self {
        var schema = self
        schema.removals.formUnion(columns.map { $0.lowercased() })
        return schema
    }

    /// How the values of a column become those of another type, or `NULL` one that must not be it.
    ///
    /// It is asked for the values for which there is no way without loss, and takes the value as it is
    /// stored.
    ///
    /// - Parameter convert: What it throws ends the migration, and the file stays as it was.
    public func converting(
        _ column: PartialKeyPath<Record.Columns>,
        _ convert: @escaping @Sendable (SQLValue) throws -> SQLValue
    ) -> Self {
        var schema = self
        if let name = Self.name(of: column) { schema.conversions[name] = convert }
        return schema
    }

    /// The rows travel to other devices, once the module AutoModelSync is told where.
    ///
    /// The model has random identifiers. What is written is noted in the file with the row, so that
    /// nothing is lost where the program ends before it was sent.
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

/// An index as it is declared.
struct IndexDescription: Sendable, Hashable {
    /// Quoted columns, or expressions.
    let terms: [String]
    let isUnique: Bool
    let condition: String?
}

/// A name as it is written in SQL.
func quoted(_ name: String) -> String {
    "\"\(name.replacingOccurrences(of: "\"", with: "\"\""))\""
}
