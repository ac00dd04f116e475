import Synchronization

/// The positions of panels. They depend only on ``Conditions``, such as the size of the screen.
struct Layout: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// Below 20x5: only a note that the screen is too small.
        case tooSmall
        /// Below 60x12: one panel, with essential states and, from 8 lines on, a footer.
        case bare
        /// One panel at a time, with tabs and a preview of the selected row.
        case single
        /// The list with the inspector below or next to it.
        case split
        /// Like `split`, with conflicts by device, a timeline and, if it fits, a sidebar.
        case wide
    }

    var kind: Kind
    var header: Rect?
    var footer: Rect?
    /// The visible panels, including their frames.
    var panels: [Panel: Rect] = [:]
    /// Whether panels have frames.
    var isFramed = false
    /// Whether the timeline is a strip at the bottom of the screen, without a frame.
    private var hasStrip = false
    var strip: Rect? { hasStrip ? panels[.timeline] : nil }
    /// Whether the last row of the timeline shows times.
    private(set) var hasTimeAxis = false
    /// Two lines about the selected row, if the inspector is hidden.
    var peek: Rect?

    /// The minimum width of a useful inspector.
    private static let leastBeside = 36

    /// The minimum screen width for an inspector next to the list. On narrower screens, the
    /// inspector is below the list and gets the full width, since its values are long.
    private static let leastForBeside = 130

    /// The minimum number of rows for a line of times below the timeline.
    private static let leastForTimeAxis = 14

    fileprivate let given: Conditions
    /// The number of additional lanes in the strip, in rows that the list would leave blank.
    private let freeLanes: Int
    /// The number of visible list rows once the list is shown again.
    private var heightElsewhere: Int?

    /// The state of the screen that determines the layout.
    struct Conditions: Hashable, Sendable {
        var size: Size
        var focus = Panel.list
        var isZoomed = false
        var showsTime = false
        /// The width that the list needs; see ``ColumnSpans/naturalWidth(of:)``.
        var listWidth = 80
        /// The number of lanes in the timeline.
        var deviceCount = 0
        /// The maximum number of rows in the list while the timeline is a strip; `nil` if unknown.
        /// The strip may use the space below these rows.
        var rowCount: Int?
        /// Whether there is a past for the timeline to show.
        var hasPast = true
        /// Whether there are conflicts to show by device.
        var hasConflicts = false
        /// Whether there are essential states to show on small screens.
        var hasStates = false
        /// The number of lines that explain why the list is incomplete or out of date.
        var noteRows = 0
        /// The panel sizes in percent, if set by the user. `0` hides a panel.
        var shares: [Panel: Int] = [:]
    }

    /// Lays out the screen. The list has priority. Another panel gets space next to the list only
    /// if every column of the list keeps its width.
    init(_ given: Conditions) {
        self.init(given, freeLanes: 0)
        if hasStrip, let rowCount = given.rowCount {
            let free = min(given.deviceCount - laneRows, listHeight - max(1, rowCount))
            if free > 0, panels[.list] != nil { self = Layout(given, freeLanes: free) }
        }
        if panels[.list] == nil {
            var ofList = given
            (ofList.focus, ofList.isZoomed) = (.list, false)
            heightElsewhere = Layout(ofList, freeLanes: 0).listHeight
        }
    }

    private init(_ given: Conditions, freeLanes: Int) {
        self.given = given
        self.freeLanes = freeLanes
        let (size, focus) = (given.size, given.focus)
        // The list is at least as wide as on a terminal of 80 columns. The frame takes 2 columns.
        let least = max(80, given.listWidth) + 2
        kind = Self.kind(of: size, listWidth: least)
        // On wide screens, the list is at least as wide as on a screen of 120 columns.
        let needed = kind == .wide ? max(least, 120) : least
        let screen = Rect(size)
        switch kind {
        case .tooSmall: return
        case .bare:
            var body = screen
            if given.hasStates {
                header = body.line(0)
                body = body.dropping(rows: 1)
            }
            // Add a line for the footer if enough lines remain.
            if size.rows >= 8 { footer = Self.cutBottom(&body, rows: 1) }
            panels = [focus: body]
            return
        case .single, .split, .wide: break
        }
        header = Rect(columns: size.columns, rows: 1)
        footer = Rect(row: size.rows - 1, columns: size.columns, rows: 1)
        isFramed = kind != .single
        let whole = Rect(row: 1, columns: size.columns, rows: size.rows - 2)
        if kind != .single, !given.isZoomed {
            divide(whole, listWidth: needed)
            if panels[focus] != nil { return }
            // A focused panel without space in the layout fills the screen.
            (panels, hasStrip, hasTimeAxis) = ([:], false, false)
        }
        var body = whole
        if given.showsTime { cutStrip(&body) }
        if kind == .single, focus == .list, !given.isZoomed, body.rows >= 8 {
            peek = Self.cutBottom(&body, rows: 2)
        }
        panels[focus] = body
    }

    private mutating func divide(_ whole: Rect, listWidth: Int) {
        var body = whole
        var free = body.columns - listWidth
        if kind == .wide {
            cutBottomPanels(&body, of: whole)
            if whole.columns >= 180, free >= 24 + Self.leastBeside {
                panels[.sidebar] = Self.cutLeft(&body, columns: 24)
                free -= 24
            }
        } else if given.showsTime {
            cutStrip(&body)
        }
        guard Self.hasRoomBeside(columns: whole.columns, free: free) else {
            if let rows = share(.inspector, of: body.rows, or: body.rows / 3) {
                var below = Self.cutBottom(&body, rows: max(3, rows))
                if kind != .wide { cutEvents(&below) }
                panels[.inspector] = below
            }
            panels[.list] = body
            return
        }
        if kind != .wide, body.rows >= 30,
            let rows = share(.events, of: body.rows, or: body.rows / 5)
        {
            panels[.events] = Self.cutBottom(&body, rows: max(5, rows))
        }
        guard
            let columns = share(.inspector, of: whole.columns, or: whole.columns * 3 / 10)
        else {
            panels[.list] = body
            return
        }
        var right = Self.cutRight(&body, columns: min(free, max(Self.leastBeside, columns)))
        if given.hasConflicts, kind == .wide {
            panels[.conflicts] = Self.cutBottom(&right, rows: right.rows / 3)
        }
        panels[.inspector] = right
        panels[.list] = body
    }

    /// Cuts a strip from the bottom, for the timeline and the Events panel. Without a past to show,
    /// the strip is only for the Events panel, and exists only if that panel isn't hidden.
    private mutating func cutBottomPanels(_ body: inout Rect, of whole: Rect) {
        let hasPast = given.hasPast
        guard hasPast || share(.events, of: whole.columns, or: 1) != nil else { return }
        var bottom = Self.cutBottom(
            &body, rows: max(8, min(whole.rows / 4, max(given.deviceCount, 2) + 4)))
        if hasPast { cutEvents(&bottom) }
        hasTimeAxis = hasPast
        panels[hasPast ? .timeline : .events] = bottom
    }

    /// Returns the size of a panel, given the available space; `nil` if the panel is hidden.
    private func share(_ panel: Panel, of whole: Int, or usual: Int) -> Int? {
        guard let share = given.shares[panel] else { return usual }
        return share == 0 ? nil : whole * min(share, Panel.shareRange.upperBound) / 100
    }

    /// Cuts the Events panel from the right.
    private mutating func cutEvents(_ rect: inout Rect) {
        let usual = rect.columns * 2 / 5
        guard let columns = share(.events, of: rect.columns, or: usual) else { return }
        panels[.events] = Self.cutRight(&rect, columns: columns)
    }

    /// The number of rows for the lanes of the timeline, below its title.
    var laneRows: Int {
        max(0, (inner(.timeline)?.rows ?? 0) - 1 - (hasTimeAxis ? 1 : 0))
    }

    /// Whether at most one focusable panel is visible.
    var isOneAtATime: Bool { Panel.focusable.count { panels[$0] != nil } <= 1 }

    func hasFrame(_ panel: Panel) -> Bool { isFramed && !(hasStrip && panel == .timeline) }

    /// Whether a panel without a frame has a title line. A list has column titles instead.
    func hasTitleLine(_ panel: Panel) -> Bool {
        kind == .single && panel != .list && panel != .timeline
    }

    /// Returns the content area of a panel, inside its frame or below its title.
    func inner(_ panel: Panel) -> Rect? {
        guard let rect = panels[panel] else { return nil }
        if hasFrame(panel) { return rect.inset() }
        return hasTitleLine(panel) ? rect.dropping(rows: 1) : rect
    }

    /// The number of visible list rows below the column titles. While the list is hidden, this is
    /// the number of rows that it will have when shown, so that the list keeps its scroll position.
    var listHeight: Int {
        guard let inner = inner(.list) else { return heightElsewhere ?? 1 }
        return max(1, inner.rows - Self.titleRows(in: inner) - given.noteRows)
    }

    /// Returns the number of lines for column titles. Very short lists have none.
    static func titleRows(in rect: Rect) -> Int { rect.rows >= 4 ? 1 : 0 }

    /// Returns whether a screen is too small to show anything but a note.
    static func isTooSmall(_ size: Size) -> Bool { size.columns < 20 || size.rows < 5 }

    /// Returns whether a screen has one panel and no line of tabs.
    static func isBare(_ size: Size) -> Bool { size.columns < 60 || size.rows < 12 }

    private static func kind(of size: Size, listWidth: Int) -> Kind {
        if isTooSmall(size) { return .tooSmall }
        if isBare(size) { return .bare }
        if size.columns >= 160 && size.rows >= 40 { return .wide }
        let isBeside = hasRoomBeside(columns: size.columns, free: size.columns - listWidth)
        return isBeside && size.rows >= 24 || size.columns >= 100 && size.rows >= 36
            ? .split : .single
    }

    /// Whether the inspector fits next to a list that leaves `free` columns.
    private static func hasRoomBeside(columns: Int, free: Int) -> Bool {
        free >= leastBeside && columns >= leastForBeside
    }

    /// Cuts the lines of the timeline from the bottom: a title, lanes for as many devices as fit
    /// and, if there are enough rows, a line of times.
    private mutating func cutStrip(_ rect: inout Rect) {
        hasTimeAxis = rect.rows >= Self.leastForTimeAxis
        let lanes = min(max(given.deviceCount, 1), rect.rows / 7) + freeLanes
        let rows = lanes + 1 + (hasTimeAxis ? 1 : 0)
        panels[.timeline] = Self.cutBottom(&rect, rows: rows)
        hasStrip = true
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

/// The last layout, so that a message computes the layout only once unless it changes the
/// conditions. Copies of a model share the last layout.
final class LastLayout: Sendable {
    private let last = Mutex<Layout?>(nil)

    func layout(for conditions: Layout.Conditions) -> Layout {
        last.withLock { last in
            if let last, last.given == conditions { return last }
            let layout = Layout(conditions)
            last = layout
            return layout
        }
    }
}
