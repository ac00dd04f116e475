import Replication
import TidelineCore

extension ListRegion {
    static func draw(in inner: Rect, on screen: inout Screen) {
        if let list = screen.model.list {
            screen.draw(list, inner)
        } else {
            screen.drawCentered([screen.stateText], in: inner)
        }
    }
}

extension Screen {
    fileprivate mutating func draw(_ list: ListState, _ inner: Rect) {
        let spans = list.spans(width: inner.columns)
        var body = inner
        if Layout.titleRows(in: inner) > 0 {
            drawTitles(list, spans, inner)
            body.row += 1
            body.rows -= 1
        }
        if let problem = model.whyNotCurrent(list) {
            let text = theme.text("! \(problem)")
            // In an empty list, the problem gets as many lines as it needs.
            let limit = list.total == 0 ? max(1, body.rows) : 1
            let parts =
                limit == 1 ? [text[...]] : TextParts.wrap(text, columns: body.columns, limit: limit)
            body.rows -= parts.count
            for (row, part) in parts.enumerated() {
                let line = Rect(
                    column: body.column, row: body.endRow + row, columns: body.columns, rows: 1)
                surface.fill(line, style: theme[.error])
                surface.put(String(part), in: line, style: theme[.error], alignment: .leading)
            }
        }
        let isUnreadable = model.session.status.phase == .gone && list.rows.isEmpty
        guard list.isLoaded, list.total > 0, !isUnreadable else {
            drawCentered(emptyText(list), in: body)
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
        surface.fill(
            inner.line(0),
            style: style)
        for span in spans {
            let column = list.source.columns[span.index]
            let title = column.title.uppercased()
            let part = Rect(
                column: inner.column + span.range.lowerBound, row: inner.row,
                columns: span.range.count, rows: 1)
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
            // Shortens the title rather than the arrow, which may use the gap after the column.
            let hasGap = part.column + part.columns < inner.column + inner.columns
            let room = max(0, part.columns - (hasGap ? 0 : 1))
            let used = surface.put(title, at: part.origin, style: style, maxWidth: room)
            surface.put(
                arrow, at: Point(column: part.column + used, row: part.row), style: style,
                maxWidth: 1)
        }
        drawLeftOut(list, spans, inner.line(0))
    }

    /// Shows how many columns don't fit, and the key that leads to them. The note follows the
    /// titles or replaces part of the last one; if there is no space for it, the titles take
    /// precedence.
    private mutating func drawLeftOut(
        _ list: ListState, _ spans: [ColumnSpans.Span], _ line: Rect
    ) {
        let count = list.leftOutCount(spans)
        guard count > 0, let last = spans.last else { return }
        let key = model.preferences.keymap.hint(for: "scroll-right")
        let words = count == 1 ? "column" : "columns"
        let lastTitle = list.titleRange(of: last)
        let before = spans.dropLast().last.map { list.titleRange(of: $0).upperBound } ?? 0
        let gaps = [
            min(lastTitle.upperBound, line.columns)..<line.columns,
            before..<max(before, lastTitle.lowerBound - 1),
        ]
        for text in [" +\(count) \(words) \(key)", " +\(count) \(key)", " +\(count)"] {
            let width = CharacterWidth.width(of: text)
            guard let gap = gaps.first(where: { $0.count >= width }) else { continue }
            surface.put(
                text, at: Point(column: line.column + gap.upperBound - width, row: line.row),
                style: theme[.columnHeader], maxWidth: width)
            return
        }
    }

    private mutating func draw(
        _ row: Row?, number: Int, of list: ListState, _ spans: [ColumnSpans.Span], _ rect: Rect
    ) {
        let isSelected = number == list.cursor
        guard let row else {
            surface.put(
                theme.isASCII ? "." : "·",
                at: Point(column: rect.column + ColumnSpans.gutter, row: rect.row),
                style: theme[.placeholder])
            if isSelected { select(rect, in: .list) }
            return
        }
        let mark = mark(of: row.id)
        let isGone = mark?.0 == .gone
        let isIgnored = row.isConflict && model.ignoredMark(of: row.id) != nil
        let offset = list.sideScroll
        var searched: [(text: String, part: Rect, alignment: Column.Alignment)] = []
        for span in spans where row.cells.indices.contains(span.index) {
            let column = list.source.columns[span.index]
            let cell = row.cells[span.index]
            var text = cell.text
            if let instant = cell.instant {
                text = TimeText.text(
                    instant, span.timeForm, at: model.ageReference(of: list),
                    offset: model.preferences.utcOffset)
            }
            // Text that fits stays in place, so that rows can be identified while longer texts
            // scroll.
            if span.isFlexible, offset > 0,
                CharacterWidth.exceeds(text, columns: span.range.count)
            {
                // A sign marks the cut at the start. The end of the text stays visible.
                let rest = CharacterWidth.width(of: text) - span.range.count
                text =
                    surface.ellipsis
                    + TextParts.dropping(columns: min(offset, rest) + 1, from: text)
            }
            var style = theme[model.session.role(Role(cell.role), of: text, by: row.device)]
            if row.isDimmed || isGone || isIgnored { style = theme[.dim] }
            let part = Rect(
                column: rect.column + span.range.lowerBound, row: rect.row,
                columns: span.range.count, rows: 1)
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

    /// Returns the change mark of a row.
    private func mark(of row: RowID) -> (RowMark, Marks.Stage)? {
        model.pane.flatMap { model.watching.marks.mark(of: row, in: $0.id, at: model.now) }
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
            case .gone: (sign, role) = (self.mark(.gutterGone, or: "-"), .gutterGone)
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
                at: Point(column: rect.column + 1, row: rect.row), style: theme[.marked],
                maxWidth: 1)
        }
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

    // MARK: Empty lists

    /// The store's loading progress or problem.
    fileprivate var stateText: String {
        switch model.session.status.phase {
        case .loading(let stage, let fraction):
            "loading: \(stage)" + (fraction.map { " \(Int(max(0, min(1, $0)) * 100))%" } ?? " …")
        case .live: "this store is empty"
        case .gone: "the store was moved or deleted"
        case .failed(let failure): failure.reason
        }
    }

    /// Explains why a list is empty, and what to do about it.
    func emptyText(_ list: ListState) -> [String] {
        if model.session.status.phase == .gone {
            return [
                list.isLoaded
                    ? "\(list.source.title): no rows were loaded"
                    : "\(list.source.title) had not loaded when the store disappeared"
            ]
        }
        if model.whyNotCurrent(list) != nil { return [] }
        if case .failed = model.session.status.phase {
            return ["\(list.source.title) could not be loaded", stateText]
        }
        guard list.isLoaded else { return ["loading …"] }
        let keymap = model.preferences.keymap
        if let text = model.emptyText(ofConflicts: list) { return text }
        if !list.query.filter.isEmpty {
            return [
                "No match in \(list.source.title)"
                    + (model.totalWithoutFilter(of: list).map { ": 0 of \(TextParts.grouped($0))" }
                        ?? ""),
                list.query.filter,
                "Press \(keymap.hint(for: "filter")) to change the filter, "
                    + "\(keymap.hint(for: "back")) \(escapeLeads(from: list))",
            ]
        }
        if list.isDifference {
            let compared = model.pane?.lists.dropLast().last?.source.title ?? list.source.title
            return [
                "\(compared): no differences between these two points in time",
                "Press \(keymap.hint(for: "back")) to go back",
            ]
        }
        if let instant = model.instant {
            guard list.source.hasPast else { return [none(in: list)] }
            let time = TimeText.text(instant, offset: model.preferences.utcOffset)
            return [
                "\(list.source.title): no rows as of \(time)",
                "Press \(keymap.hint(for: "step-forward")) to step to the next write, "
                    + "\(keymap.hint(for: "now")) to return to now",
            ]
        }
        if model.session.status.isLoading { return [stateText] }
        let add: String
        switch list.source.edits[.add] {
        case .available where list.source.holdsQueries:
            add = "Press \(keymap.hint(for: "add")) to write one"
        case .available:
            add =
                model.writing.isWritable || model.lockedBecause != nil
                ? model.lockedBecause ?? "Press \(keymap.hint(for: "add")) to add one"
                : "Press \(keymap.hint(for: "unlock")), then \(keymap.hint(for: "add")) to add one"
        case .unavailable where !model.writing.isWritable && model.lockedBecause == nil:
            add =
                "Press \(keymap.hint(for: "unlock")), then \(keymap.hint(for: "add")) to add one"
        case .unavailable(let reason): add = reason
        case nil:
            let command = model.commandsHere.first {
                $0.writes && model.offer(of: $0)?.availability == .available
            }
            if let command, model.lockedBecause == nil {
                let text = ":\(command.name) \(command.argument ?? "")"
                add =
                    model.writing.isWritable
                    ? "Run \(text)" : "Press \(keymap.hint(for: "unlock")), then run \(text)"
            } else {
                add = "Press \(keymap.hint(for: "next-pane")) for the next tab"
            }
        }
        // A list that the user can't add to isn't expected to fill.
        let isAwaited = list.source.edits[.add] != nil
        return [none(in: list) + (isAwaited ? " yet" : ""), add]
    }

    /// Returns `No keys` for a pane of the store, and `Title: no rows` for any other list.
    private func none(in list: ListState) -> String {
        let title = list.source.title
        let isPane = title.lowercased() == model.pane?.id.name && title.hasSuffix("s")
        return isPane ? "No \(title.lowercased())" : "\(title): no rows"
    }

    /// Returns the effect of Escape when the filter matches nothing.
    private func escapeLeads(from list: ListState) -> String {
        let isInner = (model.pane?.lists.count ?? 1) > 1 || !model.regions.list.trail.isEmpty
        return isInner && !list.hasTypedFilter ? "to go back" : "to clear it"
    }

    mutating func drawCentered(_ lines: [String], in rect: Rect) {
        let parts = lines.enumerated().flatMap { index, line in
            TextParts.wrap(theme.text(line), columns: rect.columns, limit: max(1, rect.rows))
                .map { (text: String($0), role: index == 0 ? Role.plain : .dim) }
        }
        let first = max(0, (rect.rows - parts.count) / 2)
        for (index, part) in parts.prefix(rect.rows).enumerated() {
            surface.put(
                part.text, in: rect, row: first + index, style: theme[part.role],
                alignment: .center)
        }
    }
}
