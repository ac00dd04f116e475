import Replication
import TidelineCore

/// Movement in time.
extension TimelinePanel {
    mutating func show(_ instant: Timestamp) -> [ScreenOutcome] {
        guard time != nil else { return [] }
        if let shown = time?.instant, shown != instant { time?.previous = shown }
        time?.instant = instant
        time?.pending = nil
        time?.row = nil
        time?.written = nil
        return [.showInstant]
    }

    /// Moves the instant by a number of days, clamped to the recorded time.
    mutating func move(
        byDays days: Int64, times: Int, in context: ScreenContext
    ) -> [ScreenOutcome] {
        guard let instant = time?.instant else { return [] }
        // There is nothing to show after the last write.
        let last = max(instant, context.lastInstant)
        guard days < 0 || instant < last else {
            return [.notice(.info, "already at the latest time")]
        }
        let (span, isTooLong) = (days * 86_400_000_000).multipliedReportingOverflow(
            by: Int64(clamping: times))
        let (target, overflow) = instant.microseconds.addingReportingOverflow(span)
        guard !isTooLong, !overflow else { return [] }
        return show(min(Timestamp(microseconds: target), last))
    }

    mutating func step(backwards: Bool, byDevice: Bool = false) {
        guard let time, time.pending == nil else { return }
        self.time?.pending = .init(
            path: (byDevice ? time.device : nil).map { .device($0) } ?? .all,
            start: time.instant, backwards: backwards)
    }

    mutating func stepByRow(backwards: Bool, in context: ScreenContext) -> [ScreenOutcome] {
        guard let time, time.pending == nil, let list = context.list else { return [] }
        guard list.source.hasPast, !list.source.isNewestFirst else {
            let reason =
                list.source.hasPast
                ? "log rows never change"
                : "the history of these rows is not recorded"
            return [.notice(.warning, "\(list.source.title): \(reason)")]
        }
        guard let row = time.row ?? list.selectedRow?.id else {
            return [.notice(.warning, "no row is selected")]
        }
        self.time?.pending = .init(
            path: .row(row, list.source.id), start: time.instant, backwards: backwards)
        return []
    }

    mutating func moveToEnd(backwards: Bool) {
        time?.pending = .init(
            start: backwards ? .distantPast : .distantFuture, backwards: !backwards, isJump: true)
    }

    /// Starts playback at the current instant or, at the end, from the first write.
    mutating func play(_ stepsPerSecond: Int) {
        guard let time else { return }
        self.time?.playing = 1_000_000 / Int64(max(1, stepsPerSecond))
        if let timeline, time.instant >= timeline.last {
            moveToEnd(backwards: true)
        } else {
            step(backwards: false)
        }
    }

    mutating func stopPlaying(in context: ScreenContext) -> [ScreenOutcome] {
        time?.playing = nil
        let key = context.keymap.hint(for: "play")
        return [.notice(.info, "stopped; press \(key) to continue")] + cancelWait()
    }

    /// Chooses another device for steps by device.
    mutating func chooseDevice(by step: Int, in context: ScreenContext) {
        let devices = context.session.status.devices.map(\.id)
        guard !devices.isEmpty else { return }
        let index = time?.device.flatMap { devices.firstIndex(of: $0) } ?? 0
        let device = devices[index.cycled(by: step, of: devices.count)]
        time?.device = device
        revealLane(of: device, in: context)
    }

    mutating func receive(
        _ id: RequestID, _ answer: Answer<TimeTravelStep?>, in context: ScreenContext
    ) -> [ScreenOutcome] {
        guard let pending = time?.pending, pending.id == id else { return [] }
        time?.pending = nil
        let interval = time?.playing
        switch answer {
        case .success(let step?):
            var outcomes = show(step.instant)
            if case .row(let row, _) = pending.path { time?.row = row }
            outcomes += report(step, selects: !pending.isJump, in: context)
            return outcomes + (interval.map { [.timer(.play, after: $0)] } ?? [])
        case .success:
            time?.playing = nil
            guard interval == nil else { return [.notice(.info, "played to the last write")] }
            let path =
                switch pending.path {
                case .all: ""
                case .device: "by this device "
                case .row: "of this row "
                }
            return [.notice(.info, "no further write \(path)in that direction")]
        case .failure(let failure):
            time?.playing = nil
            return [.notice(.error, failure.message)]
        }
    }

    /// Reports the write at the current instant. If `selects` is true, also selects its row in the
    /// current list. If the row is in another pane, shows the key that switches to that pane.
    private mutating func report(
        _ step: TimeTravelStep, selects: Bool, in context: ScreenContext
    ) -> [ScreenOutcome] {
        guard let write = step.writes.first else { return [] }
        var more =
            switch step.writes.count {
            case 1: ""
            case ..<10: "  (and \(step.writes.count - 1) more)"
            default: "  (and more)"
            }
        time?.written = write.link
        let shown = write.link.flatMap { context.navigation.shows($0) ? $0 : nil }
        if let link = write.link, shown == nil,
            let pane = context.navigation.panes.first(where: { $0.id == link.pane })
        {
            let key = context.keymap.hint(for: "go-to-write")
            more += "  \(key): show in \(pane.lists[0].source.title)"
        }
        let lead = "\(context.session.name(of: write.author)) \(write.lead)"
        let arrow = String(repeating: PastWrite.arrow, count: max(0, write.values.count - 1))
        // A longer line would hide the lanes, or the new value.
        let space = context.size.columns - 1 - CharacterWidth.width(of: lead + arrow + more)
        let values = TextParts.sharing(space, among: write.values, keeping: 8)
        if case .device(let device) = write.author { revealLane(of: device, in: context) }
        let text = lead + values.joined(separator: PastWrite.arrow) + more
        return [.notice(.info, text, isBrief: true)]
            + (selects ? shown.map { [.revealRow($0.row)] } ?? [] : [])
    }
}

extension Navigation {
    /// Returns whether a row may be in the current list.
    fileprivate func shows(_ link: Detail.Link) -> Bool {
        guard let pane, pane.id == link.pane else { return false }
        return link.inside.isEmpty || pane.lists.count == link.inside.count + 1
    }
}
