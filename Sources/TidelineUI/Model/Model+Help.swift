import TidelineCore

/// A line of the help: the heading of a group, or keys and what they do.
enum HelpLine: Hashable, Sendable {
    case heading(String)
    case keys(String, title: String, reason: String?)
}

extension Model {
    /// The help, made from the actions and the keys that they have at this moment.
    func helpLines(filter: String) -> [HelpLine] {
        var lines: [HelpLine] = []
        for group in Action.Group.allCases {
            let entries = Action.all.filter { $0.group == group }.compactMap { action in
                helpLine(for: action)
            }.filter { filter.isEmpty || $0.contains(filter) }
            if entries.isEmpty { continue }
            lines.append(.heading(group.rawValue))
            for entry in entries {
                // Actions with the same title share one line.
                if case .keys(let more, let title, let reason) = entry,
                    case .keys(let keys, title, reason)? = lines.last
                {
                    lines[lines.count - 1] = .keys(
                        keys + " " + more, title: title, reason: reason)
                } else {
                    lines.append(entry)
                }
            }
        }
        let texts = Self.textHelp.filter { filter.isEmpty || $0.contains(filter) }
        if !texts.isEmpty { lines += [.heading("In fields and dialogues")] + texts }
        let fields = (list?.source.filterFields ?? []).map {
            HelpLine.keys($0.name + ":", title: "for example \($0.example)", reason: nil)
        }.filter { filter.isEmpty || $0.contains(filter) }
        if !fields.isEmpty { lines += [.heading("Words of a filter here")] + fields }
        return lines
    }

    private func helpLine(for action: Action) -> HelpLine? {
        var keys = keymap.keys(for: action.name).map { KeyNotation.text(for: $0) }
        if let argument = action.argument { keys.append(":\(action.name) \(argument)") }
        guard !keys.isEmpty else { return nil }
        return .keys(
            keys.joined(separator: " "), title: action.title,
            reason: availability(of: action).reason)
    }

    private static let textHelp: [HelpLine] = [
        .keys("Enter", title: "accept", reason: nil),
        .keys("Esc", title: "leave as it was", reason: nil),
        .keys("↑ ↓", title: "earlier filters and searches", reason: nil),
        .keys(
            "^a ^e ^w ^u ^k", title: "to the ends; erase a word, to the start, to the end",
            reason: nil),
        .keys("Tab ^t", title: "another type of value", reason: nil),
        .keys("y", title: "confirm a change; for many, type their number", reason: nil),
        .keys("1-9 m", title: "in a conflict: take a side, merge in $EDITOR", reason: nil),
        .keys("M-1 … M-9", title: "begin a count: M-2 0 j goes down 20", reason: nil),
        .keys("click wheel", title: "select, sort, open on a double click; scroll", reason: nil),
    ]

    /// Keys and what they do, for the foot of the screen, most useful first.
    var hints: [(key: String, title: String)] {
        switch overlay {
        case nil: break
        case .prompt: return [("Enter", "accept"), ("Esc", "leave"), ("↑", "earlier")]
        case .palette: return [("Enter", "do"), ("Tab", "complete"), ("Esc", "close")]
        case .menu: return [("Enter", "choose"), ("1-9", "choose"), ("Esc", "close")]
        case .help: return [("/", "find"), ("j k", "scroll"), ("Esc", "close")]
        case .field(let editor):
            var hints = [("Enter", "preview"), ("Esc", "drop")]
            if case .add = editor.purpose { hints.append(("Tab", "name/value")) }
            if !editor.kinds.isEmpty { hints.append(("^t", "type")) }
            return hints
        case .preview(let review):
            if review.pending != nil { return [] }
            if review.stage == .device { return [("y", "write as this device"), ("Esc", "drop")] }
            return review.needsCount
                ? [("\(review.rowCount) Enter", "write"), ("Esc", "drop")]
                : [("y", "write"), ("Esc", "drop")]
        case .moved(let moved):
            return moved.after == nil
                ? [("Esc", "drop")] : [("p", "preview on theirs"), ("Esc", "drop")]
        case .conflict:
            guard lockedBecause == nil else { return [("Esc", "close")] }
            guard isWritable else {
                return [(keymap.hint(for: "unlock"), "unlock"), ("Esc", "close")]
            }
            return [("1-9", "take"), ("m", "merge in $EDITOR"), ("Esc", "close")]
        case .reopen: return [("Enter", "edit again"), ("Esc", "drop")]
        case .journal: return [("j k", "move"), ("z", "take back"), ("Esc", "close")]
        case .quit: return [("y", "leave"), ("any", "stay")]
        }
        let names: [String] =
            if time != nil {
                ["step-back", "step-forward", "now", "mark-a", "mark-b", "compare", "help"]
            } else {
                switch focus {
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
            if name == "edit" {
                // Only where a key could do something.
                guard lockedBecause == nil, list?.source.edits.isEmpty == false else { return nil }
                if !isWritable { return (keymap.hint(for: "unlock"), "unlock") }
                if list?.source.edits[.set] == nil { return nil }
            }
            return (key, Self.shortTitles[name] ?? name)
        }
    }

    private static let shortTitles = [
        "step-back": "step", "step-forward": "step", "next-conflict": "next≠", "mark-a": "mark",
        "mark-b": "mark", "enter": "open", "next-region": "focus", "help": "keys",
    ]
}

extension HelpLine {
    fileprivate func contains(_ text: String) -> Bool {
        guard case .keys(let keys, let title, _) = self else { return false }
        return keys.contains(text) || title.lowercased().contains(text.lowercased())
    }
}
