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

    /// Returns the positions of the dialog's parts.
    func places(in area: Rect, of model: Model) -> Places {
        let labels = labels(in: model).1.count
        let columns = min(90, area.columns - 4)
        let footRows = footLines(in: area, of: model, columns: columns).count
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

    /// Returns the lines below the fields. On a small screen, the footer shows the keys instead.
    private func footLines(in area: Rect, of model: Model, columns: Int) -> [Substring] {
        if isBox, area.rows < 12, problem == nil, pending == nil { return [] }
        return TextParts.wrap(
            foot(in: model).text, columns: columns - 3, limit: Self.mostFootLines)
    }

    /// The text below the fields: the keys, or the reason why the input is invalid.
    private func foot(in model: Model) -> (text: String, role: Role) {
        if let problem { return ("! \(problem)", .error) }
        if pending != nil { return (isRun ? "running …" : "checking …", .dim) }
        let keymap = model.preferences.keymap
        guard isBox, part == .value else {
            return ("\(keymap.hint(for: "field-accept")): preview (nothing is written yet)", .dim)
        }
        let accept = keymap.hint(for: "field-preview")
        let line = keymap.hint(for: "field-accept")
        return isRun
            ? ("\(accept): run (reads only)   \(line): new line", .dim)
            : ("\(accept): preview (nothing is written yet)   \(line): new line", .dim)
    }

    private var isRun: Bool { if case .run = purpose { true } else { false } }

    func draw(on screen: inout Screen) {
        let (model, theme) = (screen.model, screen.theme)
        let places = places(in: screen.dialogArea, of: model)
        let (title, labels) = labels(in: model)
        let width = 3 + labels.reduce(4) { max($0, CharacterWidth.width(of: $1.0)) }
        let inner = screen.drawFrame(places.frame, title: title)
        for (row, (label, part)) in labels.prefix(inner.rows).enumerated() {
            let line = inner.line(row)
            screen.surface.put(" \(label)", at: line.origin, style: theme[.label], maxWidth: width)
            let place = Rect(
                column: line.column + width, row: line.row, columns: line.columns - width - 1,
                rows: 1)
            switch part {
            case .name: screen.drawBracketed(name, in: place, isActive: self.part == .name)
            case .value: screen.drawBracketed(value, in: place, isActive: self.part == .value)
            case nil:
                let key = model.preferences.keymap.hint(for: "field-type")
                screen.put(
                    [(kind.rawValue, .key), ("   \(key): change type", .dim)],
                    at: place.origin, maxWidth: place.columns)
            }
        }
        if isBox { draw(places, on: &screen) }
        let role = foot(in: model).role
        let first = isBox ? (places.box ?? places.text).endRow - inner.row : labels.count
        let lines = footLines(in: screen.dialogArea, of: model, columns: inner.columns)
        for (offset, line) in lines.prefix(max(0, inner.rows - first)).enumerated() {
            screen.surface.put(
                theme.text(" \(line)"), in: inner, row: first + offset, style: theme[role],
                alignment: .leading)
        }
    }

    private func draw(_ places: Places, on screen: inout Screen) {
        let lines = value.lines(columns: places.text.columns)
        let cursor = value.cursorLine(in: lines)
        let rows = places.text.rows
        let top = Self.top(top, showing: cursor, of: lines.count, in: rows)
        let isActive = part == .value
        if let box = places.box {
            screen.surface.box(
                box, style: screen.theme[isActive ? .focusedBorder : .border],
                title: valueLabel(in: screen.model), titleStyle: screen.theme[.label])
            screen.drawMore(first: top, shown: rows, of: lines.count, in: box)
        }
        for (row, line) in lines.dropFirst(top).prefix(rows).enumerated() {
            screen.draw(
                value, line, in: places.text.line(row), isActive: isActive && top + row == cursor)
        }
    }

    /// The label of the value.
    private func valueLabel(in model: Model) -> String {
        switch purpose {
        case .add(let parent, _): form(in: model, parent)?.value ?? "value"
        case .run: "SQL"
        case .set, .rename: "value"
        }
    }

    private func form(in model: Model, _ parent: RowID?) -> AddForm? {
        parent == nil
            ? model.list?.source.addForm
            : AddForm(name: isNumbered ? "number" : "field", value: "value")
    }

    /// Returns the title, and the labels of lines with their fields. The type has a label without a
    /// field. A value in a box has no line.
    private func labels(in model: Model) -> (String, [(String, Part?)]) {
        var labels: [(String, Part?)] = []
        let title: String
        switch purpose {
        case .set: title = "Edit \(name.text)"
        case .add(let parent, let field):
            let inside = field?.description ?? ""
            let whole = parent.map { "Add to \($0.name)" } ?? "Add"
            title = inside.isEmpty ? whole : "\(whole) › \(inside)"
            labels = [(form(in: model, parent)?.name ?? "name", .name)]
        case .rename:
            let isDevice = model.navigation.paneName(of: source) == PaneID.devices.text
            let isQuery = model.holdsQueries(source)
            title = isDevice ? "Name of this device" : isQuery ? "Keep query" : "Rename"
            return (title, [("name", .name)])
        case .run(let row):
            title = row == nil ? "New query" : "Edit query \(name.text)"
        }
        if !isBox { labels.append((valueLabel(in: model), .value)) }
        // The type is shown next to the value, so that it isn't mistaken for the row's type.
        if offersTypes { labels.append(("type", nil)) }
        return (title, labels)
    }
}

extension Screen {
    /// Draws a text field between brackets.
    fileprivate mutating func drawBracketed(_ field: TextField, in rect: Rect, isActive: Bool) {
        let style = theme[isActive ? .focusedBorder : .dim]
        surface.put("[", at: Point(column: rect.column - 1, row: rect.row), style: style)
        draw(field, in: rect, isActive: isActive)
        surface.put("]", at: Point(column: rect.endColumn, row: rect.row), style: style)
    }

    /// Draws one line of a text of several lines.
    fileprivate mutating func draw(
        _ field: TextField, _ line: Range<Int>, in rect: Rect, isActive: Bool
    ) {
        var column = rect.column
        for index in line {
            if index == field.cursor, isActive {
                surface.cursor = Point(column: column, row: rect.row)
            }
            column += surface.put(
                String(field.characters[index]), at: Point(column: column, row: rect.row),
                style: theme[.input], maxWidth: rect.endColumn - column, truncation: .clip)
        }
        if field.cursor == line.upperBound, isActive, column < rect.endColumn {
            surface.cursor = Point(column: column, row: rect.row)
        }
    }
}
