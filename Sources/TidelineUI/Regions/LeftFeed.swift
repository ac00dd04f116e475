public import TidelineCore

/// The feed of a store that stays open while another is shown: what it showed, and what has happened
/// since, to be shown when the store is gone back to.
public struct LeftFeed: Sendable {
    let events: EventsRegion
    let missed: AsyncStream<SessionEvent>

    /// The feed of a screen that is left.
    ///
    /// - Parameter missed: What happens from now on; the oldest is forgotten of very much.
    public init(of model: Model, missed: AsyncStream<SessionEvent>) {
        events = model.events
        self.missed = missed
    }
}
