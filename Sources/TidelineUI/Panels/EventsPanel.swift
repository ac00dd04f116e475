import Foundation
import Replication
import TidelineCore

/// The Events panel: recent events, newest last, below each device's write rate.
struct EventsPanel: PanelModule {
    private static let limit = 1_000
    /// The number of held events to keep when old events are dropped. Held events only determine
    /// which rows to mark. The rows are read again when events resume.
    private static let heldLimit = 2_000
    /// The maximum number of lines for a series of events. The last line also represents all later
    /// events of the series.
    private static let longestSeries = 10

    /// All lines, and those that match the filter.
    private var all: [EventLine] = []
    private(set) var lines: [EventLine] = []
    /// The filter as typed, and its last valid parse.
    private(set) var filter = ""
    private var passing: Filter?
    private(set) var filterProblem: FilterError?
    private(set) var rates = EventRates()
    /// The total number of events.
    private var count = 0
    /// The number of lines at the end that belong to the same series.
    private var seriesLength = 0
    /// The selected line, counted from the newest. `0` follows new events.
    var cursor = 0
    /// The number of columns scrolled away to the left.
    var textStart = 0
    var searchText = ""
    var isPaused = false
    /// The events held while paused. If there are very many, only the newest are kept.
    private(set) var held: [Held] = []
    /// The number of held event lines.
    private(set) var heldCount = 0
    /// The number of alerts not yet seen by the user.
    var unseenAlerts = 0

    /// The state that other parts of the screen show.
    struct Status: Hashable, Sendable {
        /// The number of held event lines; `nil` if events aren't paused.
        var heldCount: Int?
        var unseenAlerts = 0
        var filterProblem: FilterError?
    }

    var status: Status {
        Status(
            heldCount: isPaused ? heldCount : nil, unseenAlerts: unseenAlerts,
            filterProblem: filterProblem)
    }

    struct Held: Hashable, Sendable {
        var event: SessionEvent
        var isAlert: Bool
    }

    var selectedLine: EventLine? {
        let index = lines.count - 1 - cursor
        return lines.indices.contains(index) ? lines[index] : nil
    }

    /// Adds an event, which an alert may match.
    mutating func add(_ event: SessionEvent, by name: String, isAlert: Bool) {
        if case .changed(_, let rows, _) = event.kind, let device = event.device {
            rates.add(
                max(1, event.rowCount ?? rows.count), by: device, at: Timestamp(event.date))
        }
        guard var line = EventLine(event, by: name) else { return }
        line.isAlert = isAlert
        count += 1
        line.number = count
        let isOfSeries = all.last.map(line.isOfSeries(with:)) ?? false
        let isMerged = isOfSeries && seriesLength >= Self.longestSeries
        if let last = all.last, isMerged || line.isRepetition(of: last) {
            for list in [\Self.all, \Self.lines] where self[keyPath: list].last == last {
                let end = self[keyPath: list].count - 1
                self[keyPath: list][end].merge(line)
            }
            return
        }
        seriesLength = isOfSeries ? seriesLength + 1 : 1
        all.append(line)
        if all.count > Self.limit + Self.limit / 4 { all.removeFirst(all.count - Self.limit) }
        guard passing?.passes(line) ?? true else { return }
        lines.append(line)
        if cursor > 0 { cursor += 1 }
        if lines.count > Self.limit + Self.limit / 4 {
            lines.removeFirst(lines.count - Self.limit)
        }
        cursor = min(cursor, max(0, lines.count - 1))
    }

    /// Shows the lines that match a filter, or all lines while the filter is invalid.
    mutating func setFilter(_ text: String) {
        do throws(FilterError) {
            let filter = try Filter(text, fields: EventLine.fields)
            self.filter = text
            passing = filter.isEmpty ? nil : filter
            filterProblem = nil
            lines = passing.map { filter in all.filter { filter.passes($0) } } ?? all
            cursor = 0
        } catch {
            filterProblem = error
            (filter, passing, lines) = ("", nil, all)
        }
    }

    /// Selects the event with a sequence number, if its line still exists.
    mutating func select(number: Int) {
        guard let index = lines.firstIndex(where: { $0.number == number }) else { return }
        cursor = lines.count - 1 - index
    }

    /// Selects the next line that contains the search text, wrapping around.
    ///
    /// - Parameters:
    ///   - start: The first line to search, counted from the newest.
    ///   - backwards: Whether to search toward newer lines.
    /// - Returns: A notice if the search wrapped around or found nothing.
    mutating func search(from start: Int, backwards: Bool) -> Notice? {
        let count = lines.count
        guard !searchText.isEmpty else { return nil }
        let ignoresCase = !searchText.contains(where: \.isUppercase)
        for step in 0..<count {
            let place = (start + (backwards ? count - step : step)) % count
            let line = lines[count - 1 - (place + count) % count]
            let searched = line.name + " " + line.text
            guard (ignoresCase ? searched.lowercased() : searched).contains(searchText) else {
                continue
            }
            let wraps = backwards ? place > start : place < start
            cursor = place
            guard wraps else { return nil }
            return Notice(
                .info,
                backwards
                    ? "search wrapped to the oldest event" : "search wrapped to the newest event")
        }
        let events = hiddenCount > 0 ? "event that matches the filter" : "event"
        return Notice(.warning, "no \(events) contains “\(searchText)”")
    }

    /// The number of lines hidden by the filter.
    var hiddenCount: Int { all.count - lines.count }

    mutating func hold(_ event: SessionEvent, isAlert: Bool) {
        if EventLine(event, by: "") != nil { heldCount += 1 }
        held.append(Held(event: event, isAlert: isAlert))
        if held.count > 2 * Self.heldLimit { held.removeFirst(held.count - Self.heldLimit) }
    }

    /// Ends the pause. Returns the held events that were kept, and the total number of held events.
    mutating func release() -> ([Held], count: Int) {
        defer { (isPaused, held, heldCount) = (false, [], 0) }
        return (held, heldCount)
    }

    /// Returns the visible lines for a height, including the selected one.
    func window(rows: Int) -> ArraySlice<EventLine> {
        let end = max(0, min(lines.count, lines.count - cursor + rows / 2))
        let start = max(0, end - rows)
        return lines[start..<min(lines.count, start + rows)]
    }

    mutating func move(by delta: Int, in context: ScreenContext) -> [ScreenOutcome] {
        // The cursor counts from the newest event up.
        cursor = cursor.moved(by: -max(delta, -.max), of: lines.count)
        return []
    }

    func open(in context: ScreenContext) -> [ScreenOutcome] {
        guard let line = selectedLine, let link = line.link else {
            return [
                .notice(
                    .info,
                    selectedLine == nil
                        ? "no event is selected" : "this event doesn't belong to a row")
            ]
        }
        return [.follow(link, from: line.number)]
    }

    mutating func scrollSideways(by columns: Int, in context: ScreenContext) -> [ScreenOutcome] {
        let longest = lines.reduce(0) { max($0, $1.text.count) }
        textStart = textStart.moved(by: columns, of: longest - 7)
        return []
    }

    mutating func click(at point: Point, in inner: Rect, of context: ScreenContext) -> Click {
        let rates = rateRows(in: inner, of: context)
        let shown = window(rows: inner.rows - rates)
        let index = shown.startIndex + point.row - rates
        guard shown.indices.contains(index) else { return (false, []) }
        cursor = lines.count - 1 - index
        return (shown[index].link != nil, [])
    }

    func alert(in context: ScreenContext) -> Alert? {
        selectedLine?.device.map { .device($0) }
    }

    var filterPrompt: Prompt? {
        Prompt(purpose: .feed(before: filter), text: TextField(filter))
    }

    var searchPrompt: Prompt? {
        Prompt(purpose: .feedSearch(before: searchText, cursor: cursor), text: TextField())
    }

    mutating func goBack() -> Bool {
        guard !filter.isEmpty else { return false }
        setFilter("")
        return true
    }

    /// Alerts count as seen once the panel has the focus.
    mutating func request(in context: ScreenContext, _ requests: inout Requests) -> [Effect] {
        if context.panels.focus == .events { unseenAlerts = 0 }
        return []
    }

    func nextChange(in inner: Rect, of context: ScreenContext) -> Timestamp? {
        rateRows(in: inner, of: context) > 0 ? rates.nextChange(after: context.now) : nil
    }

    func title(in context: ScreenContext) -> String {
        let key = context.keymap.hint(for: "events")
        let state =
            isPaused
            ? " (paused, \(Counted.grouped(heldCount)) held)"
            : context.isFollowing ? " (following)" : ""
        let filter = filter.isEmpty ? "" : ": \(filter)"
        return (key.isEmpty ? "" : key + " ") + "Events\(filter)\(state)"
    }

    func place(in context: ScreenContext) -> String {
        if lines.isEmpty, hiddenCount > 0 { return "0 of \(hiddenCount) " }
        return Self.place(lines.count - cursor, of: lines.count)
    }

    func hints(in context: ScreenContext) -> [String] {
        (selectedLine?.link == nil ? [] : ["enter"])
            + ["back", "next-region", "filter", "pause", "alert", "help"]
    }
}
