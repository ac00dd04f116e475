import TidelineCore

extension Screen {
    mutating func drawFooter() {
        let bottom = Rect(
            row: surface.size.rows - 1, columns: surface.size.columns, rows: 1)
        if case .prompt(let prompt) = model.overlay {
            draw(prompt, in: bottom)
            if case .filter = prompt.purpose, let problem = model.list?.filterProblem {
                drawProblem(problem.message, above: bottom)
            }
            return
        }
        if let notice = model.notice {
            surface.fill(bottom, style: theme[.footer])
            let (sign, role): (String, Role) =
                switch notice.kind {
                case .info: (" ", .notice)
                case .done: (theme.isASCII ? "ok " : "✓ ", .notice)
                case .warning: ("! ", .warning)
                case .error: ("! ", .error)
                }
            put(
                [(sign, role), (theme.text(notice.text), role)], at: bottom.origin,
                maxWidth: bottom.columns)
            return
        }
        guard let rect = layout.footer else { return }
        surface.fill(rect, style: theme[.footer])
        let place = theme.text(placeText)
        let placeWidth = min(CharacterWidth.width(of: place), rect.columns)
        surface.put(
            place, at: Point(column: rect.endColumn - placeWidth, row: rect.row),
            style: theme[.footer], maxWidth: placeWidth)
        var column = rect.column + 1
        let end = rect.endColumn - placeWidth - 1
        if !layout.isFramed || model.focus != .list, let list = model.list,
            let pane = model.pane, pane.lists.count > 1 || !model.queryText.isEmpty
        {
            let crumb = (pane.lists.count > 1 ? model.breadcrumb : "") + model.queryText
            let text = list.query.filter.isEmpty ? crumb : "filter" + crumb
            column += put(
                [(theme.text(text), .label), ("  ", .footer)],
                at: Point(column: column, row: rect.row),
                maxWidth: max(0, min((end - column) / 2, end - column)))
        }
        for hint in model.hints {
            let (key, title) = (theme.text(hint.keys), theme.text(hint.title))
            let width = CharacterWidth.width(of: key) + 1 + CharacterWidth.width(of: title)
            guard column + width <= end else { break }
            column += put(
                [(key, .keyName), (" ", .footer), (title, .keyAction)],
                at: Point(column: column, row: rect.row), maxWidth: end - column)
            column += 2
        }
    }

    /// Where the selection stands, and what of a command was typed.
    private var placeText: String {
        var text = ""
        let typed = (model.count.map(String.init) ?? "") + KeyNotation.text(for: model.pendingKeys)
        if model.mustWait { text += "… " }
        if !typed.isEmpty { text += "\(typed)…  " }
        return text + model.focus.module.place(in: model)
    }

    private mutating func draw(_ prompt: Prompt, in rect: Rect) {
        surface.fill(rect, style: theme[.input])
        var label = "filter: "
        var problem: ListState.FilterProblem?
        switch prompt.purpose {
        case .filter: problem = model.list?.filterProblem
        case .search(let backwards): label = backwards ? "search back: " : "search: "
        case .benign(let rows):
            label = rows.count == 1 ? "benign, because: " : "\(rows.count) benign, because: "
        }
        let used = surface.put(label, at: rect.origin, style: theme[.prompt])
        let field = Rect(
            column: rect.column + used, row: rect.row, columns: rect.columns - used, rows: 1)
        let underlined = problem.map {
            Self.characters(in: $0.range, of: prompt.text.text)
        }
        draw(prompt.text, in: field, underlined: underlined, isActive: true)
        if prompt.text.isEmpty, case .filter = prompt.purpose {
            let examples = (model.list?.source.filterFields ?? []).map(\.example)
            surface.put(
                " words, " + examples.joined(separator: " "),
                at: Point(column: field.column + 1, row: field.row), style: theme[.placeholder],
                maxWidth: max(0, field.columns - 1))
        }
    }

    /// Says what is wrong with a filter, in as many lines above it as that takes.
    private mutating func drawProblem(_ message: String, above bottom: Rect) {
        let columns = bottom.columns - 2
        let shown = TextParts.wrap(
            "! " + theme.text(message), columns: columns, limit: max(1, bottom.row - 1))
        for (index, line) in shown.enumerated() {
            let rect = Rect(
                column: bottom.column, row: bottom.row - shown.count + index,
                columns: bottom.columns, rows: 1)
            surface.fill(rect, style: theme[.footer])
            surface.put(
                String(line), at: Point(column: rect.column + 1, row: rect.row),
                style: theme[.error],
                maxWidth: columns)
        }
    }

    /// The characters that UTF-8 offsets cover, held to the text.
    private static func characters(in range: Range<Int>, of text: String) -> Range<Int> {
        var first: Int?
        var end = 0
        var offset = 0
        for (index, character) in text.enumerated() {
            let next = offset + character.utf8.count
            if first == nil, next > range.lowerBound { first = index }
            if offset < range.upperBound { end = index + 1 }
            offset = next
        }
        let start = first ?? max(0, text.count - 1)
        return start..<max(start, end)
    }

    /// Draws a text that is being typed so that its cursor is visible.
    mutating func draw(
        _ field: TextField, in rect: Rect, underlined: Range<Int>? = nil, isActive: Bool
    ) {
        guard rect.columns > 0 else { return }
        surface.fill(rect, style: theme[.input])
        // The text begins where the cursor is still inside, with a little of what is before it.
        var first = field.cursor
        var width = 1
        while first > 0 {
            let before = CharacterWidth.width(of: field.characters[first - 1])
            if width + before > rect.columns { break }
            width += before
            first -= 1
        }
        var column = rect.column
        for index in first..<field.characters.count {
            if index == field.cursor, isActive {
                surface.cursor = Point(column: column, row: rect.row)
            }
            let isWrong = underlined?.contains(index) == true
            let style = isWrong ? theme[.filterError].over(theme[.input]) : theme[.input]
            let used = surface.put(
                String(field.characters[index]), at: Point(column: column, row: rect.row),
                style: style, maxWidth: rect.endColumn - column, truncation: .clip)
            column += used
            if column >= rect.endColumn { break }
        }
        if field.cursor >= field.characters.count, isActive, column < rect.endColumn {
            surface.cursor = Point(column: column, row: rect.row)
        }
    }
}
