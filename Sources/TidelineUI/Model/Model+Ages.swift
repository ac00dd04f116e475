import Replication
import TidelineCore

/// Ages run on while nothing happens. The screen does not tick: it asks to be woken at the instant
/// at which the first of the ages that can be seen reads differently.
extension Model {
    /// When to draw anew because of the ages; `nil` where none can be seen that changes.
    ///
    /// Ages in seconds change with the second, all others with the minute: what changes close
    /// together changes together, and a screen of old rows wakes once a minute at most.
    var nextAgeChange: Timestamp? {
        let next = visibleAges.compactMap { instant -> Timestamp? in
            guard let change = TimeText.nextAge(of: instant, after: now) else { return nil }
            let isClose = now.microseconds(since: instant).magnitude < 60_000_000
            return change.rounded(up: isClose ? 1_000_000 : 60_000_000)
        }
        return (next + otherChanges).min()
    }

    private var otherChanges: [Timestamp] {
        let layout = layout
        return layout.regions.keys.compactMap { region in
            layout.inner(region).flatMap { region.module.nextChange(in: $0, of: self) }
        }
    }

    /// The instants whose ages can be seen and run with the clock.
    private var visibleAges: [Timestamp] {
        let layout = layout
        return layout.regions.keys.flatMap { region in
            layout.inner(region).map { region.module.ages(in: $0, of: self) } ?? []
        }
    }

    /// What the ages of a list are reckoned from: in the past, the instant that is shown.
    func ageReference(of list: ListState) -> Timestamp {
        (list.source.hasPast ? instant : nil) ?? now
    }
}

extension Timestamp {
    /// How much later it is than another instant, as far as that is a number.
    func microseconds(since other: Timestamp) -> Int64 {
        let (difference, overflow) = microseconds.subtractingReportingOverflow(other.microseconds)
        return overflow ? (self < other ? .min : .max) : difference
    }

    /// The next whole multiple of `grid` microseconds, itself included.
    fileprivate func rounded(up grid: Int64) -> Timestamp {
        let remainder = microseconds % grid
        let missing = remainder > 0 ? grid - remainder : -remainder
        let (result, overflow) = microseconds.addingReportingOverflow(missing)
        return overflow ? self : Timestamp(microseconds: result)
    }
}
