extension NamedTable {
    /// A new value for a column of a row. An object of Core Data counts its saves; bytes that it may
    /// keep in a file are written into the row.
    ///
    /// - Parameter old: What is expected to be there.
    public func update(
        _ key: RowKey, _ column: Column, from old: TableValue, to new: TableValue
    ) -> TableChange {
        let name = column.schema.name
        var new = new
        if column.isExternalBinary, case .blob(let data) = new {
            new = .blob(ExternalBinary.stored(data))
        }
        var change = TableChange.update(
            schema.name, key, [.init(name, new)], expecting: [.init(name, old)])
        change.countsSaves = entity != nil && schema.column("Z_OPT") != nil
        return change
    }

    /// A new row.
    ///
    /// - Throws: ``TablesError``, `.readOnly`, for an entity, whose objects only its own program
    ///   can number.
    public func insert(_ cells: [TableChange.Cell]) throws(TablesError) -> TableChange {
        try requirePlain("added to")
        return .insert(schema.name, cells)
    }

    /// A row less.
    ///
    /// - Parameter expected: What it is expected to hold.
    /// - Throws: As ``insert(_:)``.
    public func delete(
        _ key: RowKey, expecting expected: [TableChange.Cell] = []
    ) throws(TablesError) -> TableChange {
        try requirePlain("deleted from")
        return .delete(schema.name, key, expecting: expected)
    }

    private func requirePlain(_ word: String) throws(TablesError) {
        guard entity == nil else {
            throw TablesError(
                .readOnly,
                "an entity of Core Data is not \(word): its relationships and history would not follow",
                wayOut: "Its table can be written as a table: tideline tables … --raw")
        }
    }
}
