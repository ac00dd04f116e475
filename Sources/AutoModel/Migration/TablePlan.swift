import GRDB

/// The steps that migrate a table to its declaration.
struct TablePlan {
    let layout: TableLayout
    let stored: StoredTable?
    /// Renamed columns, with their names in the file and in the declaration.
    private(set) var renamed: [(from: String, to: String)] = []
    private(set) var added: [Int] = []
    /// Columns in the file that aren't declared.
    private(set) var dropped: [String] = []
    /// Declared columns, by number, whose values have a new type.
    private(set) var retyped: [Int] = []
    /// Declared columns, by number, that were optional in the file and now require a value.
    private(set) var emptied: [Int] = []
    private(set) var rewrites = false
    let indices: IndexPlan
    let search: SearchPlan
    let sync: SyncPlan
    let types: TypeNotes

    init(_ layout: TableLayout, stored: StoredTable?, _ db: Database) throws {
        self.layout = layout
        self.stored = stored
        indices = try IndexPlan(layout, stored: stored?.name, db)
        search = try SearchPlan(layout, stored: stored?.name, db)
        sync = try SyncPlan(layout, stored: stored?.name, db)
        types = try TypeNotes(layout, stored: stored?.name, db)
        guard let stored else { return }
        guard stored.hasOwnID else {
            throw AutoModelError(
                .declaration,
                "the table '\(stored.name)' in the file doesn't belong to a model, because its key "
                    + "isn't an integer 'id'; rename the model with '@AutoModel(\"…\")'")
        }
        compare(stored)
    }

    private mutating func compare(_ stored: StoredTable) {
        let declared = Set(layout.columns.map { $0.name.lowercased() })
        var used: Set<String> = ["id"]
        for (index, column) in layout.columns.enumerated() {
            var found = stored.column(column.name)
            if found == nil {
                // If several former names match, the latest name takes precedence.
                found =
                    column.formerNames.reversed().lazy
                    .filter {
                        !declared.contains($0.lowercased()) && !used.contains($0.lowercased())
                    }
                    .compactMap(stored.column).first
                if let found { renamed.append((found.name, column.name)) }
            }
            guard let found else {
                added.append(index)
                // `ADD COLUMN` gives every row the same value.
                if !column.isNullable, column.defaultText == nil { rewrites = true }
                continue
            }
            used.insert(found.name.lowercased())
            if !column.isSame(as: found) { rewrites = true }
            if types.hasChanged(column, stored: found.name) {
                rewrites = true
                retyped.append(index)
            } else if found.type.uppercased() != column.type.rawValue {
                retyped.append(index)
            }
            if found.isNullable, !column.isNullable { emptied.append(index) }
        }
        dropped = stored.columns.map(\.name).filter { !used.contains($0.lowercased()) }
        if !dropped.isEmpty || stored.isAscending != (layout.ids == .ascending) { rewrites = true }
    }

    /// Whether the table is renamed.
    var movesName: Bool { stored.map { $0.name.lowercased() != layout.name.lowercased() } ?? false }

    var changesTable: Bool {
        stored == nil || movesName || rewrites || !renamed.isEmpty || !added.isEmpty
    }
    /// Whether the table stays unchanged. The recorded types may still change.
    var leavesTable: Bool {
        !changesTable && indices.isEmpty && search.isEmpty && sync.isEmpty
    }
    var isEmpty: Bool { leavesTable && types.isEmpty }
}
