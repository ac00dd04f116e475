import Replication
import TidelineCore

extension TimelineRegion {
    static func draw(in inner: Rect, on screen: inout Screen) { screen.drawTimeline(in: inner) }
}

extension Screen {
    fileprivate mutating func drawTimeline(in rect: Rect) {
        drawTimelineTitle(rect)
        guard let timeline = model.regions.timeline.timeline else {
            if rect.rows > 1 {
                surface.put(
                    model.regions.timeline.problem.map { "! \($0)" } ?? theme.text("loading …"),
                    in: rect,
                    row: 1,
                    style: theme[model.regions.timeline.problem == nil ? .dim : .error],
                    alignment: .leading)
            }
            return
        }
        let devices = model.session.status.devices
        let nameWidth = min(16, rect.columns / 4)
        let shown = model.shownLanes(rows: max(0, rect.rows - 1))
        let first = shown.lowerBound
        for index in shown {
            let (device, line) = (devices[index], rect.line(1 + index - first))
            var sign = model.time?.device == device.id ? ">" : " "
            if sign == " ", index == first, first > 0 { sign = theme.isASCII ? "^" : "↑" }
            if sign == " ", index == shown.upperBound - 1, shown.upperBound < devices.count {
                sign = theme.isASCII ? "v" : "↓"
            }
            put(
                [
                    (sign, .label),
                    (
                        device.name.isEmpty ? device.id.name : device.name,
                        model.session.role(of: .device(device.id))
                    ),
                ], at: line.origin, maxWidth: nameWidth - 1)
            let bar = Rect(
                column: line.column + nameWidth, row: line.row,
                columns: line.columns - nameWidth, rows: 1)
            drawActivity(timeline.activity[device.id] ?? [], in: bar)
            drawInstant(in: bar, timeline)
        }
    }

    private mutating func drawTimelineTitle(_ rect: Rect) {
        let width = { (parts: [(String, Role)]) in
            parts.reduce(0) { $0 + Look.columns(of: $1.0) }
        }
        // Use the first combination that fits. The number of hidden lanes is always shown; the keys
        // that lead to them are shown only if there is room.
        let apart = InstantForm.all.filter {
            $0.distinguishes(
                [model.instant, model.regions.timeline.markA, model.regions.timeline.markB],
                offset: model.preferences.utcOffset)
        }
        // After a clock was set back, the texts of different instants may look the same.
        let times = (apart.isEmpty ? InstantForm.all : apart).map(timelineTitle)
        let notes = laneNotes
        let forms =
            times.flatMap { time in notes.dropLast().map { (time, $0) } }
            + times.map { ($0, notes.last ?? "") }
        let form =
            forms.first { width($0.0) + Look.columns(of: $0.1) <= rect.columns } ?? forms.last
        guard let (parts, lanes) = form else { return }
        let lanesWidth = Look.columns(of: lanes)
        put(
            parts.map { (theme.text($0.0), $0.1) }, at: rect.origin,
            maxWidth: rect.columns - lanesWidth)
        guard !lanes.isEmpty, rect.columns > lanesWidth else { return }
        surface.put(
            theme.text(lanes),
            at: Point(column: rect.endColumn - lanesWidth, row: rect.row), style: theme[.dim],
            maxWidth: lanesWidth)
    }

    /// Notes on hidden lanes and the keys that lead to them, longest first.
    private var laneNotes: [String] {
        guard model.hasHiddenLanes else { return [""] }
        let (lanes, count) = (model.shownLanes, model.session.status.devices.count)
        let keys = ["previous-device", "next-device"].map(model.preferences.keymap.hint(for:))
            .joined(separator: " ")
        let range = "\(lanes.lowerBound + 1)–\(lanes.upperBound) of \(count)"
        return ["  devices \(range)  \(keys)", "  \(range)  \(keys)", "  \(range)"]
    }

    private func timelineTitle(_ form: InstantForm) -> [(String, Role)] {
        let offset = model.preferences.utcOffset
        var parts: [(String, Role)] = []
        if let time = model.time {
            let age = TimeText.age(of: time.instant, at: model.now)
            parts = [
                (time.playing == nil ? "PAST " : "PLAYING ", .badgePast),
                (form.text(time.instant, offset: offset), .timestamp),
                (form.showsAge ? " (\(age)) " : " ", .dim),
            ]
            if let list = model.list, !list.isDifference, !list.source.hasPast {
                parts.append((" \(list.source.title) as of now ", .warning))
            }
            if let a = model.regions.timeline.markA {
                parts.append((" A " + form.text(a, beside: time.instant, offset: offset), .label))
            }
            if let b = model.regions.timeline.markB {
                parts.append((" B " + form.text(b, beside: time.instant, offset: offset), .label))
            }
        } else if let timeline = model.regions.timeline.timeline {
            parts = [
                (TimeText.text(timeline.first, offset: offset).prefix(19) + " – ", .dim),
                (TimeText.text(timeline.last, offset: offset).prefix(19) + "", .dim),
            ]
            if let action = Action.named("time"), model.availability(of: action).reason == nil {
                parts.append(("  \(model.preferences.keymap.hint(for: "time")) time travel", .dim))
            }
        }
        return parts
    }

    /// Marks the instant and the marks A and B with symbols, so that they are visible without
    /// color.
    private mutating func drawInstant(in bar: Rect, _ timeline: Timeline) {
        guard let time = model.time, bar.columns > 0 else { return }
        let signs: [(Timestamp?, String, Role)] = [
            (model.regions.timeline.markA, "A", .label),
            (model.regions.timeline.markB, "B", .label),
            (time.instant, theme.isASCII ? "|" : "┃", .selection),
        ]
        for (instant, sign, role) in signs {
            guard let instant else { continue }
            let first = Double(timeline.first.microseconds)
            let span = max(1, Double(timeline.last.microseconds) - first)
            let share = (Double(instant.microseconds) - first) / span
            let column = Int(max(0, min(1, share)) * Double(bar.columns - 1))
            surface.put(
                sign, at: Point(column: bar.column + column, row: bar.row), style: theme[role],
                maxWidth: 1)
        }
    }
}
