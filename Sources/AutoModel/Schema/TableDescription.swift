/// An index or constraint of a column.
public enum ColumnOption: Sendable {
    /// Adds an index.
    case indexed
    /// Requires unique values. Several rows may have `NULL`.
    case unique
    /// Adds the column's words to the full-text index for `search`.
    case fullText
}

/// A declared column.
struct ColumnDescription: Sendable {
    let name: String
    let type: ColumnType
    let isNullable: Bool
    /// The value of new rows; `nil` if it differs between new objects.
    var defaultValue: SQLValue?
    let isLiteral: Bool
    let options: [ColumnOption]
    let formerNames: [String]
    let reference: ReferenceTarget?
    /// The type of the property.
    var valueType: Any.Type = Int64.self
    /// Whether the property can read a stored value.
    var fits: @Sendable (SQLValue) -> Bool = { _ in true }
}

/// The columns of a model, collected from a new object. For code that the macro generates.
public struct TableDescription {
    private(set) var columns: [ColumnDescription] = []
    private(set) var problem: AutoModelError?

    /// Adds a column.
    public mutating func column<Coding: ColumnCoding>(
        _ name: String, default value: Coding.Value, _ coding: Coding, isLiteral: Bool = true,
        options: [ColumnOption] = [], formerly: [String] = []
    ) {
        do {
            columns.append(
                ColumnDescription(
                    name: name, type: coding.type, isNullable: coding.isNullable,
                    defaultValue: try coding.sqlValue(value), isLiteral: isLiteral,
                    options: options, formerNames: formerly,
                    reference: coding.reference(value), valueType: Coding.Value.self,
                    fits: { (try? coding.value($0)) != nil }))
        } catch {
            problem = AutoModelError(
                .invalidValue, "the default of the column '\(name)' can't be stored: \(error)",
                cause: error)
        }
    }
}
