import Replication
import TidelineCore

/// The timeline: when each device wrote, and time travel. The panel can't have the focus. Its keys
/// apply during time travel.
struct TimelinePanel: PanelModule {
    private(set) var timeline: Timeline?
    private(set) var request: RequestID?
    private(set) var problem: String?
    /// The state of time travel; `nil` in the present.
    var time: TimeState?
    /// The instants marked for comparison. They stay marked after time travel.
    var markA: Timestamp?
    var markB: Timestamp?
    /// Whether the mouse button was pressed on the timeline, so that dragging moves in time.
    var takesDrags = false
    /// The version of the rows, and the time, of the last request.
    private var askedVersion: Int?
    private var askedAt: Timestamp?

    /// The minimum time between requests, in microseconds.
    private static let pause: Int64 = 2_000_000

    mutating func request(in context: ScreenContext, _ requests: inout Requests) -> [Effect] {
        if let list = context.list, list.isLoaded, let time {
            self.time?.mostRows[list.source.id] = max(
                list.total, time.mostRows[list.source.id] ?? 0)
        }
        return requestStep(&requests) + requestTimeline(in: context, &requests)
    }

    private mutating func requestStep(_ requests: inout Requests) -> [Effect] {
        guard let pending = time?.pending, pending.id == nil else { return [] }
        let id = requests.newID()
        time?.pending?.id = id
        return [pending.effect(id)]
    }

    private mutating func requestTimeline(
        in context: ScreenContext, _ requests: inout Requests
    ) -> [Effect] {
        guard context.layout.panels[.timeline] != nil, !context.navigation.panes.isEmpty,
            request == nil, askedVersion != context.session.version
        else { return [] }
        // Limit how often writes of other devices redraw the timeline.
        if let askedAt, askedVersion != nil, !context.session.status.isLoading {
            let left = Self.pause - context.now.microseconds(since: askedAt)
            if left > 0 {
                // After a burst of writes, a timer requests the last state.
                return requests.alarms[.timeline] == nil
                    ? [requests.set(.timeline, after: left, from: context.now)] : []
            }
        }
        let id = requests.newID()
        request = id
        askedVersion = context.session.version
        askedAt = context.now
        return [.timeline(id, buckets: max(8, min(context.size.columns, 400)))]
    }

    /// Requests the timeline again, however recent the last answer is.
    mutating func askAgain() { askedVersion = nil }

    mutating func receive(_ id: RequestID, _ answer: Answer<Timeline>) {
        guard request == id else { return }
        request = nil
        switch answer {
        case .success(let value):
            timeline = value
            problem = nil
        case .failure(let failure):
            problem = failure.message
            // The store may still be loading, so the next request isn't delayed.
            askedAt = nil
        }
    }

    var isAwaited: Bool { time?.pending != nil && time?.playing == nil }

    mutating func cancelWait() -> [ScreenOutcome] {
        defer { time?.pending = nil }
        return ScreenOutcome.cancel(time?.pending?.id)
    }

    func title(in context: ScreenContext) -> String { "Timeline" }

    func hints(in context: ScreenContext) -> [String] {
        let marks = ["mark-a", "mark-b"]
        // A list of differences is inside another list.
        let isNested = (context.navigation.pane?.lists.count ?? 0) > 1
        let canRestore =
            context.list?.source.edits[.restore] != nil
            && context.list?.selectedRow?.refusedEdits[.restore] == nil
        var others = ["step-back", "step-forward", "now"]
        if isNested { others.append("back") }
        others.append(canRestore && !context.writing.isWritable ? "unlock" : "restore")
        others += ["week-back", "play"]
        // If a mark is set and no comparison is open, the hint for comparing comes first.
        let isMarked = markA != nil || markB != nil
        let offersComparing = isMarked && context.list?.isDifference != true
        let comparing = ["compare-marks"]
        return (offersComparing ? comparing + others : others + comparing) + marks
            + ["go-to-write", "help"]
    }

    func ages(in inner: Rect, of context: ScreenContext) -> [Timestamp] {
        context.instant.map { [$0] } ?? []
    }
}

/// The mouse.
extension TimelinePanel {
    /// Returns the width of the device names to the left of the lanes.
    static func nameWidth(columns: Int) -> Int { min(16, columns / 4) }

    /// Goes to the instant that is shown at a point of the lanes or of their times.
    mutating func click(at point: Point, in inner: Rect, of context: ScreenContext) -> Click {
        let names = Self.nameWidth(columns: inner.columns)
        let (column, columns) = (point.column - names, inner.columns - names)
        guard let timeline, context.whyNoTimeTravel == nil, point.row > 0, column >= 0,
            columns > 1
        else { return (false, []) }
        let span = timeline.last.microseconds(since: timeline.first)
        // Round up, so that the instant is shown in this column.
        let offset = (Double(span) * Double(column) / Double(columns - 1)).rounded(.up)
        let instant =
            column == columns - 1
            ? timeline.last
            : Timestamp(
                microseconds: timeline.first.microseconds &+ (Int64(exactly: offset) ?? 0))
        guard time != nil else { return (true, [.goIntoPast(to: instant, by: nil)]) }
        time?.playing = nil
        return (true, show(instant))
    }
}

/// The marks.
extension TimelinePanel {
    /// Sets a mark at the current instant, or removes an existing mark.
    mutating func mark(_ mark: WritableKeyPath<Self, Timestamp?>) {
        guard let time else { return }
        self[keyPath: mark] = self[keyPath: mark] == time.instant ? nil : time.instant
    }

    /// Returns the instant that a command argument names: a mark, or a time.
    func instant(named text: String, in state: some ScreenState) -> Timestamp? {
        switch text {
        case "A", "a": markA
        case "B", "b": markB
        case "now": state.now
        default:
            TypedTime.instant(in: text, now: state.now, offset: state.preferences.utcOffset)
        }
    }
}

/// The lanes of the devices.
extension TimelinePanel {
    /// Returns the visible lanes, including the lane that was last scrolled into view.
    func lanes(in context: ScreenContext) -> Range<Int> {
        let rows = context.layout.laneRows
        let devices = context.session.status.devices
        var first = time?.topLane ?? 0
        if let lane = devices.firstIndex(where: { $0.id == time?.lane }) {
            first = max(min(first, lane), lane - rows + 1)
        }
        first = max(0, min(first, devices.count - rows))
        return first..<min(first + rows, devices.count)
    }

    mutating func revealLane(of device: DeviceID, in context: ScreenContext) {
        time?.lane = device
        reveal(in: context)
    }

    mutating func reveal(in context: ScreenContext) {
        let top = lanes(in: context).lowerBound
        time?.topLane = top
    }
}
