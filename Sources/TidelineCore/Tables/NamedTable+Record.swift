public import Tables

extension NamedTable {
    /// Returns a row for an export: its columns, and its rowid if the table has rowids. If another
    /// column is named `rowid`, uses the first alternative name of the rowid that is free.
    ///
    /// - Parameters:
    ///   - repeatsRowID: Whether to include the rowid as a separate value if a column contains it.
    ///   - links: For each many-to-many relationship of the row, the numbers of the objects to
    ///     which it leads.
    ///   - folder: The folder of a Core Data store's files, to add their sizes.
    public func record(
        _ key: RowKey?, _ values: [TableValue], repeatsRowID: Bool,
        links: [(name: String, targets: [Int64])] = [], in folder: ExternalFolder? = nil
    ) -> RowRecord {
        var members = zip(columns, values).map { $0.member($1, in: folder) }
        for link in links where !members.contains(where: { SQLName.areSame($0.name, link.name) }) {
            members.append(.init(link.name, .array(link.targets.map { .integer($0) })))
        }
        if let rowID = key?.rowID, let name = rowIDName(repeatsRowID: repeatsRowID) {
            members.insert(.init(name, .integer(rowID)), at: 0)
        }
        return RowRecord(members)
    }

    /// Returns the names of the values of ``record(_:_:repeatsRowID:links:in:)``, without links.
    public func recordNames(repeatsRowID: Bool) -> [String] {
        (rowIDName(repeatsRowID: repeatsRowID).map { [$0] } ?? []) + columns.map(\.name)
    }

    private func rowIDName(repeatsRowID: Bool) -> String? {
        guard schema.hasKeys, schema.rowID != nil else { return nil }
        let names = TableSchema.rowIDNames
        if let own = schema.rowIDColumn?.name {
            let isColumn = columns.contains { SQLName.areSame($0.schema.name, own) }
            if SQLName.areSame(own, names[0]) || isColumn && !repeatsRowID { return nil }
        }
        return names.first { name in !columns.contains { SQLName.areSame($0.name, name) } }
    }
}

extension NamedTable.Column {
    func member(_ value: TableValue, in folder: ExternalFolder? = nil) -> RowRecord.Member {
        RowRecord.Member(
            name, json(value, in: folder), stored: value, isComputed: !schema.isWritable)
    }
}
