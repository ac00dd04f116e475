import Replication
import TidelineCore

/// The timeline: when each device wrote, and where the current instant is. It can't have the focus;
/// its keys apply during time travel.
struct TimelineRegion: RegionModule {
    private(set) var timeline: Timeline?
    private(set) var request: RequestID?
    private(set) var problem: String?
    /// The instants marked for comparison. They stay marked after time travel.
    var markA: Timestamp?
    var markB: Timestamp?
    /// The row version of the last request, and its time.
    private var askedVersion: Int?
    private var askedAt: Timestamp?

    /// The minimum time between requests, in microseconds.
    private static let pause: Int64 = 2_000_000

    static let region = Region.timeline

    static func whyNoKeys(in model: Model) -> String? {
        model.time == nil
            ? "only available during time travel. Press \(model.preferences.keymap.hint(for: "time")) to start"
            : nil
    }

    static func request(in model: inout Model) -> [Effect] {
        if let list = model.list, list.isLoaded, let time = model.time {
            model.time?.mostRows[list.source.id] = max(
                list.total, time.mostRows[list.source.id] ?? 0)
        }
        let timeline = model.regions.timeline
        guard model.layout.regions[.timeline] != nil, !model.navigation.panes.isEmpty,
            timeline.request == nil, timeline.askedVersion != model.session.version
        else { return [] }
        // Limit how often writes of other devices redraw the timeline.
        if let askedAt = timeline.askedAt, timeline.askedVersion != nil,
            !model.session.status.isLoading
        {
            let left = pause - model.now.microseconds(since: askedAt)
            if left > 0 {
                // After a burst of writes, a timer requests the last state.
                return model.requests.alarms[.timeline] == nil
                    ? [model.set(.timeline, after: left)] : []
            }
        }
        let id = model.requests.newID()
        model.regions.timeline.request = id
        model.regions.timeline.askedVersion = model.session.version
        model.regions.timeline.askedAt = model.now
        return [.timeline(id, buckets: max(8, min(model.panels.size.columns, 400)))]
    }

    /// Requests the timeline again, however recent the last answer is.
    mutating func askAgain() { askedVersion = nil }

    mutating func receive(_ id: RequestID, _ answer: Message.Answer<Timeline>) {
        guard request == id else { return }
        request = nil
        switch answer {
        case .success(let value):
            timeline = value
            problem = nil
        case .failure(let failure):
            problem = failure.message
            // The next version may complete the loading of the store, so request it at once.
            askedAt = nil
        }
    }

    static func isAwaited(in model: Model) -> Bool {
        model.time?.pending != nil && model.time?.playing == nil
    }

    static func cancelWait(in model: inout Model) -> [Effect] {
        defer { model.time?.pending = nil }
        return model.time?.pending.map { [.cancel($0.id)] } ?? []
    }

    static func title(in model: Model) -> String { "Timeline" }

    static func hints(in model: Model) -> [String] {
        let marks = ["mark-a", "mark-b"]
        let others = ["step-back", "step-forward", "now", "restore", "week-back", "play"]
        // If both marks are set, the hint for comparing comes first.
        let timeline = model.regions.timeline
        let isMarked = timeline.markA != nil && timeline.markB != nil
        return (isMarked ? ["compare-marks"] + others + marks : others + ["compare-marks"] + marks)
            + ["go-to-write", "help"]
    }

    static func reveal(in model: inout Model) {
        let top = model.shownLanes.lowerBound
        model.time?.topLane = top
    }

    static func ages(in inner: Rect, of model: Model) -> [Timestamp] {
        model.time.map { [$0.instant] } ?? []
    }
}
