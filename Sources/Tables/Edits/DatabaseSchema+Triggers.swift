extension DatabaseSchema {
    /// Returns the tables in which triggers can delete or update rows when a row is changed, and
    /// in which no trigger reverses this when the change is undone.
    ///
    /// Also examines the triggers and foreign keys that the triggers' own writes activate.
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
        let changing = triggerWrites(after: action, on: table)
        let reversing = triggerWrites(after: action.inverse, on: table)
        var names = changing.deleted
        // Undoing an update runs the same triggers again. Undoing an insertion deletes the row
        // itself, which triggers often update.
        if action != .update {
            names += changing.updated.filter { name in
                !contains(reversing.updated, name)
                    && (action == .delete || !SQLName.areSame(name, table.name))
            }
        }
        var found: [String] = []
        for name in names where !contains(reversing.inserted, name) {
            guard let target = self.table(name), target.kind == .table,
                !contains(found, target.name)
            else { continue }
            found.append(target.name)
        }
        return found
    }

    /// Returns the tables that triggers can write when a row is changed.
    private func triggerWrites(
        after action: TableChange.Action, on table: TableSchema
    ) -> TriggerWrites {
        var all = TriggerWrites()
        var waiting = [(action, table)]
        var seen: Set<String> = []
        while let (action, table) = waiting.popLast() {
            guard seen.insert("\(action) \(table.name)").inserted else { continue }
            var writes = TriggerWrites()
            for trigger in table.triggers { writes.add(trigger, for: action) }
            // The caller knows the foreign keys to the first table.
            if action == .delete, seen.count > 1 {
                for foreign in references(to: table) {
                    switch foreign.onDelete {
                    case "CASCADE": writes.deleted.append(foreign.table)
                    case "SET NULL", "SET DEFAULT": writes.updated.append(foreign.table)
                    default: break
                    }
                }
            }
            writes.deleted += writes.inserted.filter {
                self.table($0)?.hasReplacingConstraint ?? false
            }
            let events: [(TableChange.Action, [String])] = [
                (.delete, writes.deleted), (.update, writes.updated), (.insert, writes.inserted),
            ]
            for (action, names) in events {
                for name in names {
                    if let target = self.table(name) { waiting.append((action, target)) }
                }
            }
            all.deleted += writes.deleted
            all.updated += writes.updated
            all.inserted += writes.inserted
        }
        return all
    }
}

/// The tables that triggers write.
private struct TriggerWrites {
    /// The tables in which rows are deleted, also because `REPLACE` deletes them.
    var deleted: [String] = []
    var updated: [String] = []
    var inserted: [String] = []

    /// Adds the tables that a trigger writes, if the trigger runs for `action`.
    mutating func add(_ trigger: TriggerSchema, for action: TableChange.Action) {
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
        guard let start,
            TableChange.Action(rawValue: keyword(start).lowercased()) == action
        else { return }
        for index in tokens.indices.dropFirst(start + 2) {
            switch keyword(index) {
            case "DELETE" where keyword(index + 1) == "FROM": deleted += name(index + 2)
            // `ON CONFLICT (id) DO UPDATE SET …`
            case "UPDATE" where keyword(index - 1) == "DO": updated += inserted.suffix(1)
            case "UPDATE":
                // `UPDATE OR IGNORE t`
                let target = name(keyword(index + 1) == "OR" ? index + 3 : index + 1)
                updated += target
                if keyword(index + 2) == "REPLACE" { deleted += target }
            case "INTO":
                inserted += name(index + 1)
                if keyword(index - 1) == "REPLACE" { deleted += name(index + 1) }
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

extension TableSchema {
    /// Whether a constraint is declared with `ON CONFLICT REPLACE`.
    fileprivate var hasReplacingConstraint: Bool {
        guard mayReplaceRows, let sql else { return false }
        let words = SQLMentions.tokens(of: sql).map(\.keyword)
        return zip(words, words.dropFirst()).contains { $0 == "CONFLICT" && $1 == "REPLACE" }
    }
}
