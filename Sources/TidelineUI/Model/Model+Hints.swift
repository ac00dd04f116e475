import TidelineCore

extension Model {
    /// Keys and what they do, for the foot of the screen, most useful first.
    var hints: [Hint] {
        if let overlay { return overlay.module.hints(in: self) }
        let names: [String] =
            if time != nil {
                ["step-back", "step-forward", "now", "mark-a", "mark-b", "compare", "help"]
            } else {
                switch focus {
                case .list where list?.source.rowsAreStores == true:
                    ["enter", "filter", "search", "sort", "help"]
                case .list where list?.selectedRow?.isConflict == true:
                    ["enter", "filter", "edit", "next-conflict", "time", "follow", "help"]
                case .list: ["filter", "search", "edit", "next-conflict", "time", "follow", "help"]
                case .inspector: ["enter", "edit", "copy", "back", "help"]
                case .events, .sidebar: ["enter", "back", "next-region", "help"]
                }
            }
        return names.compactMap { name in
            let key = keymap.hint(for: name)
            guard !key.isEmpty else { return nil }
            if name == "next-conflict", let action = Action.named(name),
                availability(of: action).reason != nil
            {
                return nil
            }
            if name == "edit" {
                // Only where a key could do something.
                guard lockedBecause == nil, list?.source.edits.isEmpty == false else { return nil }
                if !isWritable {
                    return Hint(keys: keymap.hint(for: "unlock"), title: "unlock")
                }
                if list?.source.edits[.set] == nil { return nil }
            }
            return Hint(keys: key, title: Self.shortTitles[name] ?? name)
        }
    }

    private static let shortTitles = [
        "step-back": "step", "step-forward": "step", "next-conflict": "next≠", "mark-a": "mark",
        "mark-b": "mark", "enter": "open", "next-region": "focus", "help": "keys",
    ]
}
