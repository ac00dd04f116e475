import TidelineCore

/// The lines of the conflict screen: the sides, their common base, the parts that differ, the merge
/// proposal and the history.
struct ConflictLines {
    let view: ConflictView
    let conflict: RowConflict
    let texts: ConflictTexts
    let canvas: Canvas

    var context: ScreenContext { canvas.context }
    var isASCII: Bool { canvas.theme.isASCII }

    /// Returns the lines of a side: author, time, value, and why it wins or loses.
    ///
    /// - Parameter isBelow: Whether the sides are stacked, each with its own heading bar.
    func side(_ index: Int, columns: Int, isBelow: Bool = false) -> [TextLine] {
        let side = conflict.sides[index]
        let isSelected = index == view.cursor
        let star = side.isWinner ? canvas.winnerMark : " "
        let key = index < 9 ? context.keymap.hint(for: "conflict-take-\(index + 1)") : ""
        let time = side.instant.secondText(in: context.preferences.utcOffset)
        var heading = TextLine([
            (key.isEmpty ? "  " : key + " ", .keyName), (star + " ", .winner),
            (canvas.name(of: side.author), canvas.role(of: side.author)),
        ])
        var lines: [TextLine] = []
        if isBelow {
            heading.parts.append(("  " + time, .timestamp))
            heading.isSelected = isSelected
            lines.append(heading)
        } else {
            heading = TextLine(canvas.fitted(heading.parts, columns))
            if isSelected {
                heading.parts = heading.parts.map { ($0.0, .menuSelection) }
                heading.isSelected = true
            }
            lines += [heading, TextLine([("    " + time, .timestamp)])]
        }
        let text = texts.sides.indices.contains(index) ? texts.sides[index] : nil
        lines += value(of: side, as: text, .added, columns: columns)
        if let type = side.type {
            lines += canvas.wrapped("(\(type))", .label, columns: columns - 4)
        }
        return lines + canvas.wrapped(side.reason, .dim, columns: columns - 4)
    }

    /// Returns the value of a side with its differences marked. A date that needs more than one
    /// line is broken before the time, not within a number.
    private func value(
        of side: RowConflict.Side, as text: ConflictTexts.Text?, _ marked: Role, columns: Int
    ) -> [TextLine] {
        let role = Role(side.role)
        let whole = text?.text ?? side.value
        if side.role == .date, CharacterWidth.exceeds(whole, columns: columns - 4) {
            return canvas.wrapped(
                whole.replacing("T", with: " "), role, columns: columns - 4)
        }
        guard let text else { return canvas.wrapped(whole, role, columns: columns - 4) }
        return canvas.marked(text.text, text.marked, role, marked, columns: columns)
    }

    func base(columns: Int) -> [TextLine] {
        guard let base = conflict.base else {
            let none =
                conflict.isWithoutBase
                ? "no common base: added on each side" : "no common base known"
            return canvas.wrapped(none, .dim, columns: columns - 4)
        }
        let time = base.instant.secondText(in: context.preferences.utcOffset)
        let name = canvas.name(of: base.author)
        var lines = [TextLine([("common base", .label), ("  \(name)", .dim)])]
        if CharacterWidth.width(of: name) + CharacterWidth.width(of: time) + 15 <= columns {
            lines[0].parts.append(("  " + time, .dim))
        } else {
            lines.append(TextLine([("    " + time, .dim)]))
        }
        return lines + value(of: base, as: texts.base, .removed, columns: columns)
    }

    /// Returns the lines of the merge proposal, with any picks.
    func proposal(columns: Int) -> [TextLine] {
        let key = context.keymap.hint(for: "conflict-propose")
        let start: [(String, Role)] = [
            (key.isEmpty ? "  " : key + " ", .keyName), ("merged value", .label),
        ]
        let proposal = view.proposal
        guard proposal != nil || !view.picks.isEmpty else { return [] }
        var what = "changes of all sides"
        if !view.picks.isEmpty { what += ", with " + picked.joined(separator: ", ") }
        let overlaps = proposal?.overlaps ?? []
        if !overlaps.isEmpty {
            what +=
                "; newest change where they overlap: "
                + overlaps.prefix(8).joined(separator: ", ")
        }
        let role: Role = !overlaps.isEmpty ? .warning : view.picks.isEmpty ? .dim : .plain
        let indent = start.reduce(2) { $0 + CharacterWidth.width(of: $1.0) }
        let heading = TextParts.wrap(
            Sanitizer.visible(what, ascii: isASCII), columns: max(10, columns - indent), limit: 6
        ).enumerated().map { index, part in
            let before =
                index == 0 ? start : [(String(repeating: " ", count: indent - 2), .plain)]
            return TextLine(
                before + [("  " + part, role)])
        }
        guard let proposal, let text = texts.proposal else { return [TextLine("")] + heading }
        return [TextLine("")] + heading
            + canvas.marked(text.text, text.marked, Role(proposal.role), .added, columns: columns)
    }

    /// The picked parts and their sides.
    private var picked: [String] {
        view.picks.sorted { $0.key.description < $1.key.description }.compactMap { path, number in
            guard conflict.sides.indices.contains(number) else { return nil }
            return "\(name(of: path)) from \(canvas.name(of: conflict.sides[number].author))"
        }
    }

    /// Returns the keys that resolve the conflict, or the reason why it can't be resolved.
    func question(columns: Int) -> [TextLine] {
        // A missing store is reported above.
        if context.session.status.phase == .missing { return [TextLine("")] }
        if let reason = context.refusal(.resolve) {
            return canvas.sentence("", "Can't resolve: \(reason)", .disabled, columns: columns)
        }
        if view.field != nil {
            let text =
                "\(pickKeys) or a number: choose side, "
                + "\(context.keymap.hint(for: "conflict-propose")): use all choices"
            return canvas.sentence("", text, .keyAction, columns: columns)
        }
        let merge = context.keymap.hint(for: "conflict-merge")
        let digits = context.keymap.digits(of: "conflict-take", upTo: conflict.sides.count)
        var ways = ["\(digits): choose side"]
        let take = context.keymap.hint(for: "conflict-take")
        let selected = take.isEmpty ? "" : "\(take): selected side, "
        if view.conflict?.proposal != nil {
            ways.append(
                "\(context.keymap.hint(for: "conflict-propose")): merge automatically")
        }
        ways.append("\(merge): merge in \(mergeProgram)")
        if !view.fields.isEmpty {
            // Show the key that leads to the parts, because they may be below the visible area.
            ways.append("\(context.keymap.hint(for: "conflict-parts")): differences")
        }
        let others = ways.joined(separator: ", ")
        let short = others.replacing(" automatically", with: "").replacing(" merge in", with: "")
        let shortest = short.replacing(" choose side", with: " side")
        let texts = [
            selected + others + "; preview first", selected + others, selected + short,
            selected.replacing(" side", with: "") + shortest, shortest,
        ].map { canvas.theme.text($0) }
        let text =
            texts.first { CharacterWidth.width(of: $0) <= columns } ?? canvas.theme.text(shortest)
        return [TextLine(text, .keyAction)]
    }

    /// The name of the program that merges the sides. A shell command isn't shown.
    private var mergeProgram: String {
        guard let tool = context.preferences.mergeTool else { return "$EDITOR" }
        return tool.isCommand ? "the merge tool" : tool.name
    }

    /// Returns the lines of several blocks, with the blocks next to each other.
    func joined(_ blocks: [[TextLine]], columns: Int) -> [TextLine] {
        (0..<(blocks.map(\.count).max() ?? 0)).map { number in
            var parts: [(String, Role)] = []
            for (index, block) in blocks.enumerated() {
                if index > 0 { parts.append((isASCII ? "| " : "│ ", .border)) }
                let line = number < block.count ? block[number].parts : []
                parts += canvas.fitted(line, columns)
            }
            return TextLine(parts)
        }
    }
}
