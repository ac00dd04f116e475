import Replication

/// The state for drawing the user's attention to changes: alerts, marks of changed rows, and
/// ignored conflicts.
struct Watching: Sendable {
    var alerts: Set<Alert> = []
    /// The time when the bell last rang.
    var lastRing: Timestamp?
    /// The time at which this store was shown. The bell has already rung for earlier events.
    var shownSince = Timestamp.distantPast
    var marks = Marks()
    var ignored = IgnoredConflicts()
    /// Whether the session fills ``SessionEvent/parts``, which only notifications of alerts show.
    var readsParts = false
}
