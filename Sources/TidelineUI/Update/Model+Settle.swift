import Replication
import TidelineCore

extension Model {
    /// Asks for what is wanted and not at hand, and sets the alarms that are needed.
    mutating func settle() -> [Effect] {
        guard layout.kind != .tooSmall else { return setAlarms() }
        return requestRows() + requestDetail() + requestSides() + requestTimeline() + setAlarms()
    }

    private mutating func requestDetail() -> [Effect] {
        guard let list, let row = list.selectedRow, list.cursorID == row.id else {
            if self.list?.isLoaded == true, self.list?.total == 0 {
                inspector.shown = nil
                inspector.asked = nil
                inspector.detail = nil
                inspector.request = nil
            }
            return []
        }
        let subject = Inspector.Subject(
            source: list.source.id, row: row.id, instant: list.query.instant,
            version: list.version)
        guard inspector.asked != subject else { return [] }
        if let asked = inspector.asked, inspector.request != nil, asked.isSameRow(as: subject) {
            // Only newer: asked for when this answer is there, so that a stream of changes does
            // not keep every answer away.
            return []
        }
        var effects: [Effect] = inspector.request.map { [.cancel($0)] } ?? []
        let id = newRequest()
        inspector.request = id
        inspector.asked = subject
        effects.append(.detail(id, list.source.id, row.id, at: list.query.instant))
        return effects
    }

    private mutating func requestSides() -> [Effect] {
        guard layout.deviceColumns != nil, let list else { return [] }
        let height = layout.listHeight
        let visible = list.rows.dropFirst(max(0, list.top - list.start)).prefix(height)
        let rows = visible.filter(\.isConflict).map(\.id)
        let subject = Sides.Subject(
            source: list.source.id, rows: rows, instant: list.query.instant,
            version: list.version)
        guard sides.asked != subject, sides.request == nil else { return [] }
        sides.asked = subject
        if rows.isEmpty {
            sides.known = [:]
            return []
        }
        let id = newRequest()
        sides.request = id
        return [.conflicts(id, list.source.id, rows, at: list.query.instant)]
    }

    private mutating func requestTimeline() -> [Effect] {
        guard layout.timeline != nil, !panes.isEmpty, timeline.request == nil,
            timeline.askedVersion != version
        else { return [] }
        // What another device writes every few milliseconds does not move the picture.
        if let askedAt = timeline.askedAt, timeline.askedVersion != nil, !status.isLoading {
            let (age, overflow) = now.microseconds.subtractingReportingOverflow(
                askedAt.microseconds)
            if !overflow, age < 2_000_000 { return [] }
        }
        let id = newRequest()
        timeline.request = id
        timeline.askedVersion = version
        timeline.askedAt = now
        return [.timeline(id, buckets: max(8, min(size.columns, 400)))]
    }

    private mutating func setAlarms() -> [Effect] {
        var effects: [Effect] = []
        if let change = marks.nextChange(at: now) {
            // Marks that change close together change together.
            let delay = max(change, 100_000)
            let (at, overflow) = now.microseconds.addingReportingOverflow(delay)
            if !overflow, at < alarms[.marks]?.microseconds ?? .max {
                effects.append(set(.marks, after: delay))
            }
        }
        if isWritable, alarms[.relock] == nil {
            let (idle, overflow) = now.microseconds.subtractingReportingOverflow(
                lastInput.microseconds)
            let left = overflow ? 0 : Self.relockAfter - idle
            effects.append(set(.relock, after: max(1_000_000, left)))
        }
        if let change = nextAgeChange, change < alarms[.ages] ?? .distantFuture {
            let (delay, overflow) = change.microseconds.subtractingReportingOverflow(
                now.microseconds)
            if !overflow { effects.append(set(.ages, after: max(1, delay))) }
        }
        return effects
    }

    /// Sets an alarm.
    mutating func set(_ alarm: Alarm, after microseconds: Int64) -> Effect {
        alarms[alarm] = Timestamp(microseconds: now.microseconds &+ microseconds)
        return .wake(alarm, after: .microseconds(microseconds))
    }
}

extension Model.Inspector.Subject {
    fileprivate func isSameRow(as other: Self) -> Bool {
        source == other.source && row == other.row && instant == other.instant
    }
}
