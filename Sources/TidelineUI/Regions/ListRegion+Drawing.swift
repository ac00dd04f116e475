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
            // Where there is nothing else to be seen it is told whole.
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
        let isUnreadable = model.status.phase == .gone && list.rows.isEmpty
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
            // The title is cut before its arrow is, which may stand in the gap behind it.
            let hasGap = part.column + part.columns < inner.column + inner.columns
            let room = max(0, part.columns - (hasGap ? 0 : 1))
            let used = surface.put(title, at: part.origin, style: style, maxWidth: room)
            surface.put(
                arrow, at: Point(column: part.column + used, row: part.row), style: style,
                maxWidth: 1)
        }
        drawLeftOut(list, spans, inner.line(0))
    }

    /// Says after the titles, or before the last of them, how many columns have no space, and what
    /// leads to them. Where there is space for neither, titles are worth more.
    private mutating func drawLeftOut(
        _ list: ListState, _ spans: [ColumnSpans.Span], _ line: Rect
    ) {
        let count = list.leftOutCount(spans)
        guard count > 0, let last = spans.last else { return }
        // A grid is scrolled by columns; of any other list some can be hidden for others.
        let key = model.keymap.hint(for: list.source.isGrid ? "scroll-right" : "columns")
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
        let isBenign = row.isConflict && model.benignMark(of: row.id) != nil
        let offset = list.sideScroll
        var searched: [(text: String, part: Rect, alignment: Column.Alignment)] = []
        for span in spans where row.cells.indices.contains(span.index) {
            let column = list.source.columns[span.index]
            let cell = row.cells[span.index]
            var text = cell.text
            if let instant = cell.instant {
                text = TimeText.text(
                    instant, span.timeForm, at: model.ageReference(of: list),
                    offset: model.utcOffset)
            }
            // What is seen whole stays: a row is known by it while the long texts move.
            if span.isFlexible, offset > 0,
                CharacterWidth.exceeds(text, columns: span.range.count)
            {
                // A sign says that it goes on before; its end stays in sight.
                let rest = CharacterWidth.width(of: text) - span.range.count
                text =
                    surface.ellipsis
                    + TextParts.dropping(columns: min(offset, rest) + 1, from: text)
            }
            var style = theme[Role(cell.role)]
            if cell.role == .device, let device = row.device {
                style = theme[model.role(of: .device(device))]
            }
            if row.isDimmed || isGone || isBenign { style = theme[.dim] }
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
        if isBenign {
            surface.put(benignMark, at: rect.origin, style: theme[.dim], maxWidth: 1)
        }
        if list.chosen.contains(row.id) { surface.restyle(rect, theme[.marked]) }
        if let mark, mark.1 == .flash { surface.restyle(rect, theme[.flash]) }
        // After the colours of the whole row, which cannot be read on those of what was found.
        for place in searched {
            highlight(
                list.searchText, in: place.text, place.part, place.alignment,
                isSelected: isSelected)
        }
        if isSelected { select(rect, in: .list) }
    }

    /// The mark of a row of the pane.
    private func mark(of row: RowID) -> (RowMark, Marks.Stage)? {
        model.pane.flatMap { model.marks.mark(of: row, in: $0.id, at: model.now) }
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

    /// Lays a style over the places where a text holds what was searched for, in any case unless
    /// it was typed with capitals.
    private mutating func highlight(
        _ needle: String, in text: String, _ part: Rect, _ alignment: Column.Alignment,
        isSelected: Bool
    ) {
        var style = theme[.matchHighlight]
        // The selection leaves it no colours, and bold may be all of the row's or go for its contrast.
        if isSelected { style.attributes.insert(.underline) }
        // What lies far outside of the cell is not looked for.
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

    // MARK: Where there are no rows

    /// What the store is busy with, or what is wrong with it.
    fileprivate var stateText: String {
        switch model.status.phase {
        case .loading(let stage, let fraction):
            "loading: \(stage)" + (fraction.map { " \(Int(max(0, min(1, $0)) * 100))%" } ?? " …")
        case .live: "this store holds nothing that can be shown"
        case .gone: "the store was moved or deleted"
        case .failed(let failure): failure.reason
        }
    }

    /// Why a list shows no rows, and what can be done about it.
    func emptyText(_ list: ListState) -> [String] {
        if model.status.phase == .gone {
            return [
                list.isLoaded
                    ? "\(list.source.title): no rows of it were read"
                    : "\(list.source.title) was not read before the store went"
            ]
        }
        if model.whyNotCurrent(list) != nil { return [] }
        if case .failed = model.status.phase {
            return ["\(list.source.title): nothing was read", stateText]
        }
        guard list.isLoaded else { return ["reading …"] }
        let keymap = model.keymap
        if let text = model.emptyText(ofConflicts: list) { return text }
        if !list.query.filter.isEmpty {
            return [
                "No row of \(list.source.title) matches"
                    + (model.totalWithoutFilter(of: list).map { ": 0 of \(TextParts.grouped($0))" }
                        ?? ""),
                list.query.filter,
                "\(keymap.hint(for: "filter")) changes the filter, "
                    + "\(keymap.hint(for: "back")) \(escapeLeads(from: list))",
            ]
        }
        if list.isDifference {
            let compared = model.pane?.lists.dropLast().last?.source.title ?? list.source.title
            return [
                "\(compared): nothing differs between these two instants",
                "\(keymap.hint(for: "back")) leads back",
            ]
        }
        if let instant = model.instant {
            guard list.source.hasPast else { return ["\(list.source.title): none"] }
            let time = TimeText.text(instant, offset: model.utcOffset)
            return [
                "\(list.source.title): nothing was here at \(time)",
                "\(keymap.hint(for: "step-forward")) steps to the next write, "
                    + "\(keymap.hint(for: "now")) returns to now",
            ]
        }
        if model.status.isLoading { return [stateText] }
        let add: String
        switch list.source.edits[.add] {
        case .available:
            add =
                model.isWritable || model.lockedBecause != nil
                ? model.lockedBecause ?? "\(keymap.hint(for: "add")) adds the first"
                : "\(keymap.hint(for: "unlock")) allows writing, then \(keymap.hint(for: "add")) adds"
        case .unavailable where !model.isWritable && model.lockedBecause == nil:
            add =
                "\(keymap.hint(for: "unlock")) allows writing, then \(keymap.hint(for: "add")) adds"
        case .unavailable(let reason): add = reason
        case nil: add = "\(keymap.hint(for: "next-pane")) shows the next tab"
        }
        // What nobody can add to need not come.
        let isAwaited = list.source.edits[.add] != nil
        return ["\(list.source.title): none\(isAwaited ? " yet" : "")", add]
    }

    /// What Escape does where a filter leaves nothing.
    private func escapeLeads(from list: ListState) -> String {
        let isInner = (model.pane?.lists.count ?? 1) > 1 || !model.browsing.trail.isEmpty
        return isInner && !list.hasTypedFilter ? "leads back" : "clears it"
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
