import Replication
import TidelineCore

extension Model {
    /// Starts time travel at the newest write or, in a log or a history, at the selected write.
    mutating func enterPast() -> [Effect] {
        let last = session.status.devices.compactMap(\.newest).max()
        let inspected = inspectedWrite
        let instant =
            inspected?.instant ?? selectedWrite
            ?? panelStates.timeline.timeline.map { max($0.last, last ?? $0.last) } ?? last ?? now
        let device =
            inspected?.writer ?? list?.selectedRow?.device ?? session.status.devices.first?.id
        time = TimeState(instant: instant, device: device)
        panelStates.timeline.askAgain()
        if let device { revealLane(of: device) }
        navigation.show(asOf: instant)
        return []
    }

    /// The time of the selected row in a log.
    private var selectedWrite: Timestamp? {
        guard panels.focus == .list, let list, list.source.isNewestFirst, list.source.hasPast
        else {
            return nil
        }
        return list.selectedRow?.cells.lazy.compactMap(\.instant).first
    }

    /// Goes to an instant, starting time travel if necessary, and follows the device that wrote.
    mutating func goIntoPast(to instant: Timestamp, by device: DeviceID? = nil) -> [Effect] {
        let effects = time == nil ? enterPast() : []
        if let device {
            time?.device = device
            revealLane(of: device)
        }
        return effects + apply(panelStates.timeline.show(instant))
    }

    /// Goes to a time that the user typed, or explains why that isn't possible.
    mutating func goIntoPast(named text: String) -> [Effect] {
        guard !text.isEmpty else {
            return say(.warning, ":at needs a time, for example \(TypedTime.examples)")
        }
        guard let instant = panelStates.timeline.instant(named: text, in: self) else {
            return say(.warning, TypedTime.whyNoInstant(in: text))
        }
        // Devices whose clock is ahead may have written in the future.
        guard instant <= lastInstant else {
            let newest = session.status.devices.compactMap(\.newest).max()
            let lastWrite = newest.map {
                let time = $0.secondText(in: preferences.utcOffset)
                return " (last write: \(time))"
            }
            return say(
                .warning,
                "\(text) is in the future\(lastWrite ?? ""); type an earlier time, or now")
        }
        let effects = goIntoPast(to: instant)
        let day = TypedTime.day(named: text, now: now, offset: preferences.utcOffset) ?? text
        if TypedTime.isDate(day) {
            say(.info, "showing the start of \(day), 00:00:00; for noon, type \(day)T12:00")
        } else if Int64(text) != nil {
            say(.info, "showing the time \(text) microseconds after 2001-01-01T00:00:00Z")
        }
        return effects
    }

    mutating func leavePast() -> [Effect] {
        guard let time else { return [] }
        self.time = nil
        let left = navigation.panes.indices.flatMap { navigation.leaveDifferences(of: $0) }
        navigation.show(asOf: instant)
        return left + apply(ScreenOutcome.cancel(time.pending?.id)) + [forgetPastSoon()]
    }

    private mutating func revealLane(of device: DeviceID) {
        let context = context
        panelStates.timeline.revealLane(of: device, in: context)
    }

    /// Keeps the history index for a few seconds, in case the user returns to time travel.
    mutating func forgetPastSoon() -> Effect { set(.past, after: 5_000_000) }

    /// Previews restoring all keys with a prefix, or opens the palette to type it.
    mutating func restore(under prefix: String) -> [Effect] {
        guard let list, let instant else { return [] }
        let prefix = prefix.trimmingPrefix(while: \.isWhitespace)
        if prefix.isEmpty {
            let name = list.selectedRow?.id.name ?? ""
            let slash = name.lastIndex(of: "/")
            let beginning = slash.map { name[...$0] } ?? name[...]
            overlay = Overlay(CommandPalette(text: TextField("restore-prefix " + beginning)))
            return []
        }
        let id = requests.wait(for: .preview(.edit), of: list.source.id)
        return [
            .previewRestoring(
                id, list.source.id, prefix: prefix == "*" ? "" : String(prefix), at: instant)
        ]
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
}
