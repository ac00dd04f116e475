import Replication
import TidelineCore

extension TimelinePanel {
    func draw(in inner: Rect, on canvas: inout Canvas) { canvas.draw(self, in: inner) }
}

extension Canvas {
    fileprivate mutating func draw(_ panel: TimelinePanel, in rect: Rect) {
        drawTitle(of: panel, in: rect)
        guard let timeline = panel.timeline else {
            if rect.rows > 1 {
                surface.put(
                    panel.problem.map { "! \($0)" } ?? theme.text("loading …"), in: rect, row: 1,
                    style: theme[panel.problem == nil ? .dim : .error], alignment: .leading)
            }
            return
        }
        let devices = context.session.status.devices
        let nameWidth = TimelinePanel.nameWidth(columns: rect.columns)
        let shown = panel.lanes(in: context)
        let first = shown.lowerBound
        for index in shown {
            let (device, line) = (devices[index], rect.line(1 + index - first))
            var sign = panel.time?.device == device.id ? ">" : " "
            if sign == " ", index == first, first > 0 { sign = theme.isASCII ? "^" : "↑" }
            if sign == " ", index == shown.upperBound - 1, shown.upperBound < devices.count {
                sign = theme.isASCII ? "v" : "↓"
            }
            put(
                [
                    (sign, .label), (device.shownName, role(of: .device(device.id))),
                ], at: line.origin, maxWidth: nameWidth - 1)
            let bar = line.dropping(columns: nameWidth)
            drawActivity(timeline.activity[device.id] ?? [], in: bar)
            drawInstants(of: panel, in: bar, timeline)
        }
        guard context.layout.hasTimeAxis, rect.rows > shown.count + 1 else { return }
        drawAxis(
            of: timeline, in: rect.line(1 + shown.count).dropping(columns: nameWidth))
    }

    private mutating func drawAxis(of timeline: Timeline, in bar: Rect) {
        let axis = TimeAxis(
            from: timeline.first, to: timeline.last, columns: bar.columns,
            offset: context.preferences.utcOffset)
        for label in axis.labels {
            surface.put(
                (theme.isASCII ? "'" : "╵") + label.text,
                at: bar.origin.right(by: label.column), style: theme[.dim],
                maxWidth: bar.columns - label.column)
        }
    }

    private mutating func drawTitle(of panel: TimelinePanel, in rect: Rect) {
        // Use the first combination that fits. The number of hidden lanes is always shown. The keys
        // that lead to these lanes are shown only if there is room.
        let apart = InstantForm.forms(
            for: [panel.time?.instant, panel.time?.previous, panel.markA, panel.markB],
            offset: context.preferences.utcOffset)
        let times = apart.flatMap { form in
            [true, false].map { panel.title(form, hasZone: $0, in: context) }
        }
        let notes = panel.laneNotes(in: context)
        let forms =
            times.flatMap { time in notes.dropLast().map { (time, $0) } }
            + times.map { ($0, notes.last ?? "") }
        let form =
            forms.first { Look.columns(of: $0.0) + Look.columns(of: $0.1) <= rect.columns }
            ?? forms.last
        guard let (parts, lanes) = form else { return }
        let lanesWidth = Look.columns(of: lanes)
        put(
            parts.map { (theme.text($0.0), $0.1) }, at: rect.origin,
            maxWidth: rect.columns - lanesWidth)
        guard !lanes.isEmpty, rect.columns > lanesWidth else { return }
        surface.put(
            theme.text(lanes),
            at: rect.point(rect.endColumn - lanesWidth), style: theme[.dim],
            maxWidth: lanesWidth)
    }

    /// Shows the instant and the marks A and B by symbols, so that they need no color.
    private mutating func drawInstants(
        of panel: TimelinePanel, in bar: Rect, _ timeline: Timeline
    ) {
        guard let time = panel.time, bar.columns > 0 else { return }
        let signs: [(Timestamp?, String, Role)] = [
            (panel.markA, "A", .label),
            (panel.markB, "B", .label),
            (time.instant, theme.isASCII ? "|" : "┃", .selection),
        ]
        for (instant, sign, role) in signs {
            guard let instant else { continue }
            let column = timeline.column(of: instant, among: bar.columns)
            surface.put(sign, at: bar.origin.right(by: column), style: theme[role], maxWidth: 1)
        }
    }
}

extension Timeline {
    /// Returns the column that shows an instant, among a number of columns.
    fileprivate func column(of instant: Timestamp, among columns: Int) -> Int {
        let start = Double(first.microseconds)
        let span = max(1, Double(last.microseconds) - start)
        let share = (Double(instant.microseconds) - start) / span
        // An instant at the start of a column must not round down to the column before it.
        return Int(max(0, min(1, share)) * Double(columns - 1) + 1e-9)
    }
}

extension TimelinePanel {
    /// Returns variants of the note on hidden lanes and the keys that show them, longest first.
    fileprivate func laneNotes(in context: ScreenContext) -> [String] {
        let (lanes, count) = (lanes(in: context), context.session.status.devices.count)
        guard time != nil, timeline != nil, lanes.count < count else { return [""] }
        let keys = context.keymap.firstKeys(of: ["previous-device", "next-device"])
        let range = "\(lanes.lowerBound + 1)–\(lanes.upperBound) of \(count)"
        return ["  devices \(range)  \(keys)", "  \(range)  \(keys)", "  \(range)"]
    }

    fileprivate func title(
        _ form: InstantForm, hasZone: Bool, in context: ScreenContext
    ) -> [(String, Role)] {
        let offset = context.preferences.utcOffset
        guard let time else {
            guard let timeline else { return [] }
            let key = context.keymap.hint(for: "time")
            return [
                (timeline.first.secondText(in: offset) + " – ", .dim),
                (timeline.last.secondText(in: offset), .dim),
            ] + (context.whyNoTimeTravel == nil ? [("  \(key) time travel", .dim)] : [])
        }
        let age = TimeText.age(of: time.instant, at: context.now)
        var parts: [(String, Role)] = [
            (time.playing == nil ? "PAST " : "PLAYING ", .badgePast),
            (form.text(time.instant, offset: offset), .timestamp),
            (hasZone ? form.zone(of: time.instant, offset: offset) : "", .timestamp),
            (form.showsAge ? " (\(age)) " : " ", .dim),
        ]
        if let list = context.list, !list.isDifference, !list.source.hasPast {
            parts.append((" \(list.source.title) as of now ", .warning))
        }
        let marks = [("A", markA), ("B", markB)].compactMap { name, mark in
            mark.map { (name, $0) }
        }
        let texts = form.texts(of: marks.map(\.1), after: time.instant, offset: offset)
        parts += zip(marks, texts).map { mark, text in (" \(mark.0) \(text)", .label) }
        return parts
    }
}
