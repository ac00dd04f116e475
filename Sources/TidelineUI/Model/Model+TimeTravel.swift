import Replication
import TidelineCore

extension Model {
    /// Starts time travel at the newest write or, in a log or the history of a row, at the selected
    /// write.
    mutating func enterPast() -> [Effect] {
        let last = session.status.devices.compactMap(\.newest).max()
        let inspected = inspectedWrite
        let instant =
            inspected?.instant ?? selectedWrite
            ?? regions.timeline.timeline.map { max($0.last, last ?? $0.last) } ?? last ?? now
        let device =
            inspected?.writer ?? list?.selectedRow?.device ?? session.status.devices.first?.id
        time = TimeState(instant: instant, device: device)
        if let device { revealLane(of: device) }
        regions.timeline.askAgain()
        applyInstant()
        return []
    }

    /// The time of the selected row in a log.
    private var selectedWrite: Timestamp? {
        guard panels.focus == .list, let list, list.source.newestEnd != nil, list.source.hasPast
        else {
            return nil
        }
        return list.selectedRow?.cells.lazy.compactMap(\.instant).first
    }

    /// Goes to an instant, starting time travel if necessary.
    ///
    /// - Parameter device: The device that wrote at that instant, to be followed; `nil` if unknown.
    mutating func goIntoPast(to instant: Timestamp, by device: DeviceID? = nil) -> [Effect] {
        let effects = time == nil ? enterPast() : []
        moveInTime(to: instant)
        if let device {
            time?.device = device
            revealLane(of: device)
        }
        return effects
    }

    /// Goes to a time that the user typed, or explains why that isn't possible.
    mutating func goIntoPast(named text: String) -> [Effect] {
        guard !text.isEmpty else {
            say(.warning, "at needs a time, for example \(TypedTime.examples)")
            return []
        }
        guard let instant = instant(in: text) else {
            say(.warning, TypedTime.whyNoInstant(in: text))
            return []
        }
        // Devices whose clock is ahead may have written in the future.
        guard instant <= endOfTime else {
            let newest = session.status.devices.compactMap(\.newest).max()
            let lastWrite = newest.map {
                let time = TimeText.text($0, offset: preferences.utcOffset).prefix(19)
                    .replacing(" ", with: "T")
                return ", and the last write was at \(time)"
            }
            say(
                .warning,
                "\(text) is in the future\(lastWrite ?? ""). Type an earlier time, or now")
            return []
        }
        let effects = goIntoPast(to: instant)
        let day = TypedTime.day(named: text, now: now, offset: preferences.utcOffset) ?? text
        if TypedTime.isDate(day) {
            say(.info, "showing the start of \(day), 00:00:00. For noon, type \(day)T12:00")
        } else if Int64(text) != nil {
            say(.info, "read \(text) as microseconds since 2001-01-01T00:00:00Z")
        }
        return effects
    }

    mutating func leavePast() -> [Effect] {
        guard let time else { return [] }
        self.time = nil
        let left = navigation.panes.indices.flatMap { navigation.leaveDifferences(of: $0) }
        applyInstant()
        return left + (time.pending.map { [.cancel($0.id)] } ?? [])
            + [forgetPastSoon()]
    }

    /// Keeps the history index for a few seconds, in case the user returns to time travel.
    mutating func forgetPastSoon() -> Effect { set(.past, after: 5_000_000) }

    mutating func moveInTime(to instant: Timestamp?) {
        guard let instant, time != nil else { return }
        time?.instant = instant
        time?.pending = nil
        time?.row = nil
        time?.written = nil
        applyInstant()
    }

    /// Moves the instant by a number of days, clamped to the recorded time.
    mutating func moveInTime(byDays days: Int64, times: Int) {
        guard let instant else { return }
        // There is nothing to show after the last write.
        let last = max(instant, endOfTime)
        guard days < 0 || instant < last else {
            return say(.info, "already at the latest time")
        }
        let (span, isTooLong) = (days * 86_400_000_000).multipliedReportingOverflow(
            by: Int64(clamping: times))
        let (target, overflow) = instant.microseconds.addingReportingOverflow(span)
        guard !isTooLong, !overflow else { return }
        moveInTime(to: min(Timestamp(microseconds: target), last))
    }

    /// The last instant that can be shown. Devices whose clock is ahead may have written in the
    /// future.
    private var endOfTime: Timestamp {
        session.status.devices.compactMap(\.newest).reduce(now, max)
    }

    mutating func receiveStep(_ id: RequestID, _ answer: Message.Answer<Step?>) -> [Effect] {
        guard let pending = time?.pending, pending.id == id else { return [] }
        time?.pending = nil
        let interval = time?.playing
        switch answer {
        case .success(let step?):
            moveInTime(to: step.instant)
            time?.row = pending.row
            report(step, selects: !pending.isJump)
            if let interval { return [set(.play, after: interval)] }
        case .success:
            say(
                .info,
                interval != nil
                    ? "played to the last write"
                    : "no further write \(pending.row == nil ? "" : "of this row ")"
                        + "\(pending.isByDevice ? "by this device " : "")in that direction")
        case .failure(let failure): say(.error, failure.message)
        }
        time?.playing = nil
        return []
    }

    /// Starts playback at the current instant or, at the end, from the first write.
    mutating func play(_ stepsPerSecond: Int) -> [Effect] {
        guard time != nil else { return [] }
        time?.playing = 1_000_000 / Int64(max(1, stepsPerSecond))
        let isAtEnd = regions.timeline.timeline.map { time?.instant ?? $0.last >= $0.last } ?? false
        return isAtEnd
            ? moveToEndOfTime(backwards: true) : step(backwards: false, byDevice: false)
    }

    /// Stops playback.
    ///
    /// - Returns: `nil` if playback wasn't running.
    mutating func stopPlaying() -> [Effect]? {
        guard time?.playing != nil else { return nil }
        let pending = time?.pending
        time?.playing = nil
        time?.pending = nil
        say(.info, "stopped. Press \(preferences.keymap.hint(for: "play")) to continue")
        return pending.map { [.cancel($0.id)] } ?? []
    }

    /// Reports the write at the current instant. If `selects` is true, also selects its row in the
    /// current list. If the row is in another pane, shows the key that switches to that pane.
    private mutating func report(_ step: Step, selects: Bool) {
        guard let write = step.writes.first else { return }
        var more =
            switch step.writes.count {
            case 1: ""
            case ..<10: "  (and \(step.writes.count - 1) more)"
            default: "  (and more)"
            }
        time?.written = write.link
        if let link = write.link, !isShown(link),
            let title = navigation.panes.first(where: { $0.id == link.pane })?.lists[0].source.title
        {
            more += "  \(preferences.keymap.hint(for: "go-to-write")): show in \(title)"
        }
        let lead = "\(session.name(of: write.author)) \(write.lead)"
        let arrow = String(repeating: PastWrite.arrow, count: max(0, write.values.count - 1))
        // A longer line would hide the lanes, or the new value.
        let space = panels.size.columns - 1 - CharacterWidth.width(of: lead + arrow + more)
        let values = TextParts.sharing(space, among: write.values, keeping: 8)
        notice = Notice(
            .info, lead + values.joined(separator: PastWrite.arrow) + more, isBrief: true)
        if case .device(let device) = write.author { revealLane(of: device) }
        guard selects, let link = write.link, isShown(link) else { return }
        navigation.withList { list in
            list.isTouched = true
            list.want(.row(link.row), for: .reveal(link.row))
        }
    }

    /// Whether the row may be in the current list.
    private func isShown(_ link: Detail.Link) -> Bool {
        guard let pane, pane.id == link.pane else { return false }
        return link.inside.isEmpty || pane.lists.count == link.inside.count + 1
    }

    /// Requests the next write in time.
    mutating func step(backwards: Bool, byDevice: Bool) -> [Effect] {
        guard let time, time.pending == nil else { return [] }
        let id = requests.newID()
        self.time?.pending = .init(id: id, isByDevice: byDevice && time.device != nil)
        return [
            .step(
                id, from: time.instant, backwards: backwards,
                device: byDevice ? time.device : nil)
        ]
    }

    /// Requests the next write of the selected row.
    mutating func stepByRow(backwards: Bool) -> [Effect] {
        guard let time, time.pending == nil, let list else { return [] }
        guard list.source.hasPast, list.source.newestEnd == nil else {
            let reason =
                list.source.hasPast
                ? "log rows never change"
                : "the past of these rows is not recorded"
            say(.warning, "\(list.source.title): \(reason)")
            return []
        }
        guard let row = time.row ?? list.selectedRow?.id else {
            say(.warning, "no row is selected")
            return []
        }
        let id = requests.newID()
        self.time?.pending = .init(id: id, row: row)
        return [
            .stepOfRow(id, list.source.id, row, from: time.instant, backwards: backwards)
        ]
    }

    /// Previews restoring all keys with a prefix, or opens the palette to type the prefix.
    mutating func restore(under prefix: String) -> [Effect] {
        guard let list, let instant else { return [] }
        let prefix = prefix.trimmingPrefix(while: \.isWhitespace)
        if prefix.isEmpty {
            let name = list.selectedRow?.id.name ?? ""
            let slash = name.lastIndex(of: "/")
            let beginning = slash.map { name[...$0] } ?? name[...]
            overlay = .palette(CommandPalette(text: TextField("restore-prefix " + beginning)))
            return []
        }
        let id = requests.wait(for: .preview(.edit), of: list.source.id)
        return [
            .previewRestoring(
                id, list.source.id, prefix: prefix == "*" ? "" : String(prefix), at: instant)
        ]
    }

    /// Goes to the first or last write: the one next to the start or end of time.
    mutating func moveToEndOfTime(backwards: Bool) -> [Effect] {
        let id = requests.newID()
        time?.pending = .init(id: id, isJump: true)
        return [
            .step(
                id, from: backwards ? .distantPast : .distantFuture, backwards: !backwards,
                device: nil)
        ]
    }

    mutating func chooseTimeDevice(by step: Int) -> [Effect] {
        let devices = session.status.devices.map(\.id)
        guard !devices.isEmpty else { return [] }
        let index = time?.device.flatMap { devices.firstIndex(of: $0) } ?? 0
        let device = devices[((index + step) % devices.count + devices.count) % devices.count]
        time?.device = device
        revealLane(of: device)
        return []
    }

    /// Sets a mark at the current instant, or removes the mark that is there.
    mutating func mark(_ mark: WritableKeyPath<TimelineRegion, Timestamp?>) -> [Effect] {
        guard let instant else { return [] }
        let exists = regions.timeline[keyPath: mark] == instant
        regions.timeline[keyPath: mark] = exists ? nil : instant
        return []
    }

    /// Returns the instant that a command argument names: a mark, or a time.
    func instant(in text: String) -> Timestamp? {
        switch text {
        case "A", "a": regions.timeline.markA
        case "B", "b": regions.timeline.markB
        case "now": now
        default: TypedTime.instant(in: text, now: now, offset: preferences.utcOffset)
        }
    }

    mutating func compare(_ a: Timestamp, _ b: Timestamp) -> [Effect] {
        guard let list else { return [] }
        let id = requests.wait(for: .difference, of: list.source.id)
        say(.info, "comparing …")
        return [
            .difference(
                id, list.source.id, list.query, from: min(a, b), to: max(a, b),
                offset: preferences.utcOffset)
        ]
    }

    /// Applies the current instant to every list, so that their rows are requested.
    private mutating func applyInstant() {
        let instant = instant
        for pane in navigation.panes.indices {
            for index in navigation.panes[pane].lists.indices {
                guard navigation.panes[pane].lists[index].latestQuery.instant != instant else {
                    continue
                }
                // During time travel the selected row stays selected, even if the user didn't
                // choose it.
                navigation.panes[pane].lists[index].isTouched = true
                navigation.panes[pane].lists[index].show { $0.instant = instant }
            }
        }
    }
}

extension Model {
    /// The visible lanes, including the one last scrolled into view.
    var shownLanes: Range<Int> {
        shownLanes(rows: max(0, (layout.inner(.timeline)?.rows ?? 0) - 1))
    }

    /// Returns the visible lanes for a number of rows.
    func shownLanes(rows: Int) -> Range<Int> {
        let devices = session.status.devices
        var first = time?.topLane ?? 0
        if let lane = devices.firstIndex(where: { $0.id == time?.lane }) {
            first = max(min(first, lane), lane - rows + 1)
        }
        first = max(0, min(first, devices.count - rows))
        return first..<min(first + rows, devices.count)
    }

    /// Whether there are more lanes than fit.
    var hasHiddenLanes: Bool {
        time != nil && regions.timeline.timeline != nil
            && shownLanes.count < session.status.devices.count
    }

    /// Scrolls to the lane of a device.
    mutating func revealLane(of device: DeviceID) {
        time?.lane = device
        let top = shownLanes.lowerBound
        time?.topLane = top
    }
}
