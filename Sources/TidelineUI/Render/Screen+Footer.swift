import TidelineCore

extension Screen {
    mutating func drawFooter() {
        let bottom = surface.bounds.line(surface.size.rows - 1)
        if let prompt = overlay?.module as? Prompt {
            drawPrompt(prompt, above: bottom)
            return
        }
        if let notice, draw(notice, above: bottom) { return }
        guard let rect = layout.footer else { return }
        surface.fill(rect, style: theme[.footer])
        let focused = panelStates[context.panels.focus]
        let place = theme.text(typedKeys + focused.place(in: context))
        let placeWidth = min(CharacterWidth.width(of: place), rect.columns)
        surface.put(place, in: rect, style: theme[.footer], alignment: .trailing)
        var column = rect.column + 1
        let end = rect.endColumn - placeWidth - 1
        if !layout.isFramed || context.panels.focus != .list, let list = context.list,
            let pane = context.pane, pane.needsName || !context.queryText.isEmpty
        {
            let crumb = (pane.needsName ? context.breadcrumb : "") + context.queryText
            let isNamed = pane.needsName || list.query.filter.isEmpty
            let text = isNamed ? crumb : "filter" + crumb
            // Shorten the start of the path, because the keys need room and the end of a path is
            // the most useful part.
            let columns = max(0, (end - column) * 2 / 5)
            let path = TextParts.end(of: theme.text(text), columns: columns)
            column += put([(path, .label)], at: rect.point(column), maxWidth: columns)
            column += 2
        }
        for hint in fittingHints(columns: end - column) {
            column += put(
                [
                    (theme.text(hint.keys), .keyName), (" ", .footer),
                    (theme.text(hint.title), .keyAction),
                ],
                at: rect.point(column), maxWidth: end - column)
            column += 2
        }
    }

    /// Draws a notice over a dialog, if a small screen has no space for both. The next key press
    /// removes the notice.
    mutating func drawNoticeInFront() {
        if overlay?.module is Prompt { return }
        guard let notice else { return }
        _ = draw(notice, above: surface.bounds.line(surface.size.rows - 1))
    }

    /// Returns the hints that fit. Leaves out the last hints, but keeps the key for help.
    private func fittingHints(columns: Int) -> [Hint] {
        let width = { (hint: Hint) in
            CharacterWidth.width(of: theme.text(hint.keys)) + 3
                + CharacterWidth.width(of: theme.text(hint.title))
        }
        var hints = hints
        // An overlay's own keys come first.
        let help = overlay == nil ? context.keymap.hint("help", title: "keys") : nil
        var used = hints.reduce(-2) { $0 + width($1) }
        while used > columns, let index = hints.lastIndex(where: { $0 != help || hints.count == 1 })
        {
            used -= width(hints.remove(at: index))
        }
        return hints
    }

    /// The height of the area for dialogs, above all lines of a notice.
    var dialogRows: Int {
        let rows = context.dialogArea.rows
        if overlay?.module is Prompt { return rows }
        let noticeRows = notice.map { lines(of: $0).count } ?? 0
        return max(min(3, rows), rows - max(0, noticeRows - 1))
    }

    private func sign(of notice: Notice) -> (String, Role) {
        switch notice.kind {
        case .info: (" ", .notice)
        case .done: (theme.isASCII ? "ok " : "✓ ", .notice)
        case .warning: ("! ", .warning)
        case .error: ("! ", .error)
        }
    }

    private func lines(of notice: Notice) -> [Substring] {
        let columns = surface.size.columns - CharacterWidth.width(of: sign(of: notice).0)
        let limit = notice.isBrief ? 1 : max(1, surface.size.rows / 2)
        let lines = lines(of: notice.text, columns: columns, limit: limit)
        guard let step = notice.tourText else { return lines }
        return lines + self.lines(of: step, columns: columns, limit: max(1, limit - lines.count))
    }

    private func lines(of text: String, columns: Int, limit: Int) -> [Substring] {
        let whole = Sanitizer.visible(theme.text(text), ascii: theme.isASCII)
        var lines = TextParts.wrap(whole, columns: columns, limit: limit)
        if let last = lines.last, last.endIndex < whole.endIndex {
            // Keep the rest of the text in the last line, so that the cut is visible.
            lines[lines.count - 1] = whole[last.startIndex...]
        }
        return lines
    }

    /// Draws a notice in the last line. Longer text uses lines above, up to half of the screen. If
    /// the timeline is at the bottom, the notice is drawn above it.
    ///
    /// - Returns: Whether the last line is used.
    private mutating func draw(_ notice: Notice, above bottom: Rect) -> Bool {
        // The step of a tour stays above the timeline, and a message is drawn in the last line.
        // Together, they could hide the selected row.
        if let step = notice.tourText, overlay == nil, let strip = layout.strip {
            let tour = Notice(.info, step)
            var message = notice
            message.tourText = nil
            let rows = self.lines(of: tour).count
            if rows > 1, strip.row > rows, self.lines(of: message).count == 1 {
                _ = draw(tour, above: bottom)
                return draw(message, above: bottom)
            }
        }
        let (sign, role) = sign(of: notice)
        let indent = CharacterWidth.width(of: sign)
        let lines = lines(of: notice)
        var last = bottom
        if overlay == nil, lines.count > 1, let strip = layout.strip, strip.row > lines.count {
            last.row = strip.row - 1
        }
        for (index, text) in lines.enumerated() {
            let line = last.line(index + 1 - lines.count)
            surface.fill(line, style: theme[role])
            put(
                [
                    (index == 0 ? sign : String(repeating: " ", count: indent), role),
                    (String(text), role),
                ],
                at: line.origin, maxWidth: line.columns)
        }
        return last == bottom
    }
}
