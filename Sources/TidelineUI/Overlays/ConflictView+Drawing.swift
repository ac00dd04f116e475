import Replication
import TidelineCore

extension ConflictView {
    /// The narrowest column in which a side can be read; with less space sides stand below each
    /// other.
    private static let narrowestColumn = 30

    func draw(on screen: inout Screen) {
        let size = screen.surface.size
        guard let conflict else {
            screen.drawLines(
                [
                    problem.map { TextLine("! \($0)", .error) }
                        ?? TextLine(screen.theme.text("reading the sides …"), .dim)
                ], title: title)
            return
        }
        var lines: [TextLine] = []
        let columns = size.columns - 4
        let blocks = conflict.sides.count + 1
        let beside = (columns - 2 * (blocks - 1)) / blocks
        let isBeside = beside >= Self.narrowestColumn
        let textColumns = (isBeside ? beside : columns) - 4
        let writer = ConflictWriter(
            view: self, conflict: conflict,
            texts: short.flatMap { $0.fit(textColumns) ? $0 : nil } ?? whole, screen: screen)
        if isBeside {
            let sides = conflict.sides.indices.map { writer.side($0, columns: beside) }
            lines += writer.joined([writer.base(columns: beside)] + sides, columns: beside)
        } else {
            for side in conflict.sides.indices {
                lines += writer.side(side, columns: columns, isBelow: true)
            }
            lines += writer.base(columns: columns)
        }
        lines += writer.fields(columns: columns)
        lines += writer.proposal(columns: columns)
        lines += writer.graph()
        lines += conflict.notes.map { TextLine("! \($0)", .warning) }
        if let problem { lines.append(TextLine("! \(problem)", .error)) }
        // On a screen of few rows nothing but the conflict is drawn.
        let spare = size.rows > 7 ? 2 : 0
        let frame = Rect(
            column: 0, row: spare / 2, columns: size.columns,
            rows: min(size.rows, max(3, min(lines.count + 3, size.rows - spare))))
        let body = max(1, frame.rows - 3)
        let selected = lines.firstIndex(where: \.isSelected) ?? 0
        // The lines below the one under the cursor belong to it.
        let followed = selected + 4 < body ? 0 : max(0, selected - 1)
        screen.drawQuestion(
            lines, writer.question,
            title: "\(screen.mark(.conflict, or: "≠")) \(screen.theme.text(title))",
            top: max(0, min(followed + scrolled, lines.count - body)), in: frame)
    }
}

/// The parts of the conflict screen as lines.
private struct ConflictWriter {
    let view: ConflictView
    let conflict: RowConflict
    let texts: ConflictTexts
    let screen: Screen

    private var model: Model { screen.model }
    private var isASCII: Bool { screen.theme.isASCII }
    /// The most lines that a value takes.
    private var limit: Int { max(6, screen.surface.size.rows) }

    /// A side: whose, when, its value, and why it wins or does not.
    ///
    /// - Parameter isBelow: Whether sides stand below each other, each with a bar of its own.
    func side(_ index: Int, columns: Int, isBelow: Bool = false) -> [TextLine] {
        let side = conflict.sides[index]
        let isSelected = index == view.cursor
        let star = side.isWinner ? screen.mark(.winner, or: isASCII ? "*" : "★") : " "
        let key = index < 9 ? model.keymap.hint(for: "conflict-take-\(index + 1)") : ""
        let time = TimeText.text(side.instant, offset: model.utcOffset)
        var heading = TextLine([
            (key.isEmpty ? "  " : key + " ", .keyName), (star + " ", .winner),
            (screen.name(of: side.author), .device),
        ])
        var lines: [TextLine] = []
        if isBelow {
            heading.parts.append(("  " + time, .timestamp))
            heading.isSelected = isSelected
            lines.append(heading)
        } else {
            heading = TextLine(fitted(heading.parts, columns))
            if isSelected {
                heading.parts = heading.parts.map { ($0.0, .menuSelection) }
                heading.isSelected = true
            }
            lines += [heading, TextLine([("    " + time, .timestamp)])]
        }
        if texts.sides.indices.contains(index), let text = texts.sides[index] {
            lines += marked(text, Role(side.role), .added, columns)
        } else {
            lines += screen.wrapped(side.value, Role(side.role), columns: columns - 4)
        }
        return lines + screen.wrapped(side.reason, .dim, columns: columns - 4)
    }

    /// What all sides started from.
    func base(columns: Int) -> [TextLine] {
        guard let base = conflict.base else {
            return [TextLine("no common base is known", .dim)]
        }
        let time = TimeText.text(base.instant, offset: model.utcOffset)
        let name = screen.name(of: base.author)
        var lines = [TextLine([("common base", .label), ("  \(name)", .dim)])]
        if CharacterWidth.width(of: name) + CharacterWidth.width(of: time) + 15 <= columns {
            lines[0].parts.append(("  " + time, .dim))
        } else {
            lines.append(TextLine([("    " + time, .dim)]))
        }
        guard let text = texts.base else {
            return lines + screen.wrapped(base.value, Role(base.role), columns: columns - 4)
        }
        return lines + marked(text, Role(base.role), .removed, columns)
    }

    /// The parts in which the sides differ, each with what was chosen for it.
    func fields(columns: Int) -> [TextLine] {
        guard !view.fields.isEmpty else { return [] }
        let names = view.fields.map { name(of: $0.path) }
        let widest = names.reduce(8) { max($0, CharacterWidth.width(of: $1)) }
        let nameWidth = min(widest, max(8, columns / 4))
        let space = (columns - nameWidth - 6) / (conflict.sides.count + 1)
        var lines = [
            TextLine(""),
            TextLine([
                ("differ in", .label),
                (screen.theme.text("  \(pickKeys) picks whose part is taken"), .dim),
            ]),
        ]
        for (index, field) in view.fields.enumerated() {
            var parts: [(String, Role)] = [("  ", .plain)]
            parts += fitted([(names[index], .key)], nameWidth)
            parts += space < 12 ? [choice(of: field)] : choices(of: field, columns: space)
            lines.append(
                TextLine(
                    fitted(parts, columns),
                    isSelected: conflict.sides.count + index == view.cursor))
        }
        if view.otherFields > 0 {
            lines.append(
                TextLine("  and in \(view.otherFields) more, which are merged by hand", .warning))
        }
        return lines
    }

    /// What every side has in a part, that which is taken with a sign.
    private func choices(
        of field: ConflictDetail.Field, columns: Int
    ) -> [(String, Role)] {
        let pick = view.picks[field.path] ?? field.proposed
        var parts: [(String, Role)] = []
        for (number, value) in field.values.enumerated() {
            let isTaken = pick == number
            let sign = isTaken ? (isASCII ? "[x]" : "▸") : (isASCII ? "[ ]" : " ")
            let text = "\(sign) \(number + 1) \(value?.line ?? "(nothing)")"
            let role: Role =
                isTaken ? takenRole(of: field) : value.map { Role($0.role) } ?? .dim
            parts.append(("  ", .plain))
            parts += fitted([(text, role)], columns - 2)
        }
        return pick == nil ? parts + [choice(of: field)] : parts
    }

    /// What a part is to be, where there is no space for what every side has.
    private func choice(of field: ConflictDetail.Field) -> (String, Role) {
        guard let number = view.picks[field.path] ?? field.proposed,
            field.values.indices.contains(number)
        else { return ("  merged: " + (field.merged?.line ?? "(nothing)"), .added) }
        let line = field.values[number]?.line ?? "(nothing)"
        return ("  \(number + 1)/\(field.values.count) " + line, takenRole(of: field))
    }

    private func takenRole(of field: ConflictDetail.Field) -> Role {
        view.picks[field.path] == nil ? .added : .winner
    }

    /// A place inside a value, as far as a line has space for it.
    private func name(of path: FieldPath) -> String {
        screen.theme.text(String(path.description.prefix(200)))
    }

    private var pickKeys: String {
        ["conflict-pick-previous", "conflict-pick-next"].map { model.keymap.hint(for: $0) }
            .filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// What the sides come to together, or what was picked.
    func proposal(columns: Int) -> [TextLine] {
        let key = model.keymap.hint(for: "conflict-propose")
        let start: [(String, Role)] = [
            (key.isEmpty ? "  " : key + " ", .keyName), ("proposal", .label),
        ]
        if !view.picks.isEmpty {
            let picked = view.picks.sorted { $0.key.description < $1.key.description }
                .compactMap { path, number -> String? in
                    guard conflict.sides.indices.contains(number) else { return nil }
                    return
                        "\(name(of: path)) of \(screen.name(of: conflict.sides[number].author))"
                }
            let text = "what each side changed, with " + picked.joined(separator: ", ")
            return [TextLine(""), TextLine(start + [("  " + text, .plain)])]
        }
        guard let proposal = conflict.proposal else { return [] }
        let what =
            proposal.overlaps.isEmpty
            ? "what each side changed"
            : "what each side changed; the winner's where they meet: "
                + proposal.overlaps.prefix(8).joined(separator: ", ")
        let heading = TextLine(
            start + [("  " + what, proposal.overlaps.isEmpty ? .dim : .warning)])
        guard let text = texts.proposal else { return [] }
        return [TextLine(""), heading]
            + marked(text, Role(proposal.role), .added, columns)
    }

    /// The writes that led here, by author and time.
    func graph() -> [TextLine] {
        guard view.writes.count > 1 else { return [] }
        let graph = LineageGraph(view.writes, isASCII: isASCII)
        let width = min(24, graph.lines.reduce(0) { max($0, $1.count) })
        let names = view.writes.map { screen.name(of: $0.author) }
        let nameWidth = min(16, names.reduce(0) { max($0, CharacterWidth.width(of: $1)) })
        var lines = [TextLine(""), TextLine("how it came about, the newest first", .label)]
        for ((write, signs), name) in zip(zip(view.writes, graph.lines), names) {
            let number = write.side.map { "\($0 + 1)" } ?? " "
            let winner =
                write.side.map { conflict.sides.indices.contains($0) } == true
                && write.side.map { conflict.sides[$0].isWinner } == true
            let star = winner ? screen.mark(.winner, or: isASCII ? "*" : "★") : " "
            var parts: [(String, Role)] = [(number + " ", .keyName)]
            parts += fitted([(signs, .timeline)], width + 1)
            parts.append((star + " ", .winner))
            parts += fitted([(name, .device)], nameWidth)
            let time = TimeText.text(write.instant, offset: model.utcOffset)
            parts.append(("  " + time + "  ", .timestamp))
            if write.isBase { parts.append(("common base  ", .dim)) }
            parts.append((write.value, Role(write.role)))
            lines.append(TextLine(parts))
        }
        if view.hasMoreWrites { lines.append(TextLine("  older rows: see the log", .dim)) }
        return lines
    }

    /// What the keys do, or why a side cannot be taken.
    var question: TextLine {
        if let reason = model.canEdit(.resolve).reason {
            return TextLine("Taking a side: \(reason)", .disabled)
        }
        if view.field != nil {
            return TextLine(
                screen.theme.text(
                    "\(pickKeys) or a number picks whose part is taken, "
                        + "\(model.keymap.hint(for: "conflict-propose")) takes them all"),
                .keyAction)
        }
        let merge = model.keymap.hint(for: "conflict-merge")
        return TextLine(
            "\(model.digits(of: "conflict-take")) takes a side, \(merge) merges in "
                + "$EDITOR; both are previewed", .keyAction)
    }

    // MARK: Lines

    /// A text in lines, with some parts of it in another role.
    private func marked(
        _ marked: ConflictTexts.Text, _ role: Role, _ other: Role, _ columns: Int
    ) -> [TextLine] {
        let (text, parts) = (marked.text, marked.marked)
        let wrapped = TextParts.wrap(text, columns: max(10, columns - 4), limit: limit)
        var lines: [TextLine] = []
        for line in wrapped {
            var pieces: [(String, Role)] = [("    ", .plain)]
            var start = line.startIndex
            for part in parts where part.upperBound > start && part.lowerBound < line.endIndex {
                let from = max(part.lowerBound, start)
                let to = min(part.upperBound, line.endIndex)
                if start < from { pieces.append((String(text[start..<from]), role)) }
                if from < to { pieces.append((String(text[from..<to]), other)) }
                start = max(start, to)
            }
            if start < line.endIndex {
                pieces.append((String(text[start..<line.endIndex]), role))
            }
            lines.append(TextLine(pieces))
        }
        if wrapped.count == limit, let last = wrapped.last, last.endIndex < text.endIndex {
            lines.append(TextLine(screen.theme.text("    … more"), .dim))
        }
        return lines
    }

    /// Blocks of lines beside each other.
    func joined(_ blocks: [[TextLine]], columns: Int) -> [TextLine] {
        (0..<(blocks.map(\.count).max() ?? 0)).map { number in
            var parts: [(String, Role)] = []
            for (index, block) in blocks.enumerated() {
                if index > 0 { parts.append((isASCII ? "| " : "│ ", .border)) }
                let line = number < block.count ? block[number].parts : []
                parts += fitted(line, columns)
            }
            return TextLine(parts)
        }
    }

    /// Parts of a line cut or filled up to as many columns.
    private func fitted(_ parts: [(String, Role)], _ columns: Int) -> [(String, Role)] {
        var result: [(String, Role)] = []
        var left = columns
        for (text, role) in parts where left > 0 {
            let visible = Sanitizer.visible(text, ascii: isASCII)
            let width = CharacterWidth.width(of: visible)
            if width <= left {
                result.append((visible, role))
                left -= width
                continue
            }
            var room = left - 1
            let head = visible.prefix { character in
                room -= CharacterWidth.width(of: character)
                return room >= 0
            }
            result.append((head + (isASCII ? "~" : "…"), role))
            left -= CharacterWidth.width(of: String(head)) + 1
        }
        if left > 0 { result.append((String(repeating: " ", count: left), .plain)) }
        return result
    }
}
