/// Puts the values of a row into a statement, one after another. Used by what the macro makes.
public struct ColumnBinder {
    @usableFromInline let statement: ColumnStatement
    /// The columns to write; all where there is none.
    @usableFromInline let only: ColumnSet?
    @usableFromInline var position: Int32
    /// The column that failed.
    @usableFromInline var column = 0
    /// Where there are some, nothing is put anywhere: these are the objects that are referred to.
    @usableFromInline var pending: [any AutoObject]?

    init(_ statement: ColumnStatement, only: ColumnSet? = nil, from position: Int32) {
        self.statement = statement
        self.only = only
        self.position = position
    }

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

/// Takes the values of a row out of a statement. Used by what the macro makes.
public struct ColumnReader {
    @usableFromInline let statement: ColumnStatement
    @usableFromInline let first: Int32
    /// Columns that are left as they are; where there are some at all, values that are equal are
    /// too, and ``changed`` tells which were not.
    @usableFromInline let keeping: ColumnSet?
    @usableFromInline var changed = ColumnSet.empty
    @usableFromInline var column = 0

    init(_ statement: ColumnStatement, from first: Int32, keeping: ColumnSet? = nil) {
        self.statement = statement
        self.first = first
        self.keeping = keeping
    }

    @inlinable public mutating func read<Coding: ColumnCoding>(
        _ value: inout Coding.Value, _ column: Int, _ coding: Coding
    ) throws {
        self.column = column
        let index = first + Int32(column)
        if let keeping {
            guard !keeping.contains(column) else { return }
            guard try coding.sqlValue(value) != statement.value(index) else { return }
            changed.insert(column)
        }
        value = try coding.read(statement, index)
    }
}
