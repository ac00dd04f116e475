import TidelineCore

extension Model {
    /// Moves the selection of the region that has the focus.
    mutating func move(by delta: Int) {
        switch focus {
        case .list: moveList(by: delta)
        case .inspector:
            let count = inspector.lineCount
            let (target, overflow) = inspector.cursor.addingReportingOverflow(delta)
            inspector.cursor = max(0, min(overflow ? count : target, count - 1))
            revealInspector()
        case .events:
            let (target, overflow) = feed.cursor.subtractingReportingOverflow(delta)
            feed.cursor = max(0, min(overflow ? 0 : target, feed.lines.count - 1))
        case .sidebar:
            let count = sidebarItems.count
            let (target, overflow) = sidebarCursor.addingReportingOverflow(delta)
            sidebarCursor = max(0, min(overflow ? count : target, count - 1))
        }
    }

    /// Moves to an end of what the focused region shows, or to a row's number.
    mutating func moveToEnd(last: Bool, row: Int? = nil) {
        switch focus {
        case .list:
            let target = row.map { max(0, $0 - 1) } ?? (last ? .max : 0)
            selectInList(target)
        case .inspector, .sidebar: move(by: last ? .max : -.max)
        case .events: feed.cursor = last ? 0 : max(0, feed.lines.count - 1)
        }
    }

    private mutating func moveList(by delta: Int) {
        guard let list, list.total > 0 else { return }
        let (target, overflow) = list.cursor.addingReportingOverflow(delta)
        selectInList(overflow ? (delta > 0 ? .max : 0) : target)
        if delta < 0, isFollowing {
            isFollowing = false
            say(.info, "no longer following; \(keymap.hint(for: "follow")) follows again")
        }
    }

    /// Selects a row by its number, as a person does.
    mutating func selectInList(_ index: Int) {
        let height = layout.listHeight
        withList { list in
            list.select(index)
            list.isTouched = true
            list.reveal(height: height)
            list.extendRange()
        }
    }

    /// Scrolls the visible rows; the selection goes along only at the edge.
    mutating func scrollList(by delta: Int) {
        let height = layout.listHeight
        withList { list in
            let top = max(0, min(list.top + delta, list.total - height))
            list.top = top
            let cursor = max(top, min(list.cursor, top + height - 1))
            if cursor != list.cursor {
                list.select(cursor)
                list.extendRange()
            }
            list.isTouched = true
        }
        if delta < 0 { isFollowing = false }
    }

    /// How many rows a page of the focused region has.
    var pageHeight: Int {
        let layout = layout
        if focus == .list { return layout.listHeight }
        return max(1, layout.inner(focus)?.rows ?? 1)
    }
}

extension ListState {
    /// Chooses the rows between the anchor of a range and the selection, as far as they are known.
    mutating func extendRange() {
        guard let rangeAnchor else { return }
        let range = min(rangeAnchor, cursor)...max(rangeAnchor, cursor)
        for (offset, row) in rows.enumerated() {
            if range.contains(start + offset) {
                chosen.insert(row.id)
            } else if !beforeRange.contains(row.id) {
                chosen.remove(row.id)
            }
        }
    }
}

extension Model.Inspector {
    /// A line of the inspector: the heading of a section, or a line in it.
    enum Line: Hashable, Sendable {
        case heading(String)
        case line(Detail.Line)
    }

    var lineCount: Int { detail?.sections.reduce(0) { $0 + 1 + $1.lines.count } ?? 0 }

    func line(at index: Int) -> Line? {
        guard let detail, index >= 0 else { return nil }
        var rest = index
        for section in detail.sections {
            if rest == 0 { return .heading(section.title) }
            if rest <= section.lines.count { return .line(section.lines[rest - 1]) }
            rest -= 1 + section.lines.count
        }
        return nil
    }

    /// The lines from a number on, without making those before it.
    func lines(from index: Int) -> some Sequence<(Int, Line)> {
        sequence(state: index) { next -> (Int, Line)? in
            guard let line = line(at: next) else { return nil }
            defer { next += 1 }
            return (next, line)
        }
    }

    /// The columns of the widest label in the section of a line, of its first labels at least.
    func labelWidth(at index: Int) -> Int {
        guard let detail, index >= 0 else { return 0 }
        var rest = index
        for section in detail.sections {
            if rest <= section.lines.count {
                return section.lines.prefix(40).reduce(0) {
                    max($0, CharacterWidth.width(of: String($1.label.prefix(40))))
                }
            }
            rest -= 1 + section.lines.count
        }
        return 0
    }

    var selectedLine: Detail.Line? {
        if case .line(let line) = line(at: cursor) { line } else { nil }
    }
}
