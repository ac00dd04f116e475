import Replication
import TidelineCore

extension EventsPanel {
    /// Returns the number of rows for the write rates of devices, above the events.
    func rateRows(in inner: Rect, of context: ScreenContext) -> Int {
        guard inner.rows >= 6 else { return 0 }
        return min(rates.devices(at: context.now).count, inner.rows / 3)
    }

    func draw(in inner: Rect, on canvas: inout Canvas) {
        let count = rateRows(in: inner, of: canvas.context)
        canvas.draw(rates, count: count, in: inner)
        canvas.draw(self, in: inner.dropping(rows: count))
    }
}

extension Canvas {
    /// Draws the write rates of the first devices.
    fileprivate mutating func draw(_ rates: EventRates, count: Int, in inner: Rect) {
        let all = rates.devices(at: context.now)
        let devices = all.prefix(count)
        let hidden = count == 0 ? 0 : all.count - count
        let widest = devices.map { CharacterWidth.width(of: name(of: .device($0))) }
            .max()
        // Names get the space next to the bars, and at least a third of the line.
        let space = max(inner.columns / 3, inner.columns - EventRates.count - 15)
        let nameWidth = min((widest ?? 0) + 1, space)
        for (row, device) in devices.enumerated() {
            var line = inner.line(row)
            // The last line shows how many devices are left out.
            if hidden > 0, row == devices.count - 1 {
                let more = " +\(hidden) more"
                line.columns = max(0, line.columns - more.count)
                put([(more, .dim)], at: line.point(line.endColumn), maxWidth: more.count)
            }
            draw(rates, of: device, in: line, nameWidth: nameWidth)
        }
    }

    private mutating func draw(
        _ rates: EventRates, of device: DeviceID, in line: Rect, nameWidth: Int
    ) {
        let author = Author.device(device)
        surface.put(
            name(of: author), at: line.origin,
            style: theme[role(of: author)],
            maxWidth: nameWidth - 1)
        let count = rates.perMinute(of: device, at: context.now)
        var perMinute = " \(count) \(count == 1 ? "row" : "rows")/min"
        // Shorten the unit if it would leave no space for the bars.
        if line.columns - nameWidth - perMinute.count < 10 { perMinute = " \(count)/min" }
        let columns = min(EventRates.count, line.columns - nameWidth - perMinute.count)
        guard columns > 0 else { return }
        drawActivity(
            Array(rates.recent(of: device, at: context.now).suffix(columns)),
            in: line.part(columns: nameWidth..<nameWidth + columns))
        put(
            [(perMinute, .dim)],
            at: line.origin.right(by: nameWidth + columns),
            maxWidth: perMinute.count)
    }

    /// Draws the lines around the selected line.
    fileprivate mutating func draw(_ events: EventsPanel, in inner: Rect) {
        let lines = events.window(rows: inner.rows)
        if lines.isEmpty {
            let hidden = events.hiddenCount
            let text =
                hidden == 0
                ? "No events since the store was opened"
                : "0 of \(hidden) events match; press \(context.keymap.hint(for: "back")) to clear the filter"
            surface.put(text, in: inner, style: theme[.dim], alignment: .leading)
            return
        }
        let selected = events.lines.count - 1 - events.cursor
        for (row, index) in lines.indices.enumerated() {
            let line = lines[index]
            let rect = inner.line(row)
            var parts: [(String, Role)] = [
                (
                    TimeText.time(.init(line.date), offset: context.preferences.utcOffset) + " ",
                    .timestamp
                )
            ]
            if line.isAlert { parts.append((alertMark + " ", .warning)) }
            if let device = line.device {
                let author = Author.device(device)
                parts.append((name(of: author) + " ", role(of: author)))
            }
            if line.isProblem { parts.append(("! ", .problem)) }
            let start = events.textStart
            let text =
                start == 0 ? line.text : theme.text("…") + String(line.text.dropFirst(start))
            parts.append((text, line.isProblem ? .problem : .plain))
            put(parts, tail: line.tail, in: rect)
            if context.panels.focus == .events, index == selected { select(rect, in: .events) }
        }
    }

    /// Draws a line. The text is shortened if necessary, but the tail at the end of the line isn't.
    private mutating func put(_ parts: [(String, Role)], tail: String, in rect: Rect) {
        let width = CharacterWidth.width(of: tail)
        // If the line is too narrow, the text takes precedence.
        let space = rect.columns - width >= rect.columns / 2 ? rect.columns - width : rect.columns
        let used = put(parts, at: rect.origin, maxWidth: space)
        guard space < rect.columns else { return }
        put([(tail, .dim)], at: rect.origin.right(by: used), maxWidth: width)
    }

    /// The symbol of a row with an alert, and of an event that an alert matches.
    var alertMark: String { theme.text("◆") }
}
