/// A value that binds the values of a row to a statement, one after another. For code that the
/// macro generates.
public struct ColumnBinder {
    @usableFromInline let statement: ColumnStatement
    /// The columns to write; `nil` for all.
    @usableFromInline let only: ColumnSet?
    @usableFromInline var position: Int32
    /// The column being bound. After an error, the column that failed.
    @usableFromInline var column = 0
    /// The referenced objects; `nil` if the binder binds values instead of collecting references.
    @usableFromInline var pending: [any AutoObject]?

    init(_ statement: ColumnStatement, only: ColumnSet? = nil, from position: Int32) {
        self.statement = statement
        self.only = only
        self.position = position
    }

    /// Binds the value of a column.
    @inlinable public mutating func bind<Coding: ColumnCoding>(
        _ value: Coding.Value, _ column: Int, _ coding: Coding
    ) throws {
        if let only, !only.contains(column) { return }
        if pending != nil {
            if let target = coding.reference(value) { note(target) }
            return
        }
        self.column = column
        try coding.bind(value, statement, position)
        position += 1
    }

    @usableFromInline mutating func note(_ target: ReferenceTarget) {
        if let object = target.pending?.object { pending?.append(object) }
    }
}

/// A value that reads a row's columns from a statement. For code that the macro generates.
public struct ColumnReader {
    @usableFromInline let statement: ColumnStatement
    /// The columns that keep their values. If set, the reader compares the other columns, and
    /// collects those with new values in ``changed``. If `nil`, it reads all columns.
    @usableFromInline let keeping: ColumnSet?
    @usableFromInline var changed = ColumnSet.empty
    @usableFromInline var column = 0

    init(_ statement: ColumnStatement, keeping: ColumnSet? = nil) {
        self.statement = statement
        self.keeping = keeping
    }

    /// Reads the value of a column.
    @inlinable public mutating func read<Coding: ColumnCoding>(
        _ value: inout Coding.Value, _ column: Int, _ coding: Coding
    ) throws {
        self.column = column
        // The identifier precedes the columns.
        let index = 1 + Int32(column)
        if let keeping {
            guard !keeping.contains(column) else { return }
            guard try coding.sqlValue(value) != statement.value(index) else { return }
            changed.insert(column)
        }
        value = try coding.read(statement, index)
    }
}
