import TidelineCore

/// Which part of the screen shows what: a pure function of the model's size and mode.
struct Layout: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// Less than 20x5: only that it is too small.
        case tooSmall
        /// Less than 60x12: one pane and nothing else.
        case bare
        /// One pane at a time, with tabs and a peek at the selected row.
        case single
        /// Panes side by side.
        case panes
        /// Panes with device columns and a timeline.
        case wide
    }

    var kind: Kind
    var header: Rect?
    var footer: Rect?
    /// Panes that are shown, frames included.
    var panes: [Pane: Rect] = [:]
    /// Whether panes have frames.
    var isFramed = false
    /// Two lines about the selected row, where the inspector is not shown.
    var peek: Rect?
    /// The sides of conflicts, a column a device.
    var deviceColumns: Rect?
    /// When devices wrote.
    var timeline: Rect?

    /// The panes that can have the focus, in the order of Tab.
    static let order: [Pane] = [.sidebar, .list, .inspector, .events]

    /// - Parameters:
    ///   - deviceCount: How many lines a timeline needs.
    ///   - hasConflicts: Whether there is anything for device columns to show.
    init(
        size: Size, focus: Pane = .list, isZoomed: Bool = false, showsTime: Bool = false,
        deviceCount: Int = 0, hasConflicts: Bool = false
    ) {
        kind = Self.kind(of: size)
        let screen = Rect(size)
        switch kind {
        case .tooSmall: return
        case .bare:
            panes = [focus: screen]
            return
        case .single, .panes, .wide: break
        }
        header = Rect(columns: size.columns, rows: 1)
        footer = Rect(row: size.rows - 1, columns: size.columns, rows: 1)
        var body = Rect(row: 1, columns: size.columns, rows: size.rows - 2)
        let timelineRows = min(max(deviceCount, 1), size.rows / 8) + 1
        if isZoomed || kind == .single {
            if showsTime { timeline = Self.cutBottom(&body, rows: timelineRows) }
            if kind == .single, focus == .list, !isZoomed, body.rows >= 8 {
                peek = Self.cutBottom(&body, rows: 2)
            }
            isFramed = kind != .single
            panes = [focus: body]
            return
        }
        isFramed = true
        if kind == .panes {
            if showsTime { timeline = Self.cutBottom(&body, rows: timelineRows) }
            panes[.sidebar] = Self.cutLeft(&body, columns: min(24, size.columns / 6))
            panes[.inspector] = Self.cutRight(&body, columns: size.columns * 3 / 10)
            panes[.events] = Self.cutBottom(&body, rows: max(5, body.rows / 5))
            panes[.list] = body
            return
        }
        var bottom = Self.cutBottom(
            &body, rows: max(8, min(size.rows / 4, max(deviceCount, 2) + 4)))
        panes[.events] = Self.cutRight(&bottom, columns: size.columns * 2 / 5)
        timeline = bottom
        panes[.sidebar] = Self.cutLeft(&body, columns: 26)
        panes[.inspector] = Self.cutRight(&body, columns: size.columns / 4)
        if hasConflicts {
            deviceColumns = Self.cutRight(&body, columns: body.columns * 2 / 5)
        }
        panes[.list] = body
    }

    /// The rectangle inside a pane's frame.
    func inner(_ pane: Pane) -> Rect? {
        guard var rect = panes[pane] else { return nil }
        if isFramed { return rect.inset() }
        // A list has its column titles; other panes have a line with a title.
        if kind == .single, pane != .list {
            rect.row += 1
            rect.rows -= 1
        }
        return rect
    }

    /// The rows of a list that are visible, under the column titles.
    var listHeight: Int {
        guard let inner = inner(.list) else { return 1 }
        return max(1, inner.rows - Self.titleRows(in: inner))
    }

    /// A list of very few rows has no line of column titles.
    static func titleRows(in rect: Rect) -> Int { rect.rows >= 4 ? 1 : 0 }

    private static func kind(of size: Size) -> Kind {
        if size.columns < 20 || size.rows < 5 { return .tooSmall }
        if size.columns < 60 || size.rows < 12 { return .bare }
        if size.columns >= 160 && size.rows >= 40 { return .wide }
        return size.columns >= 100 && size.rows >= 24 ? .panes : .single
    }

    private static func cutBottom(_ rect: inout Rect, rows: Int) -> Rect {
        let rows = max(0, min(rows, rect.rows - 3))
        let cut = Rect(
            column: rect.column, row: rect.endRow - rows, columns: rect.columns, rows: rows)
        rect.rows -= rows
        return cut
    }

    private static func cutLeft(_ rect: inout Rect, columns: Int) -> Rect {
        let cut = Rect(column: rect.column, row: rect.row, columns: columns, rows: rect.rows)
        rect.column += columns
        rect.columns -= columns
        return cut
    }

    private static func cutRight(_ rect: inout Rect, columns: Int) -> Rect {
        let cut = Rect(
            column: rect.endColumn - columns, row: rect.row, columns: columns, rows: rect.rows)
        rect.columns -= columns
        return cut
    }
}

extension Model {
    var layout: Layout {
        Layout(
            size: size, focus: focus, isZoomed: isZoomed, showsTime: time != nil,
            deviceCount: status.devices.count, hasConflicts: canShowConflicts)
    }

    /// Whether devices can disagree about rows of the list, and do somewhere. By the list and not
    /// by its visible rows, so that nothing jumps while they pass by.
    private var canShowConflicts: Bool {
        guard time == nil, status.conflictCount > 0, let list else { return false }
        return list.source.edits[.resolve] != nil || list.rows.contains(where: \.isConflict)
    }
}
