import Replication

/// Updates of the displayed ages. There is no periodic timer. The screen wakes when the first
/// visible age changes.
extension Model {
    /// Returns the time at which the next visible age changes; `nil` if no visible age changes.
    ///
    /// Ages in seconds change with the second, and all other ages change with the minute, so that
    /// changes happen together. A screen of old rows wakes at most once per minute.
    func nextAgeChange(in context: ScreenContext) -> Timestamp? {
        let changes = context.layout.panels.keys.flatMap { panel -> [Timestamp] in
            guard let inner = context.layout.inner(panel) else { return [] }
            let module = panelStates[panel]
            let ages = module.ages(in: inner, of: context).compactMap { nextChange(of: $0) }
            return module.nextChange(in: inner, of: context).map { ages + [$0] } ?? ages
        }
        return changes.min()
    }

    /// Returns when the displayed age of an instant changes next; `nil` if it doesn't.
    private func nextChange(of instant: Timestamp) -> Timestamp? {
        guard let change = TimeText.nextAge(of: instant, after: now) else { return nil }
        let isClose = now.microseconds(since: instant).magnitude < 60_000_000
        return change.rounded(up: isClose ? 1_000_000 : 60_000_000)
    }
}

extension Timestamp {
    /// Returns the microseconds since another instant, clamped to the range of the type.
    func microseconds(since other: Timestamp) -> Int64 {
        let (difference, overflow) = microseconds.subtractingReportingOverflow(other.microseconds)
        return overflow ? (self < other ? .min : .max) : difference
    }

    /// Returns the next multiple of `grid` microseconds, including the instant itself.
    fileprivate func rounded(up grid: Int64) -> Timestamp {
        let remainder = microseconds % grid
        let missing = remainder > 0 ? grid - remainder : -remainder
        let (result, overflow) = microseconds.addingReportingOverflow(missing)
        return overflow ? self : Timestamp(microseconds: result)
    }
}
