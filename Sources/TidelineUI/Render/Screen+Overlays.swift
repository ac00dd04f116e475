import Replication
import TidelineCore

extension Screen {
    mutating func drawOverlay() {
        defer {
            // A dialog has one background, whatever the roles of its texts are.
            if let dialog { surface.underlay(dialog, theme[.menu].background) }
        }
        switch model.overlay {
        case nil, .prompt: break
        case .palette(let palette): draw(palette)
        case .menu(let menu): draw(menu)
        case .help(let help): draw(help)
        case .field(let editor): draw(editor)
        case .preview(let review): draw(review)
        case .moved(let moved): draw(moved)
        case .conflict(let view): draw(view)
        case .reopen(let reopening):
            drawLines(
                [
                    TextLine("! \(reopening.problem)", .error),
                    TextLine("The text is kept. Enter edits it again, Esc drops it."),
                ], title: "Not valid as \(reopening.job.kind.rawValue)")
        case .journal(let cursor): drawJournal(cursor)
        case .quit(_, let reason, _):
            drawLines(
                [TextLine("\(reason)."), TextLine("y leaves anyway, any other key stays.")],
                title: "Leave?")
        }
    }

    private mutating func draw(_ menu: Menu) {
        let rect = OverlayFrame.menu(menu, size: surface.size)
        let inner = drawFrame(rect, title: menu.title)
        let first = OverlayFrame.firstItem(of: menu, in: rect)
        if menu.items.isEmpty {
            surface.put("nothing to choose", in: inner, style: theme[.dim], alignment: .leading)
        }
        for (row, item) in menu.items.dropFirst(first).prefix(inner.rows).enumerated() {
            let number = first + row + 1
            let line = Rect(
                column: inner.column, row: inner.row + row, columns: inner.columns, rows: 1)
            let reason = item.availability.reason
            put(
                [
                    (number <= 9 ? " \(number) " : "   ", .keyName),
                    (item.title, reason == nil ? .plain : .disabled),
                    ("  ", .plain), (reason ?? item.hint, .dim),
                ], at: line.origin, maxWidth: line.columns)
            if first + row == menu.cursor { surface.bar(line, theme[.menuSelection]) }
        }
        drawMore(first: first, shown: inner.rows, of: menu.items.count, in: rect)
    }

    private mutating func draw(_ palette: CommandPalette) {
        let size = surface.size
        let matches = model.paletteMatches(for: palette.field.text)
        let rect = OverlayFrame.centered(
            columns: min(76, size.columns - 2), rows: min(16, matches.count + 1), size: size)
        let inner = drawFrame(rect, title: "Do")
        surface.put(":", at: inner.origin, style: theme[.prompt])
        draw(
            palette.field,
            in: Rect(
                column: inner.column + 1, row: inner.row, columns: inner.columns - 1, rows: 1),
            isActive: true)
        let rows = inner.rows - 1
        guard rows > 0 else { return }
        let first = max(0, palette.cursor - rows + 1)
        for (row, match) in matches.dropFirst(first).prefix(rows).enumerated() {
            let line = Rect(
                column: inner.column, row: inner.row + 1 + row, columns: inner.columns, rows: 1)
            let action = match.action
            let reason = model.availability(of: action).reason
            let name = action.name + (action.argument.map { " \($0)" } ?? "")
            let nameWidth = min(22, line.columns / 2)
            put(
                [(" " + name, reason == nil ? .label : .disabled)], at: line.origin,
                maxWidth: nameWidth)
            let key = theme.text(model.keymap.hint(for: action.name))
            let keyWidth = CharacterWidth.width(of: key)
            put(
                [
                    (action.title, reason == nil ? .plain : .disabled),
                    (reason.map { "  (\($0))" } ?? "", .dim),
                ], at: Point(column: line.column + nameWidth + 1, row: line.row),
                maxWidth: line.columns - nameWidth - 2 - keyWidth)
            surface.put(
                key, at: Point(column: line.endColumn - keyWidth, row: line.row),
                style: theme[.keyName])
            if first + row == palette.cursor { surface.bar(line, theme[.menuSelection]) }
        }
    }

    private mutating func draw(_ help: Help) {
        let lines = model.helpLines(filter: help.filter.text)
        let keyWidth = min(22, surface.size.columns / 3)
        let texts = lines.map { line -> TextLine in
            switch line {
            case .heading(let title): return TextLine(title, .title)
            case .keys(let keys, let title, let reason):
                let keys = theme.text(keys)
                let width = CharacterWidth.width(of: keys)
                let gap = String(repeating: " ", count: max(1, keyWidth - width))
                return TextLine([
                    ("  " + keys + gap, .keyName), (title, reason == nil ? .keyAction : .disabled),
                    (reason.map { "  (\($0))" } ?? "", .dim),
                ])
            }
        }
        let filter = help.isFiltering || !help.filter.isEmpty ? ": \(help.filter.text)" : ""
        drawLines(
            texts.isEmpty ? [TextLine("nothing like that", .dim)] : texts,
            title: "Keys\(filter)  (/ finds, Esc closes)", top: help.top)
    }

    private mutating func drawJournal(_ cursor: Int) {
        let entries = model.journal.entries
        let lines = entries.enumerated().map { index, entry in
            let what =
                switch entry.direction {
                case .edit: ""
                case .undo: "taken back: "
                case .redo: "again: "
                }
            return TextLine(
                [
                    (
                        TimeText.text(
                            .init(entry.applied.date), offset: model.utcOffset
                        ).prefix(19) + " ",
                        .timestamp
                    ),
                    (entry.pane + " ", .label), (what, .dim),
                    (entry.applied.summary, .plain),
                    (
                        entry.applied.isPending
                            ? "  (not written yet)"
                            : model.journal.isTakenBack(entry) ? "  (taken back)" : "", .dim
                    ),
                ], isSelected: index == cursor)
        }
        drawLines(
            lines.isEmpty ? [TextLine("Nothing was written from here yet.", .dim)] : lines,
            title: "Written from here  (z takes back)", top: max(0, cursor - surface.size.rows / 2))
    }

    private mutating func draw(_ editor: FieldEditor) {
        let size = surface.size
        var labels: [(String, FieldEditor.Part?)] = []
        let title: String
        switch editor.purpose {
        case .set:
            title = "Edit \(editor.name.text)"
            labels = [("value", .value)]
        case .add(let parent, let field):
            let inside = field?.description ?? ""
            let whole = parent.map { "Add to \($0.name)" } ?? "Add"
            title = inside.isEmpty ? whole : "\(whole) › \(inside)"
            let form =
                parent == nil
                ? model.list?.source.addForm
                : AddForm(name: editor.isNumbered ? "number" : "field", value: "value")
            labels = [(form?.name ?? "name", .name), (form?.value ?? "value", .value)]
        case .rename:
            title = "Rename"
            labels = [("name", .name)]
        }
        // What the value is, beside it: elsewhere its type could be taken for that of the row.
        if !editor.kinds.isEmpty { labels.append(("as", nil)) }
        let width = 2 + labels.reduce(4) { max($0, CharacterWidth.width(of: $1.0)) }
        let rect = OverlayFrame.centered(
            columns: min(90, size.columns - 4), rows: labels.count + 1, size: size)
        let inner = drawFrame(rect, title: title)
        for (row, (label, part)) in labels.prefix(inner.rows).enumerated() {
            let line = Rect(
                column: inner.column, row: inner.row + row, columns: inner.columns, rows: 1)
            surface.put(" \(label)", at: line.origin, style: theme[.label], maxWidth: width)
            let field = Rect(
                column: line.column + width, row: line.row, columns: line.columns - width - 1,
                rows: 1)
            switch part {
            case .name: draw(editor.name, in: field, isActive: editor.part == .name)
            case .value: draw(editor.value, in: field, isActive: editor.part == .value)
            case nil:
                put(
                    [(editor.kind.rawValue, .key), ("   ^t: another type", .dim)],
                    at: field.origin, maxWidth: field.columns)
            }
        }
        guard inner.rows > labels.count else { return }
        let (text, role): (String, Role) =
            if let problem = editor.problem {
                ("! \(problem)", .error)
            } else if editor.pending != nil {
                (theme.text("looking …"), .dim)
            } else {
                ("Enter previews, nothing is written yet", .dim)
            }
        surface.put(
            " \(text)", in: inner, row: labels.count, style: theme[role], alignment: .leading)
    }
}
