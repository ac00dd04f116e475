/// The columns of a left-joined table, by property name. All values are optional, because the
/// joined row may be missing.
@dynamicMemberLookup
public struct LeftJoinedColumns<Record: AutoRecord>: Sendable {
    let columns: Record.Columns

    /// The column of a property.
    public subscript<Value>(
        dynamicMember path: KeyPath<Record.Columns, ModelColumn<Record, Value>>
    ) -> RowExpression<Value?> {
        let column = columns[keyPath: path]
        return RowExpression(column.sql, [], column.coder.optional)
    }

    /// The column of an optional property.
    public subscript<Value>(
        dynamicMember path: KeyPath<Record.Columns, ModelColumn<Record, Value?>>
    ) -> RowExpression<Value?> { columns[keyPath: path]._$expression }

    /// The column of a reference.
    public subscript<Target>(
        dynamicMember path: KeyPath<Record.Columns, ModelColumn<Record, Reference<Target>>>
    ) -> RowExpression<Reference<Target>> { columns[keyPath: path]._$expression }
}

extension ValueCoder {
    fileprivate var optional: ValueCoder<Value?> {
        ValueCoder<Value?>(
            encode: { try $0.map(encode) ?? .null },
            decode: { $0.isNull ? nil : try decode($0) })
    }
}
