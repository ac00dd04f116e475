import TidelineCore

extension FieldEditor {
    /// The positions of the dialog's parts.
    struct Places {
        /// The dialog, including its frame.
        var frame: Rect
        /// The box around a value of several lines; `nil` if there is none or no space for it.
        var box: Rect?
        /// The text in the box.
        var text: Rect
    }

    private static let mostFootLines = 9

    func places(in area: Rect, of context: ScreenContext) -> Places {
        let labels = labels(in: context).1.count
        let columns = min(90, area.columns - 4)
        let footRows = footLines(in: area, of: context, columns: columns).count
        guard isBox else {
            let frame = OverlayFrame.centered(
                columns: columns, rows: labels + footRows, in: area)
            return Places(frame: frame, text: frame)
        }
        let free = area.rows - 2 - labels - footRows
        // Omit the edges of the box if there is little space, to show more of the text.
        let edge = free >= 5 ? 1 : 0
        let lines = value.lines(columns: max(1, columns - edge * 2)).count
        let rows = max(1, min(free, max(10, lines + 1) + edge * 2))
        let frame = OverlayFrame.centered(
            columns: columns, rows: labels + rows + footRows, in: area)
        let inner = frame.inset()
        let box = Rect(
            column: inner.column, row: inner.row + labels, columns: inner.columns,
            rows: min(rows, max(0, inner.rows - labels)))
        return Places(frame: frame, box: edge > 0 ? box : nil, text: edge > 0 ? box.inset() : box)
    }

    /// Returns the lines below the fields. With little space, only the footer shows the keys.
    private func footLines(in area: Rect, of context: ScreenContext, columns: Int) -> [Substring] {
        if isBox, area.rows < 12, problem == nil, pending == nil { return [] }
        return TextParts.wrap(
            foot(in: context).text, columns: columns - 3, limit: Self.mostFootLines)
    }

    /// The text below the fields: the keys, or the reason why the input is invalid.
    private func foot(in context: ScreenContext) -> (text: String, role: Role) {
        if let problem { return ("! \(problem)", .error) }
        if pending != nil { return (isRun ? "running …" : "checking …", .dim) }
        if let shown = shownCompletions { return (shown, .dim) }
        let keymap = context.keymap
        guard isBox, part == .value else {
            return ("\(keymap.hint(for: "field-accept")): preview (nothing is written yet)", .dim)
        }
        let accept = keymap.hint(for: "field-preview")
        let line = keymap.hint(for: "field-accept")
        return isRun
            ? ("\(accept): run (reads only)   \(line): new line", .dim)
            : ("\(accept): preview (nothing is written yet)   \(line): new line", .dim)
    }

    func draw(on canvas: inout Canvas) {
        let (context, theme) = (canvas.context, canvas.theme)
        let places = places(in: canvas.dialogArea, of: context)
        let (title, labels) = labels(in: context)
        let width = 3 + labels.reduce(4) { max($0, CharacterWidth.width(of: $1.0)) }
        let inner = canvas.drawFrame(places.frame, title: title)
        for (row, (label, part)) in labels.prefix(inner.rows).enumerated() {
            let line = inner.line(row)
            canvas.surface.put(" \(label)", at: line.origin, style: theme[.label], maxWidth: width)
            let place = line.part(columns: width..<max(width, line.columns - 1))
            switch part {
            case .name: canvas.drawBracketed(name, in: place, isActive: self.part == .name)
            case .value: canvas.drawBracketed(value, in: place, isActive: self.part == .value)
            case nil:
                let key = context.keymap.hint(for: "field-type")
                canvas.put(
                    [(kind.title, .key), ("   \(key): change type", .dim)],
                    at: place.origin, maxWidth: place.columns)
            }
        }
        if isBox { draw(places, on: &canvas) }
        let role = foot(in: context).role
        let first = isBox ? (places.box ?? places.text).endRow - inner.row : labels.count
        let lines = footLines(in: canvas.dialogArea, of: context, columns: inner.columns)
        for (offset, line) in lines.prefix(max(0, inner.rows - first)).enumerated() {
            canvas.surface.put(
                theme.text(" \(line)"), in: inner, row: first + offset, style: theme[role],
                alignment: .leading)
        }
    }

    private func draw(_ places: Places, on canvas: inout Canvas) {
        let lines = value.lines(columns: places.text.columns)
        let cursor = value.cursorLine(in: lines)
        let rows = places.text.rows
        let top = Self.top(top, showing: cursor, of: lines.count, in: rows)
        let isActive = part == .value
        if let box = places.box {
            canvas.surface.box(
                box, style: canvas.theme[isActive ? .focusedBorder : .border],
                title: valueLabel(in: canvas.context), titleStyle: canvas.theme[.label])
            canvas.drawMore(first: top, shown: rows, of: lines.count, in: box)
        }
        for (row, line) in lines.dropFirst(top).prefix(rows).enumerated() {
            canvas.draw(
                line, of: value, in: places.text.line(row),
                isActive: isActive && top + row == cursor)
        }
    }

    func nameLabel(in context: ScreenContext) -> String {
        guard case .add(let parent, _) = purpose else { return "name" }
        return form(in: context, parent)?.name ?? "name"
    }

    func valueLabel(in context: ScreenContext) -> String {
        switch purpose {
        case .add(let parent, _): form(in: context, parent)?.value ?? "value"
        case .run: "SQL"
        case .set, .rename: "value"
        }
    }

    private func form(in context: ScreenContext, _ parent: RowID?) -> AddForm? {
        parent == nil
            ? context.list?.source.addForm
            : AddForm(name: isNumbered ? "number" : "field", value: "value")
    }

    /// Returns the name that the list shows for a row.
    private func shownName(of row: RowID, in context: ScreenContext) -> String {
        guard let selected = context.list?.selectedRow, selected.id == row,
            let name = selected.shownName, !name.isEmpty
        else { return row.name }
        return name
    }

    /// Returns the title, and the labels of lines with their fields. The type has a label without a
    /// field. A value in a box has no line.
    private func labels(in context: ScreenContext) -> (String, [(String, Part?)]) {
        var labels: [(String, Part?)] = []
        let title: String
        switch purpose {
        case .set: title = "Edit \(name.text)"
        case .add(let parent, let field):
            let inside = field?.description ?? ""
            let whole = parent.map { "Add to \(shownName(of: $0, in: context))" } ?? "Add"
            title = inside.isEmpty ? whole : "\(whole) › \(inside)"
            labels = [(nameLabel(in: context), .name)]
        case .rename:
            return (nameTitle, [(nameLabel(in: context), .name)])
        case .run(let row):
            title = row == nil ? "New query" : "Edit query \(name.text)"
        }
        if !isBox { labels.append((valueLabel(in: context), .value)) }
        // The type is shown next to the value, so that it isn't mistaken for the row's type.
        let isNameAType = nameLabel(in: context) == "type"
        if offersTypes { labels.append((isNameAType ? "value type" : "type", nil)) }
        return (title, labels)
    }
}

extension Canvas {
    fileprivate mutating func drawBracketed(_ field: TextField, in rect: Rect, isActive: Bool) {
        let style = theme[isActive ? .focusedBorder : .dim]
        surface.put("[", at: rect.point(rect.column - 1), style: style)
        draw(field, in: rect, isActive: isActive)
        surface.put("]", at: rect.point(rect.endColumn), style: style)
    }
}
