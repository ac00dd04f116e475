import Replication
import TidelineCore

extension ListPanel {
    func draw(in inner: Rect, on canvas: inout Canvas) {
        if let list = navigation.list {
            canvas.draw(list, inner)
        } else {
            canvas.drawCentered([canvas.context.stateText], in: inner)
        }
    }
}

extension Canvas {
    fileprivate mutating func draw(_ list: ListState, _ inner: Rect) {
        let spans = list.spans(width: inner.columns)
        var body = inner
        if Layout.titleRows(in: inner) > 0 {
            drawTitles(list, spans, inner)
            body = body.dropping(rows: 1)
        }
        if let problem = context.rowsProblem {
            let text = theme.text("! \(problem)")
            // In an empty list, the problem gets as many lines as it needs.
            let limit = list.total == 0 ? max(1, body.rows) : 1
            let parts =
                limit == 1 ? [text[...]] : TextParts.wrap(text, columns: body.columns, limit: limit)
            body.rows -= parts.count
            for (row, part) in parts.enumerated() {
                let line = body.line(body.rows + row)
                surface.fill(line, style: theme[.error])
                surface.put(String(part), in: line, style: theme[.error], alignment: .leading)
            }
        }
        let isUnreadable = context.session.status.phase == .missing && list.rows.isEmpty
        guard list.isLoaded, list.total > 0, !isUnreadable else {
            drawCentered(context.emptyText(list), in: body)
            return
        }
        for line in 0..<body.rows {
            let index = list.top + line
            guard index < list.total else { break }
            let rect = body.line(line)
            draw(list.row(at: index), number: index, of: list, spans, rect)
        }
    }

    private mutating func drawTitles(
        _ list: ListState, _ spans: [ColumnSpans.Span], _ inner: Rect
    ) {
        let style = theme[.columnHeader]
        surface.fill(inner.line(0), style: style)
        for span in spans {
            let column = list.source.columns[span.index]
            let title = column.title.uppercased()
            let part = inner.line(0).part(columns: span.range)
            let alignment: Surface.Alignment = column.alignment == .trailing ? .trailing : .leading
            guard let sort = list.query.sort, sort.column == column.id else {
                surface.put(title, in: part, style: style, alignment: alignment)
                continue
            }
            let arrow =
                sort.isDescending ? (theme.isASCII ? "v" : "▼") : (theme.isASCII ? "^" : "▲")
            guard CharacterWidth.exceeds(title, columns: part.columns - 2) else {
                surface.put("\(title) \(arrow)", in: part, style: style, alignment: alignment)
                continue
            }
            // Shorten the title, not the arrow. The arrow may use the gap after the column.
            let hasGap = part.endColumn < inner.endColumn
            let room = max(0, part.columns - (hasGap ? 0 : 1))
            let used = surface.put(title, at: part.origin, style: style, maxWidth: room)
            surface.put(arrow, at: part.origin.right(by: used), style: style, maxWidth: 1)
        }
        drawLeftOut(list, spans, inner.line(0))
    }

    /// Shows how many columns don't fit, and the key that leads to them. The note is after the last
    /// title or, if it fits only there, before that title. A note that doesn't fit is shortened or
    /// omitted.
    private mutating func drawLeftOut(
        _ list: ListState, _ spans: [ColumnSpans.Span], _ line: Rect
    ) {
        let count = list.leftOutCount(spans)
        guard count > 0, let last = spans.last else { return }
        let key = context.keymap.hint(for: "scroll-right")
        let words = count == 1 ? "column" : "columns"
        let lastTitle = list.titleRange(of: last)
        let before = spans.dropLast().last.map { list.titleRange(of: $0).upperBound } ?? 0
        let (after, between) = (
            min(lastTitle.upperBound, line.columns)..<line.columns,
            before..<max(before, lastTitle.lowerBound - 1)
        )
        // Parentheses separate the note from the next title.
        let notes = ["\(key): \(count) more \(words)", "\(key): \(count) more"]
        let choices: [(String, Range<Int>)] =
            notes.flatMap { [(" \($0)", after), (" (\($0))", between)] }
            + [(" +\(count)", after), (" +\(count)", between)]
        let choice = choices.first { CharacterWidth.width(of: $0.0) <= $0.1.count }
        guard let (text, gap) = choice else { return }
        let width = CharacterWidth.width(of: text)
        surface.put(
            text, at: line.origin.right(by: gap.upperBound - width),
            style: theme[.columnHeader], maxWidth: width)
    }

    private mutating func draw(
        _ row: Row?, number: Int, of list: ListState, _ spans: [ColumnSpans.Span], _ rect: Rect
    ) {
        let isSelected = number == list.cursor
        guard let row else {
            surface.put(
                theme.isASCII ? "." : "·",
                at: rect.origin.right(by: ColumnSpans.gutter),
                style: theme[.placeholder])
            if isSelected { select(rect, in: .list) }
            return
        }
        let mark = mark(of: row, in: list)
        let isDeleted = mark?.0 == .deleted
        let isIgnored = row.isConflict && context.ignoredMark(of: row.id) != nil
        var searched: [(text: String, part: Rect, alignment: Column.Alignment)] = []
        for span in spans where row.cells.indices.contains(span.index) {
            let column = list.source.columns[span.index]
            let cell = row.cells[span.index]
            var text = cell.text
            if let instant = cell.instant {
                text = TimeText.text(
                    instant, span.timeForm, at: context.ageReference(of: list),
                    offset: context.preferences.utcOffset)
            }
            // Text that fits stays in place while longer texts scroll.
            let offset = span.isFlexible ? list.textScroll(ofColumn: span.index) : 0
            if offset > 0, CharacterWidth.exceeds(text, columns: span.range.count) {
                // A sign marks the cut at the start. The end of the text stays visible.
                let rest = CharacterWidth.width(of: text) - span.range.count
                text =
                    surface.ellipsis
                    + TextParts.dropping(columns: min(offset, rest) + 1, from: text)
            } else if column.keepsEnd {
                text = TextParts.end(of: text, columns: span.range.count)
            }
            var style = theme[context.session.role(Role(cell.role), of: text, by: row.device)]
            if row.isDimmed || isDeleted || isIgnored || row.differsFromNow == false {
                style = theme[.dim]
            }
            let part = rect.part(columns: span.range)
            surface.put(
                text, in: part, style: style,
                alignment: column.alignment == .trailing ? .trailing : .leading)
            if !list.searchText.isEmpty, list.marksHits {
                searched.append((text, part, column.alignment))
            }
        }
        drawGutter(row, mark, isChosen: list.chosen.contains(row.id), rect)
        if isIgnored {
            surface.put(ignoredMark, at: rect.origin, style: theme[.dim], maxWidth: 1)
        }
        if list.chosen.contains(row.id) { surface.restyle(rect, theme[.marked]) }
        if let mark, mark.1 == .flash { surface.restyle(rect, theme[.flash]) }
        // Apply this after the row's own colors, which would be unreadable on a match.
        for place in searched {
            highlight(
                list.searchText, in: place.text, place.part, place.alignment,
                isSelected: isSelected)
        }
        if isSelected { select(rect, in: .list) }
    }

    /// Returns the mark of a row that has changed recently or, if the list shows an earlier time,
    /// since then.
    private func mark(of row: Row, in list: ListState) -> (RowMark, Marks.Stage)? {
        if context.instant != nil, list.source.hasPast {
            return row.differsFromNow == true ? (.changed, .fresh) : nil
        }
        return context.pane.flatMap {
            context.watching.marks.mark(of: row.id, in: $0.id, at: context.now)
        }
    }

    private mutating func drawGutter(
        _ row: Row, _ mark: (RowMark, Marks.Stage)?, isChosen: Bool, _ rect: Rect
    ) {
        var sign = ""
        var role = Role.gutterConflict
        if row.isConflict {
            sign = self.mark(.gutterConflict, or: "≠")
        } else if row.conflictsInside > 0 {
            (sign, role) = (self.mark(.gutterConflict, or: "≠"), .dim)
        }
        if let (kind, stage) = mark {
            switch kind {
            case .new: (sign, role) = (self.mark(.gutterNew, or: "+"), .gutterNew)
            case .changed where !row.isConflict && row.conflictsInside == 0:
                (sign, role) = (self.mark(.gutterChanged, or: "~"), .gutterChanged)
            case .deleted: (sign, role) = (self.mark(.gutterGone, or: "-"), .gutterGone)
            case .changed, .conflict: sign = self.mark(.gutterConflict, or: "≠")
            }
            if row.isConflict, kind == .new {
                (sign, role) = (self.mark(.gutterConflict, or: "≠"), .gutterConflict)
            }
            surface.put(
                sign, at: rect.origin, style: theme[stage == .fading ? .dim : role], maxWidth: 1)
        } else if !sign.isEmpty {
            surface.put(sign, at: rect.origin, style: theme[role], maxWidth: 1)
        }
        if isChosen {
            surface.put(
                self.mark(.marked, or: "*"),
                at: rect.origin.right(by: 1), style: theme[.marked],
                maxWidth: 1)
        } else if hasAlert(row) {
            var style = theme[.warning]
            // Some themes reverse warnings. Here, that would change the background of one cell.
            style.attributes.remove(.reverse)
            surface.put(alertMark, at: rect.origin.right(by: 1), style: style, maxWidth: 1)
        }
    }

    private func hasAlert(_ row: Row) -> Bool {
        let alerts = context.watching.alerts
        guard !alerts.isEmpty else { return false }
        return context.navigation.alert(on: row).map(alerts.include) ?? false
    }

    /// Highlights the matches of a search in a text. The case is ignored unless the search text
    /// contains capitals.
    private mutating func highlight(
        _ needle: String, in text: String, _ part: Rect, _ alignment: Column.Alignment,
        isSelected: Bool
    ) {
        var style = theme[.matchHighlight]
        // Selected rows don't have the color of a match, and may already be bold.
        if isSelected { style.attributes.insert(.underline) }
        // Text far outside the cell isn't searched.
        let head = String(text.prefix(part.columns + needle.count))
        let isExact = needle.contains(where: \.isUppercase)
        let haystack = isExact ? head : head.lowercased()
        let wanted = isExact ? needle : needle.lowercased()
        var column = part.column
        if alignment == .trailing {
            column = max(part.column, part.endColumn - CharacterWidth.width(of: text))
        }
        var from = haystack.startIndex
        while from < haystack.endIndex, let hit = haystack[from...].firstRange(of: wanted) {
            let before = CharacterWidth.width(of: String(haystack[..<hit.lowerBound]))
            let width = CharacterWidth.width(of: wanted)
            let rect = Rect(column: column + before, row: part.row, columns: width, rows: 1)
            surface.restyle(rect.intersection(part), style)
            from = hit.upperBound
        }
    }
}
