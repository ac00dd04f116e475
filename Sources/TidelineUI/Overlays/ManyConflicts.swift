import Replication
import TidelineCore

/// Several conflicts, to be resolved in the same way.
struct ManyConflicts: OverlayModule {
    /// A way to resolve the conflicts, and the edits that it would make.
    struct Choice: Hashable, Sendable {
        var way: ResolutionWay
        var edits: [Edit]
    }

    var source: SourceID
    var rows: [ConflictedRow]
    /// All ways that resolve at least one conflict, and automatic merging in any case.
    var choices: [Choice]
    /// The rules that are left out, with the reasons.
    let problems: [String]
    var cursor = 0

    /// Creates the dialog.
    ///
    /// - Parameters:
    ///   - devices: The devices of the store. Other authors can also have conflicting values.
    ///   - name: Returns the shown name of an author.
    init(
        source: SourceID, rows: [ConflictedRow], rules: [ResolutionRule] = [],
        devices: [DeviceID] = [], name: (Author) -> String = \.name
    ) {
        self.source = source
        self.rows = rows
        var authors: [Author: Int] = [:]
        for row in rows {
            let sides = row.conflicts.flatMap(\.sides)
            for author in Set(sides.map(\.author)) { authors[author, default: 0] += 1 }
        }
        let sides = authors.sorted { ($1.value, $0.key.name) < ($0.value, $1.key.name) }
            .map { ResolutionWay.author($0.key) }
        let rules = StoreRules(rules, for: rows, devices: devices, name: name)
        problems = rules.problems
        let byRules = rules.rules.isEmpty ? [] : [ResolutionWay.rules(rules.rules)]
        choices = (byRules + [.newest, .merge] + sides).map { way in
            Choice(way: way, edits: rows.compactMap { $0.edit(by: way) })
        }
        cursor = choices.firstIndex { !$0.edits.isEmpty } ?? 0
    }

    static let group = Action.Group("Resolving multiple conflicts")
    static let whyNotOpen = "no conflicts are being resolved"
    /// The user can unlock writing while this dialog is open.
    static let passes = ["unlock"]
    var choiceCount: Int { choices.count }

    static let actions: [OverlayAction<Self>] =
        [
            action("many-choose", "Preview the selected resolution", ["Enter"]) {
                $0.resolve(by: $0.cursor, in: $1)
            },
            action("many-close", "Close", ["Esc", "q", "Backspace"]) { _, _ in [.close()] },
            change("many-next", "Next", ["j", "Down"]) { many, _ in many.select(many.cursor + 1) },
            change("many-previous", "Previous", ["k", "Up"]) { many, _ in
                many.select(many.cursor - 1)
            },
        ]
        + (1...9).map { number in
            action("many-choose-\(number)", "Preview by number", ["\(number)"]) { many, context in
                many.choices.indices.contains(number - 1)
                    ? many.resolve(by: number - 1, in: context)
                    : [.none(of: many.choices.count)]
            }
        }

    private func resolve(by index: Int, in context: ScreenContext) -> [ScreenOutcome] {
        guard choices.indices.contains(index) else { return [] }
        if let reason = context.refusal(.resolve) {
            return [.notice(.warning, "Resolve: \(reason)")]
        }
        let choice = choices[index]
        guard choice.edits.isEmpty else { return [.preview(source, choice.edits)] }
        let hasRules = if case .rules = choice.way { true } else { false }
        return [
            .notice(
                .warning,
                hasRules
                    ? "no rule applies to any of these conflicts"
                    : "none of these conflicts can be merged: the changes overlap")
        ]
    }

    private mutating func select(_ index: Int) {
        cursor = max(0, min(index, choices.count - 1))
    }

    func hints(in context: ScreenContext) -> [Hint] {
        let close = context.keymap.hint("many-close", title: "close")
        guard context.writing.isWritable, context.lockedBecause == nil else {
            let canUnlock = context.lockedBecause == nil && context.whyNotThere == nil
            let unlock = canUnlock ? context.keymap.hint("unlock", title: "unlock") : nil
            return [unlock, close].compactMap(\.self)
        }
        return [
            context.keymap.hint("many-choose", numbersUpTo: choices.count, title: "preview"),
            close,
        ].compactMap(\.self)
    }

    func draw(on canvas: inout Canvas) {
        let context = canvas.context
        let total = Counted.grouped(rows.count)
        var lines = choices.enumerated().map { index, choice in
            let key =
                index < 9 ? context.keymap.hint(for: "many-choose-\(index + 1)") : ""
            let count = Counted.grouped(choice.edits.count)
            let padding = String(repeating: " ", count: max(0, total.count - count.count))
            let (text, role): (String, Role) =
                switch choice.way {
                case .rules: ("apply the rules of the settings", .plain)
                case .newest: ("keep the newest value", .plain)
                case .merge: ("merge automatically (no overlap)", .plain)
                case .author(let author):
                    ("keep \(canvas.name(of: author))'s value", canvas.role(of: author))
                }
            return TextLine(
                [
                    (key.isEmpty ? "  " : key + " ", .keyName),
                    ("\(padding)\(count) of \(total)  ", choice.edits.isEmpty ? .dim : .label),
                    (text, choice.edits.isEmpty ? .disabled : role),
                ], isSelected: index == cursor)
        }
        lines.append(TextLine(""))
        lines += left(on: canvas)
        let top = max(0, cursor - canvas.surface.size.rows / 2)
        let question =
            if let reason = context.refusal(.resolve) {
                canvas.sentence("", "Can't resolve: \(reason)", .disabled)
            } else {
                canvas.sentence(
                    "", "Preview first, then \(confirmation(by: context.keymap))", .keyAction)
            }
        let sign = canvas.mark(.conflict, or: "≠")
        let title = rows.count == 1 ? "1 row in conflict" : "\(total) rows in conflict"
        let foot = problems.flatMap { canvas.sentence("! ", $0, .warning) }
        canvas.drawLines(
            lines, over: foot + question, title: "\(sign) \(title)",
            scrolled: Scrolled(lines: top))
    }

    /// Returns the prompt to confirm the resolution by the row count or, for one row, by a key.
    private func confirmation(by keymap: Keymap) -> String {
        let rows = choices.indices.contains(cursor) ? choices[cursor].edits.count : 0
        return rows == 1
            ? "\(keymap.hint(for: "preview-yes")) to write" : "type the row count to confirm"
    }

    /// Returns the conflicts that the selected choice resolves, and those that remain.
    private func left(on canvas: Canvas) -> [TextLine] {
        guard choices.indices.contains(cursor) else { return [] }
        let way = choices[cursor].way
        var ended = Names()
        var left = Names()
        for row in rows {
            for conflict in row.conflicts {
                if conflict.resolution(by: way, ofRow: row.name) != nil {
                    ended.add(row, conflict)
                } else {
                    left.add(row, conflict)
                }
            }
        }
        return ended.lines("this resolves", .key, on: canvas)
            + left.lines("remains in conflict", .dim, on: canvas)
    }

    /// The names of the first conflicts, and the number of all conflicts.
    private struct Names {
        private var first: [String] = []
        private var count = 0

        mutating func add(_ row: ConflictedRow, _ conflict: RowConflict) {
            count += 1
            guard first.count < 20 else { return }
            first.append(conflict.title(ofRow: row.name))
        }

        func lines(_ title: String, _ role: Role, on canvas: Canvas) -> [TextLine] {
            guard count > 0 else { return [] }
            let left = count - first.count
            let more = left > 0 ? ["and \(Counted.grouped(left)) more"] : []
            return [TextLine(title, .label)]
                + canvas.listed(first.map { canvas.theme.text($0) } + more, role)
        }
    }
}
