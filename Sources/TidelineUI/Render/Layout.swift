import TidelineCore

/// Which part of the screen shows what: a pure function of the model's size and mode.
struct Layout: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// Less than 20x5: only that it is too small.
        case tooSmall
        /// Less than 60x12: one region, from 8 lines on with a line of keys, and above it what must
        /// be known at any size, where there is such.
        case bare
        /// One region at a time, with tabs and a peek at the selected row.
        case single
        /// The list, and the inspector below it or beside it.
        case split
        /// The same with device columns under the inspector, a timeline, and a sidebar where that
        /// fits too.
        case wide
    }

    var kind: Kind
    var header: Rect?
    var footer: Rect?
    /// Regions that are shown, frames included.
    var regions: [Region: Rect] = [:]
    /// Whether regions have frames.
    var isFramed = false
    /// Whether the timeline is a strip below the rest, which has no frame.
    private var hasStrip = false
    /// The timeline, where it is a strip.
    var strip: Rect? { hasStrip ? regions[.timeline] : nil }
    /// Two lines about the selected row, where the inspector is not shown.
    var peek: Rect?

    /// The fewest columns of an inspector that are worth their place.
    private static let leastBeside = 36

    /// Below, a list has all of the width: its values are long, whatever its columns need.
    private static let leastForBeside = 130

    /// How many hundredths regions have of what they share with the list, where a person said so;
    /// `0`: they have no place of their own.
    private var shares: [Region: Int] = [:]
    private var hasPast = true
    /// Lanes of a strip that stand where rows of the list would be blank.
    private var freeLanes = 0
    /// Lines of the list that are about itself.
    private var noteRows = 0
    /// How many rows the list will have once it is shown again.
    private var heightElsewhere: Int?

    /// The list comes first: another region gets a place beside it only where every column of the
    /// list keeps its width.
    ///
    /// - Parameters:
    ///   - listWidth: The columns of the screen that the list needs; see
    ///     ``ColumnSpans/naturalWidth(of:)``.
    ///   - deviceCount: How many lines a timeline needs.
    ///   - rowCount: How many rows the list has at most while the timeline is a strip: what it
    ///     leaves blank is for lanes. `nil`: more than are known.
    ///   - hasPast: Whether there is anything for a timeline to show.
    ///   - hasConflicts: Whether there is anything for device columns to show.
    ///   - hasStates: Whether there is anything to say above the smallest screens.
    ///   - noteRows: How many lines of the list say why it is not all, or not of now.
    ///   - shares: How many hundredths regions have of what they share with the list.
    init(
        size: Size, focus: Region = .list, isZoomed: Bool = false, showsTime: Bool = false,
        listWidth: Int = 80, deviceCount: Int = 0, rowCount: Int? = nil, hasPast: Bool = true,
        hasConflicts: Bool = false, hasStates: Bool = false, noteRows: Int = 0,
        shares: [Region: Int] = [:]
    ) {
        func arranged(freeLanes: Int, forList: Bool = false) -> Layout {
            var layout = Layout(
                size, forList ? .list : focus, isZoomed: isZoomed && !forList,
                showsTime: showsTime, listWidth: listWidth, deviceCount: deviceCount,
                freeLanes: freeLanes, hasPast: hasPast, hasConflicts: hasConflicts,
                hasStates: hasStates, shares: shares)
            layout.noteRows = noteRows
            return layout
        }
        self = arranged(freeLanes: 0)
        if hasStrip, let rowCount, let lanes = inner(.timeline).map({ $0.rows - 1 }) {
            let free = min(deviceCount - lanes, listHeight - max(1, rowCount))
            if free > 0, regions[.list] != nil { self = arranged(freeLanes: free) }
        }
        if regions[.list] == nil {
            heightElsewhere = arranged(freeLanes: 0, forList: true).listHeight
        }
    }

    private init(
        _ size: Size, _ focus: Region, isZoomed: Bool, showsTime: Bool, listWidth: Int,
        deviceCount: Int, freeLanes: Int, hasPast: Bool, hasConflicts: Bool, hasStates: Bool,
        shares: [Region: Int]
    ) {
        self.shares = shares
        self.hasPast = hasPast
        self.freeLanes = freeLanes
        // Inside a frame, and as wide as what a terminal of 80 columns shows.
        let least = max(80, listWidth) + 2
        kind = Self.kind(of: size, listWidth: least)
        // The widest share what a list as wide as a screen of 120 columns leaves.
        let needed = kind == .wide ? max(least, 120) : least
        let screen = Rect(size)
        switch kind {
        case .tooSmall: return
        case .bare:
            var body = screen
            if hasStates {
                header = body.line(0)
                body.row += 1
                body.rows -= 1
            }
            // A line for the way to all keys, where that leaves enough.
            if size.rows >= 8 { footer = Self.cutBottom(&body, rows: 1) }
            regions = [focus: body]
            return
        case .single, .split, .wide: break
        }
        header = Rect(columns: size.columns, rows: 1)
        footer = Rect(row: size.rows - 1, columns: size.columns, rows: 1)
        isFramed = kind != .single
        let whole = Rect(row: 1, columns: size.columns, rows: size.rows - 2)
        if kind != .single, !isZoomed {
            divide(
                whole, listWidth: needed, showsTime: showsTime, deviceCount: deviceCount,
                hasConflicts: hasConflicts)
            if regions[focus] != nil { return }
            // What has no place of its own has the whole when it is asked for.
            (regions, hasStrip) = ([:], false)
        }
        var body = whole
        if showsTime { cutStrip(&body, for: deviceCount) }
        if kind == .single, focus == .list, !isZoomed, body.rows >= 8 {
            peek = Self.cutBottom(&body, rows: 2)
        }
        regions[focus] = body
    }

    private mutating func divide(
        _ whole: Rect, listWidth: Int, showsTime: Bool, deviceCount: Int, hasConflicts: Bool
    ) {
        var body = whole
        var free = body.columns - listWidth
        if kind == .wide {
            cutBottomRegions(&body, of: whole, deviceCount)
            if whole.columns >= 180, free >= 24 + Self.leastBeside {
                regions[.sidebar] = Self.cutLeft(&body, columns: 24)
                free -= 24
            }
        } else if showsTime {
            cutStrip(&body, for: deviceCount)
        }
        guard Self.hasRoomBeside(columns: whole.columns, free: free) else {
            if let rows = share(.inspector, of: body.rows, or: body.rows / 3) {
                var below = Self.cutBottom(&body, rows: max(3, rows))
                if kind != .wide { cutEvents(&below) }
                regions[.inspector] = below
            }
            regions[.list] = body
            return
        }
        if kind != .wide, body.rows >= 30,
            let rows = share(.events, of: body.rows, or: body.rows / 5)
        {
            regions[.events] = Self.cutBottom(&body, rows: max(5, rows))
        }
        guard
            let columns = share(.inspector, of: whole.columns, or: whole.columns * 3 / 10)
        else {
            regions[.list] = body
            return
        }
        var right = Self.cutRight(&body, columns: min(free, max(Self.leastBeside, columns)))
        if hasConflicts, kind == .wide {
            regions[.sides] = Self.cutBottom(&right, rows: right.rows / 3)
        }
        regions[.inspector] = right
        regions[.list] = body
    }

    /// Cuts off the timeline with the events beside it, or these alone.
    private mutating func cutBottomRegions(
        _ body: inout Rect, of whole: Rect, _ deviceCount: Int
    ) {
        guard hasPast || share(.events, of: whole.columns, or: 1) != nil else { return }
        var bottom = Self.cutBottom(
            &body, rows: max(8, min(whole.rows / 4, max(deviceCount, 2) + 4)))
        if hasPast { cutEvents(&bottom) }
        regions[hasPast ? .timeline : .events] = bottom
    }

    /// What a region gets of so many columns or rows; `nil` where it is to have no place.
    private func share(_ region: Region, of whole: Int, or usual: Int) -> Int? {
        guard let share = shares[region] else { return usual }
        return share == 0 ? nil : whole * min(share, Region.shareRange.upperBound) / 100
    }

    /// Cuts the events off at the right.
    private mutating func cutEvents(_ rect: inout Rect) {
        let usual = rect.columns * 2 / 5
        guard let columns = share(.events, of: rect.columns, or: usual) else { return }
        regions[.events] = Self.cutRight(&rect, columns: columns)
    }

    /// Whether at most one of the regions that can have the focus is shown.
    var isOneAtATime: Bool { Region.focusable.count { regions[$0] != nil } <= 1 }

    func hasFrame(_ region: Region) -> Bool { isFramed && !(hasStrip && region == .timeline) }

    /// Whether a line with its title stands above a region that has no frame. A list has the titles
    /// of its columns.
    func hasTitleLine(_ region: Region) -> Bool {
        kind == .single && region != .list && region != .timeline
    }

    /// The rectangle inside a region's frame, or under its title.
    func inner(_ region: Region) -> Rect? {
        guard var rect = regions[region] else { return nil }
        if hasFrame(region) { return rect.inset() }
        if hasTitleLine(region) {
            rect.row += 1
            rect.rows -= 1
        }
        return rect
    }

    /// The rows of a list that are visible, under the column titles; while the list is not shown,
    /// those that will be, so that it keeps its place.
    var listHeight: Int {
        guard let inner = inner(.list) else { return heightElsewhere ?? 1 }
        return max(1, inner.rows - Self.titleRows(in: inner) - noteRows)
    }

    /// A list of very few rows has no line of column titles.
    static func titleRows(in rect: Rect) -> Int { rect.rows >= 4 ? 1 : 0 }

    private static func kind(of size: Size, listWidth: Int) -> Kind {
        if size.columns < 20 || size.rows < 5 { return .tooSmall }
        if size.columns < 60 || size.rows < 12 { return .bare }
        if size.columns >= 160 && size.rows >= 40 { return .wide }
        let isBeside = hasRoomBeside(columns: size.columns, free: size.columns - listWidth)
        return isBeside && size.rows >= 24 || size.columns >= 100 && size.rows >= 36
            ? .split : .single
    }

    /// Whether an inspector gets a place beside the list.
    ///
    /// - Parameter free: The columns that the list leaves.
    private static func hasRoomBeside(columns: Int, free: Int) -> Bool {
        free >= leastBeside && columns >= leastForBeside
    }

    /// Cuts off the lines of a timeline, one a device as far as there is space.
    private mutating func cutStrip(_ rect: inout Rect, for deviceCount: Int) {
        let rows = min(max(deviceCount, 1), rect.rows / 7) + freeLanes + 1
        regions[.timeline] = Self.cutBottom(&rect, rows: rows)
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

extension Model {
    var layout: Layout {
        Layout(
            size: size, focus: focus, isZoomed: isZoomed, showsTime: time != nil,
            listWidth: list.map { ColumnSpans.naturalWidth(of: $0.source.columns) } ?? 80,
            deviceCount: status.devices.count, rowCount: mostRowsInPast, hasPast: hasPast,
            hasConflicts: canShowConflicts, hasStates: !Header.states(of: self).isEmpty,
            noteRows: list.map { $0.total > 0 && whyNotCurrent($0) != nil ? 1 : 0 } ?? 0,
            shares: shares)
    }

    /// Why what a list shows is not all, or not of now.
    func whyNotCurrent(_ list: ListState) -> String? {
        if status.phase == .gone {
            // Over the list a conflict says it too.
            if case .conflict = overlay { return nil }
            return Self.whyGone
        }
        return list.problem.map { "\($0) (\(keymap.hint(for: "reload")) tries again)" }
    }

    /// Where dialogs stand: below the line that says what must be known at any size, above that of
    /// the keys and of what is said.
    var dialogArea: Rect {
        let layout = layout
        let top = layout.header == nil ? 0 : 1
        let bottom = layout.footer == nil && notice == nil ? 0 : 1
        return Rect(row: top, columns: size.columns, rows: size.rows - top - bottom)
    }

    /// How many rows the list had at any instant of the past that was shown, so that the strip stays
    /// where it is on the way from instant to instant.
    private var mostRowsInPast: Int? {
        guard let time, let list, list.isLoaded, list.isTotalExact else { return nil }
        return max(list.total, time.mostRows[list.source.id] ?? 0)
    }

    /// Whether the store has a past, or devices whose writes a timeline shows: not this list alone,
    /// so that nothing jumps on the way from pane to pane.
    var hasPast: Bool {
        time != nil || panes.isEmpty || !status.devices.isEmpty
            || panes.contains { $0.lists[0].source.hasPast }
    }

    /// Whether devices can disagree about rows of the list, and do somewhere. By the list and not
    /// by its visible rows, so that nothing jumps while they pass by.
    private var canShowConflicts: Bool {
        guard time == nil, status.conflictCount > 0, let list else { return false }
        return list.source.edits[.resolve] != nil || list.rows.contains(where: \.isConflict)
    }
}
