import Replication
import TidelineCore

/// When each device wrote, and where the shown instant lies. It cannot have the focus: its keys are
/// meant while the past is shown.
struct TimelineRegion: RegionModule {
    private(set) var timeline: Timeline?
    private(set) var request: RequestID?
    private(set) var problem: String?
    /// The version of the rows that it was asked for at, and when.
    private var askedVersion: Int?
    private var askedAt: Timestamp?

    static let region = Region.timeline

    static func whyNoKeys(in model: Model) -> String? {
        model.time == nil
            ? "the past is not shown; press \(model.keymap.hint(for: "time"))" : nil
    }

    static func request(in model: inout Model) -> [Effect] {
        let timeline = model.timeline
        guard model.layout.regions[.timeline] != nil, !model.panes.isEmpty,
            timeline.request == nil, timeline.askedVersion != model.version
        else { return [] }
        // What another device writes every few milliseconds does not move the picture.
        if let askedAt = timeline.askedAt, timeline.askedVersion != nil, !model.status.isLoading,
            model.now.microseconds(since: askedAt) < 2_000_000
        {
            return []
        }
        let id = model.newRequest()
        model.timeline.request = id
        model.timeline.askedVersion = model.version
        model.timeline.askedAt = model.now
        return [.timeline(id, buckets: max(8, min(model.size.columns, 400)))]
    }

    /// Asks for it anew, however lately that was done.
    mutating func askAgain() { askedVersion = nil }

    mutating func receive(_ id: RequestID, _ answer: Message.Answer<Timeline>) {
        guard request == id else { return }
        request = nil
        switch answer {
        case .success(let value):
            timeline = value
            problem = nil
        case .failure(let failure): problem = failure.message
        }
    }

    static func isAwaited(in model: Model) -> Bool {
        model.time?.pending != nil && model.time?.playing == nil
    }

    static func giveUp(in model: inout Model) -> [Effect] {
        defer { model.time?.pending = nil }
        return model.time?.pending.map { [.cancel($0.id)] } ?? []
    }

    static func title(in model: Model) -> String { "Timeline" }

    static func hints(in model: Model) -> [String] {
        [
            "step-back", "step-forward", "play", "week-back", "now", "mark-a", "mark-b", "compare",
            "help",
        ]
    }

    static func ages(in inner: Rect, of model: Model) -> [Timestamp] {
        model.time.map { [$0.instant] } ?? []
    }
}
