import TidelineCore

extension Screen {
    /// Draws the prompt at the bottom. For a filter, a second line shows completions or the error.
    mutating func drawPrompt(_ prompt: Prompt, above bottom: Rect) {
        guard prompt.isFilter else {
            draw(prompt, in: bottom)
            switch prompt.purpose {
            case .search, .feedSearch:
                if let notice { drawBeside(prompt, notice, in: bottom) }
            default: break
            }
            return
        }
        let problem = prompt.problem(in: context)
        let completion = prompt.completion(in: context)
        // While there are completions, an incomplete last word is shown as an error only after the
        // user has tried to accept the prompt.
        let isBegun =
            completion != nil && problem?.range.upperBound == prompt.text.text.utf8.count
            && notice?.text != problem?.message
        guard let problem, !isBegun else {
            let line = bottom.line(-1)
            draw(prompt, problem, in: line)
            surface.fill(bottom, style: theme[.footer])
            if let completion { draw(completion, in: bottom) }
            return
        }
        // The scroll position depends on the line only, not on the screen row in which it is drawn.
        var column = draw(prompt, problem, in: bottom.line(-1))
        if bottom.endColumn - column < min(40, bottom.columns) { column = bottom.column }
        let message = TextParts.wrap(
            theme.text(problem.message), columns: bottom.endColumn - column - 2,
            limit: max(1, bottom.row - 1))
        let line = bottom.line(-message.count)
        draw(prompt, problem, in: line)
        for (index, text) in message.enumerated() {
            let rect = line.line(1 + index)
            surface.fill(rect, style: theme[.footer])
            put(
                [((index == 0 ? "^ " : "  ") + text, .error)],
                at: rect.point(column), maxWidth: rect.endColumn - column)
        }
    }

    /// Draws the result of a search at the end of the prompt, if it fits.
    private mutating func drawBeside(_ prompt: Prompt, _ notice: Notice, in line: Rect) {
        let text = " " + Sanitizer.visible(theme.text(notice.text), ascii: theme.isASCII) + " "
        let typed = prompt.text.characters.reduce(0) { $0 + CharacterWidth.width(of: $1) }
        let columns = CharacterWidth.width(of: text)
        guard columns + typed + 16 <= line.columns else { return }
        surface.put(text, in: line, style: theme[.placeholder], alignment: .trailing)
    }

    /// Draws the text of a prompt. Returns the column of the error.
    @discardableResult
    private mutating func draw(
        _ prompt: Prompt, _ problem: FilterError? = nil, in rect: Rect
    ) -> Int {
        surface.fill(rect, style: theme[.input])
        let label =
            switch prompt.purpose {
            case .filter: "filter: "
            case .feed: "events: "
            case .feedSearch: "search events: "
            case .search(let backwards): backwards ? "search backwards: " : "search: "
            case .ignore(let rows, _, let name):
                (name == nil ? "ignore \(Counted.text(rows.count, "row"))" : "")
                    + ", with note: "
            }
        var used = 0
        if case .ignore(_, _, let name?) = prompt.purpose {
            used = surface.put("ignore ", at: rect.origin, style: theme[.prompt])
            used += surface.put(
                name, at: rect.origin.right(by: used), style: theme[.prompt],
                maxWidth: rect.columns / 3)
        }
        used += surface.put(label, at: rect.origin.right(by: used), style: theme[.prompt])
        let field = rect.dropping(columns: used)
        let underlined = problem.map { Self.characters(in: $0.range, of: prompt.text.text) }
        let first = draw(prompt.text, in: field, underlined: underlined, isActive: true)
        if prompt.text.isEmpty, case .ignore = prompt.purpose {
            surface.put(
                "optional", at: field.origin.right(by: 1), style: theme[.placeholder],
                maxWidth: max(0, field.columns - 1))
        }
        if prompt.text.isEmpty, prompt.isFilter {
            // Show as many examples as fit, and an ellipsis if there are more.
            let room = max(0, field.columns - 1)
            let sign = " " + theme.text("…")
            let fields = prompt.fields(in: context)
            var examples = " words,"
            for (index, field) in fields.enumerated() {
                let more = examples + " " + field.example
                let needed =
                    CharacterWidth.width(of: more) + (index + 1 < fields.count ? sign.count : 0)
                guard needed <= room else {
                    examples += sign
                    break
                }
                examples = more
            }
            surface.put(
                examples, at: field.origin.right(by: 1), style: theme[.placeholder], maxWidth: room)
        }
        guard let start = underlined?.lowerBound, start > first else { return field.column }
        let before = prompt.text.characters[first..<min(start, prompt.text.characters.count)]
        return field.column + before.reduce(0) { $0 + CharacterWidth.width(of: $1) }
    }

    /// Converts UTF-8 offsets to a range of characters, clamped to the text.
    private static func characters(in range: Range<Int>, of text: String) -> Range<Int> {
        var first: Int?
        var end = 0
        var offset = 0
        for (index, character) in text.enumerated() {
            let next = offset + character.utf8.count
            if first == nil, next > range.lowerBound { first = index }
            if offset < range.upperBound { end = index + 1 }
            offset = next
        }
        let start = first ?? max(0, text.count - 1)
        return start..<max(start, end)
    }

    private mutating func draw(_ completion: FilterCompletion, in line: Rect) {
        let key = context.keymap.hint(for: "prompt-complete")
        var column = line.column + put([(" \(key)  ", .keyName)], at: line.origin, maxWidth: 8)
        // The chosen completion is always visible.
        let first = completion.chosen.map { max(0, $0 - 3) } ?? 0
        for (index, word) in completion.words.enumerated().dropFirst(first) {
            let isLast = index == completion.words.count - 1
            let room = line.endColumn - column - (isLast ? 0 : 2)
            // Show at least one completion, shortened if necessary, and an ellipsis for the rest.
            guard CharacterWidth.width(of: word) <= room || index == first else {
                put(
                    [(theme.text("…"), .dim)], at: line.point(column),
                    maxWidth: max(0, line.endColumn - column))
                break
            }
            let start = column
            column += put(
                [(word, .keyAction)], at: line.point(column), maxWidth: line.endColumn - column)
            if index == completion.chosen {
                surface.bar(
                    Rect(column: start, row: line.row, columns: column - start, rows: 1),
                    theme[.menuSelection])
            }
            column += 2
        }
    }
}

extension Drawing {
    /// Draws a text field so that its cursor is visible.
    ///
    /// - Returns: The index of the first visible character.
    @discardableResult
    mutating func draw(
        _ field: TextField, in rect: Rect, underlined: Range<Int>? = nil, isActive: Bool
    ) -> Int {
        guard rect.columns > 0 else { return 0 }
        surface.fill(rect, style: theme[.input])
        // Scroll so that some text before the cursor is visible.
        var first = field.cursor
        var width = 1
        while first > 0 {
            let before = CharacterWidth.width(of: field.characters[first - 1])
            if width + before > rect.columns { break }
            width += before
            first -= 1
        }
        draw(
            first..<field.characters.count, of: field, in: rect, underlined: underlined,
            isActive: isActive)
        return first
    }

    /// Draws characters of a text field. In an active field, also draws a cursor in or after them.
    mutating func draw(
        _ characters: Range<Int>, of field: TextField, in rect: Rect,
        underlined: Range<Int>? = nil, isActive: Bool
    ) {
        var column = rect.column
        for index in characters {
            if column >= rect.endColumn { break }
            if index == field.cursor, isActive {
                surface.cursor = rect.point(column)
            }
            let isWrong = underlined?.contains(index) == true
            column += surface.put(
                String(field.characters[index]), at: rect.point(column),
                style: isWrong ? theme[.filterError].over(theme[.input]) : theme[.input],
                maxWidth: rect.endColumn - column, truncation: .clip)
        }
        if field.cursor == characters.upperBound, isActive, column < rect.endColumn {
            surface.cursor = rect.point(column)
        }
    }
}
