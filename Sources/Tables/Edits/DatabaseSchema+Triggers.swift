extension DatabaseSchema {
    /// Returns the tables in which triggers can delete or update rows when a row is changed, and
    /// in which no trigger reverses this when the change is undone.
    ///
    /// Examines the table's own triggers, but not the triggers that these cause to run.
    ///
    /// - Parameters:
    ///   - action: The change of the row.
    ///   - table: The table of the row.
    public func tablesNotRestored(
        afterUndoing action: TableChange.Action, on table: TableSchema
    ) -> [String] {
        func contains(_ names: [String], _ name: String) -> Bool {
            names.contains { SQLName.areSame($0, name) }
        }
        let triggers = table.triggers.map(TriggerWrites.init)
        let changing = triggers.filter { $0.event == action }
        let reversing = triggers.filter { $0.event == action.inverse }
        let inserted = reversing.flatMap(\.inserted)
        let updated = reversing.flatMap(\.updated)
        var names = changing.flatMap(\.deleted)
        if action == .delete {
            names += changing.flatMap(\.updated).filter { !contains(updated, $0) }
        }
        var found: [String] = []
        for name in names where !contains(inserted, name) && !contains(found, name) {
            if let target = self.table(name), target.kind == .table { found.append(target.name) }
        }
        return found
    }
}

/// The tables that a trigger writes.
private struct TriggerWrites {
    /// The change that runs the trigger.
    var event: TableChange.Action?
    var deleted: [String] = []
    var updated: [String] = []
    var inserted: [String] = []

    init(_ trigger: TriggerSchema) {
        let tokens = SQLMentions.tokens(of: trigger.sql)
        func keyword(_ index: Int) -> String {
            tokens.indices.contains(index) ? tokens[index].keyword : ""
        }
        func name(_ index: Int) -> [String] {
            tokens.indices.contains(index) ? [tokens[index].name].compactMap(\.self) : []
        }
        // The trigger itself can have one of these words as its name.
        let start = tokens.indices.first { index in
            ["DELETE", "INSERT", "UPDATE"].contains(keyword(index))
                && ["ON", "OF"].contains(keyword(index + 1))
        }
        guard let start else { return }
        event = TableChange.Action(rawValue: keyword(start).lowercased())
        for index in tokens.indices.dropFirst(start + 2) {
            switch keyword(index) {
            case "DELETE" where keyword(index + 1) == "FROM": deleted += name(index + 2)
            // `UPDATE OR IGNORE t`
            case "UPDATE": updated += name(keyword(index + 1) == "OR" ? index + 3 : index + 1)
            case "INTO": inserted += name(index + 1)
            default: break
            }
        }
    }
}

extension TableChange.Action {
    /// The change that undoes this one.
    fileprivate var inverse: Self {
        switch self {
        case .insert: .delete
        case .delete: .insert
        case .update: .update
        }
    }
}
