import Replication

extension NamedTable {
    /// Returns a change that updates a column of a row. For a Core Data object, the change also
    /// increments the save count. External binary data is written into the row.
    ///
    /// - Parameter old: The value that the column is expected to have.
    public func update(
        _ key: RowKey, _ column: Column, from old: TableValue, to new: TableValue
    ) -> TableChange {
        let name = column.schema.name
        var new = new
        if column.isExternalBinary, case .blob(let data) = new {
            new = .blob(ExternalBinary.stored(data))
        }
        return update(key, [.init(name, new)], expecting: [.init(name, old)])
    }

    /// Returns a change that writes values into columns of a row, in the form that the file stores.
    /// For a Core Data object, the change also increments the save count.
    ///
    /// - Parameter expected: The values that the row is expected to have.
    public func update(
        _ key: RowKey, _ cells: [TableChange.Cell], expecting expected: [TableChange.Cell]
    ) -> TableChange {
        var change = TableChange.update(schema.name, key, cells, expecting: expected)
        change.countsSaves = entity != nil && schema.column("Z_OPT") != nil
        return change
    }

    /// Returns a change that inserts a row.
    ///
    /// - Parameter key: The key that the row will have; `nil` to let the database assign one.
    /// - Throws: ``TablesError``, `.readOnly`, for an entity, because only the program that owns
    ///   the store can number its objects.
    public func insert(
        _ cells: [TableChange.Cell], key: RowKey? = nil
    ) throws(TablesError) -> TableChange {
        try requirePlain("added")
        return .insert(schema.name, cells, key: key)
    }

    /// Returns a change that deletes a row.
    ///
    /// - Parameter expected: The values that the row is expected to have.
    /// - Throws: As ``insert(_:key:)``.
    public func delete(
        _ key: RowKey, expecting expected: [TableChange.Cell] = []
    ) throws(TablesError) -> TableChange {
        try requirePlain("deleted")
        return .delete(schema.name, key, expecting: expected)
    }

    private func requirePlain(_ word: String) throws(TablesError) {
        guard entity == nil else {
            throw TablesError(
                .readOnly,
                "objects of Core Data can't be \(word) here: their relationships and history "
                    + "would be wrong",
                suggestion: Suggestion("write to the entity's table instead", .writeToTable))
        }
    }
}
