/// Puts the values of a row into a statement, one after another. Used by what the macro makes.
public struct ColumnBinder {
    let statement: ColumnStatement
    /// The columns to write; all where there is none.
    let only: ColumnSet?
    var position: Int32
    /// The column that failed.
    var column = 0
    /// Where there are some, nothing is put anywhere: these are the objects that are referred to.
    var pending: [any AutoObject]?

    init(_ statement: ColumnStatement, only: ColumnSet? = nil, from position: Int32) {
        self.statement = statement
        self.only = only
        self.position = position
    }

    public mutating func bind<Coding: ColumnCoding>(
        _ value: Coding.Value, _ column: Int, _ coding: Coding
    ) throws {
        if let only, !only.contains(column) { return }
        if pending != nil {
            if let object = coding.reference(value)?.pending?.object { pending?.append(object) }
            return
        }
        self.column = column
        try coding.bind(value, statement, position)
        position += 1
    }
}

/// Takes the values of a row out of a statement. Used by what the macro makes.
public struct ColumnReader {
    let statement: ColumnStatement
    let first: Int32
    /// Columns that are left as they are; where there are some at all, values that are equal are
    /// too, and ``changed`` tells which were not.
    let keeping: ColumnSet?
    var changed = ColumnSet.empty
    var column = 0

    init(_ statement: ColumnStatement, from first: Int32, keeping: ColumnSet? = nil) {
        self.statement = statement
        self.first = first
        self.keeping = keeping
    }

    public mutating func read<Coding: ColumnCoding>(
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
