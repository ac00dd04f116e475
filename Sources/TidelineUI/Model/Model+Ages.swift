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
            let (age, overflow) = now.microseconds.subtractingReportingOverflow(
                instant.microseconds)
            let grid: Int64 = !overflow && age.magnitude < 60_000_000 ? 1_000_000 : 60_000_000
            return change.rounded(up: grid)
        }
        return next.min()
    }

    /// The instants whose ages can be seen and run with the clock.
    private var visibleAges: [Timestamp] {
        let layout = layout
        guard layout.kind != .tooSmall else { return [] }
        var instants: [Timestamp] = []
        if let inner = layout.inner(.list), let list, time == nil || !list.source.hasPast {
            let spans = ColumnSpans(
                list.source.columns, contents: list.contentWidths, width: inner.columns
            ).spans.filter { $0.timeForm == .age }
            for row in list.rows.dropFirst(max(0, list.top - list.start)).prefix(layout.listHeight)
            {
                for span in spans where row.cells.indices.contains(span.index) {
                    if let instant = row.cells[span.index].instant { instants.append(instant) }
                }
            }
        }
        if let inner = layout.inner(.sidebar) {
            instants += sidebarLines(rows: inner.rows).compactMap(\.instant)
        }
        if let time, layout.timeline != nil { instants.append(time.instant) }
        return instants
    }

    /// What the ages of a list are reckoned from: in the past, the instant that is shown.
    func ageReference(of list: ListState) -> Timestamp {
        (list.source.hasPast ? instant : nil) ?? now
    }
}

extension Timestamp {
    /// The next whole multiple of `grid` microseconds, itself included.
    fileprivate func rounded(up grid: Int64) -> Timestamp {
        let remainder = microseconds % grid
        let missing = remainder > 0 ? grid - remainder : -remainder
        let (result, overflow) = microseconds.addingReportingOverflow(missing)
        return overflow ? self : Timestamp(microseconds: result)
    }
}
