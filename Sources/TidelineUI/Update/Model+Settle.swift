import Replication
import TidelineCore

extension Model {
    /// Requests missing data and sets the necessary timers.
    mutating func settle() -> [Effect] {
        guard layout.kind != .tooSmall else { return setAlarms() }
        return requestIgnored() + requestValues() + requestPlaces() + requestNearby()
            + requestConflict() + requestProposal() + landOnConflict()
            + Region.allCases.flatMap { $0.module.request(in: &self) } + previewTheme()
            + setAlarms()
    }

    private mutating func setAlarms() -> [Effect] {
        var effects: [Effect] = []
        if let change = marks.nextChange(at: now) {
            // Marks that change at about the same time change together.
            let delay = max(change, 100_000)
            let (at, overflow) = now.microseconds.addingReportingOverflow(delay)
            if !overflow, at < alarms[.marks]?.microseconds ?? .max {
                effects.append(set(.marks, after: delay))
            }
        }
        if isWritable, alarms[.relock] == nil {
            let left = Self.relockAfter - max(0, now.microseconds(since: lastInput))
            effects.append(set(.relock, after: max(1_000_000, left)))
        }
        if waitsForStore, !waiting.isEmpty, alarms[.opening] == nil {
            effects.append(set(.opening, after: Self.longestOpening))
        }
        if let change = nextAgeChange, change < alarms[.ages] ?? .distantFuture {
            effects.append(set(.ages, after: max(1, change.microseconds(since: now))))
        }
        return effects
    }

    /// Sets a timer.
    mutating func set(_ alarm: Alarm, after microseconds: Int64) -> Effect {
        alarms[alarm] = Timestamp(microseconds: now.microseconds &+ microseconds)
        return .wake(alarm, after: .microseconds(microseconds))
    }
}
