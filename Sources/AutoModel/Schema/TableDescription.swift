/// What a column has beside its values.
public enum ColumnOption: Sendable {
    /// An index.
    case indexed
    /// No two rows have the same value; `NULL` is not the same as `NULL`.
    case unique
    /// Its words are found by `search`.
    case fullText
}

/// A column as it is declared.
struct ColumnDescription: Sendable {
    let name: String
    let type: ColumnType
    let isNullable: Bool
    /// `nil` where each new object has another.
    var defaultValue: SQLValue?
    let isLiteral: Bool
    let options: [ColumnOption]
    let formerNames: [String]
    let reference: ReferenceTarget?
    /// The type of the property.
    var valueType: Any.Type = Int64.self
    /// Whether a stored value is one of the property's.
    var fits: @Sendable (SQLValue) -> Bool = { _ in true }
}

/// The columns of a model, gathered from a new object. Used by what the macro makes.
public struct TableDescription {
    private(set) var columns: [ColumnDescription] = []
    private(set) var problem: AutoModelError?

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
                .unfitValue, "the default of the column '\(name)' cannot be kept: \(error)",
                cause: error)
        }
    }
}
