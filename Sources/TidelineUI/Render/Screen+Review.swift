import Replication
import TidelineCore

extension Screen {
    mutating func draw(_ review: Review) {
        var lines: [TextLine] = []
        for preview in review.previews {
            lines.append(TextLine(preview.summary, .title))
            for change in preview.changes {
                lines.append(TextLine([("  " + change.subject, .key)]))
                lines += self.lines("  - ", change.old, .removed)
                lines += self.lines("  + ", change.new, .added)
            }
            lines += preview.warnings.map { TextLine("! \($0)", .warning) }
        }
        if let preview = review.previews.first {
            lines.append(TextLine(""))
            lines.append(
                TextLine([
                    ("as device ", .label), (deviceText(preview), .device),
                    (review.previews.contains { $0.createsDevice } ? "  (new here)" : "", .warning),
                ]))
            lines.append(TextLine([("to file   ", .label), (preview.file, .plain)]))
        }
        let question: TextLine
        if review.pending != nil {
            question = TextLine(theme.text("writing …"), .progress)
        } else if review.stage == .device {
            question = TextLine(
                "New here: y makes this device a folder, and asks once more",
                .warning)
        } else if review.needsCount {
            question = TextLine([
                ("Type \(review.rowCount) and Enter to write: ", .warning),
                (review.count.text + "_", .input),
            ])
        } else {
            question = TextLine("y writes it, Esc does not", .warning)
        }
        if let problem = review.problem { lines.append(TextLine("! \(problem)", .error)) }
        let title =
            switch review.direction {
            case .edit: "Write?"
            case .undo: "Take back?"
            case .redo: "Write again?"
            }
        drawQuestion(lines, question, title: title, top: review.top)
    }

    mutating func draw(_ moved: Moved) {
        var lines = [
            TextLine("! \(moved.problem ?? "written by another device in the meantime")", .error)
        ]
        lines.append(TextLine("Nothing was written. What was, what is there now, what you meant:"))
        for (index, preview) in moved.before.enumerated() {
            let now = moved.after.flatMap { $0.indices.contains(index) ? $0[index] : nil }
            for change in preview.changes {
                let theirs = now?.changes.first { $0.subject == change.subject }
                lines.append(TextLine([("  " + change.subject, .key)]))
                lines += self.lines("   was    ", change.old, .dim)
                lines +=
                    moved.after == nil
                    ? [TextLine(theme.text("   theirs …"), .dim)]
                    : self.lines("   theirs ", theirs?.old, .conflict)
                lines += self.lines("   yours  ", change.new, .added)
            }
        }
        let question =
            moved.after == nil
            ? TextLine(theme.text("reading what is there now …"), .progress)
            : TextLine("p previews yours on top of theirs, Esc keeps theirs", .warning)
        drawQuestion(lines, question, title: "Somebody was faster", top: moved.top)
    }

    mutating func draw(_ view: ConflictView) {
        guard let conflict = view.conflict else {
            drawLines(
                [
                    view.problem.map { TextLine("! \($0)", .error) }
                        ?? TextLine(theme.text("reading the sides …"), .dim)
                ], title: view.title)
            return
        }
        var lines: [TextLine] = []
        var top = 0
        for (index, side) in conflict.sides.enumerated() {
            if index == view.cursor { top = lines.count }
            let star = side.isWinner ? mark(.winner, or: theme.isASCII ? "*" : "★") : " "
            var title = TextLine([
                (index < 9 ? "\(index + 1) " : "  ", .keyName), (star + " ", .winner),
                (name(of: side.author), .device),
                ("  " + TimeText.text(side.instant, offset: model.utcOffset), .timestamp),
            ])
            title.isSelected = index == view.cursor
            lines.append(title)
            lines += wrapped(side.value, side.typed == nil ? .deletion : Role(side.role))
            lines += wrapped(side.reason, .dim)
        }
        if let base = conflict.base {
            lines.append(
                TextLine([
                    ("common base", .label),
                    (
                        "  \(name(of: base.author))  "
                            + TimeText.text(base.instant, offset: model.utcOffset), .dim
                    ),
                ]))
            lines += wrapped(base.value, Role(base.role))
        } else {
            lines.append(TextLine("no common base is known", .dim))
        }
        lines += conflict.notes.map { TextLine("! \($0)", .warning) }
        if let problem = view.problem { lines.append(TextLine("! \(problem)", .error)) }
        let question =
            if let reason = model.canEdit(.resolve).reason {
                TextLine("Taking a side: \(reason)", .disabled)
            } else {
                TextLine("1-9 takes a side, m merges in $EDITOR; both are previewed", .keyAction)
            }
        drawQuestion(
            lines, question, title: "\(mark(.conflict, or: "≠")) \(view.title)", top: top)
    }

    /// A text below the line of a side, whole as far as a screen has space for it.
    private func wrapped(_ text: String, _ role: Role) -> [TextLine] {
        let columns = max(10, surface.size.columns * 9 / 10 - 8)
        return TextParts.wrap(text, columns: columns, limit: max(3, surface.size.rows / 3)).map {
            TextLine([("    ", .plain), (String($0), role)])
        }
    }

    /// Draws lines that may scroll over a last one that does not.
    private mutating func drawQuestion(
        _ lines: [TextLine], _ question: TextLine, title: String, top: Int
    ) {
        let size = surface.size
        let widest = (lines.prefix(200) + [question]).reduce(0) { widest, line in
            max(
                widest,
                line.parts.reduce(0) { $0 + CharacterWidth.width(of: String($1.0.prefix(300))) })
        }
        let rect = OverlayFrame.centered(
            columns: min(max(widest + 2, 50), size.columns * 9 / 10), rows: lines.count + 1,
            size: size)
        let inner = drawFrame(rect, title: title)
        let body = max(0, inner.rows - 1)
        let first = max(0, min(top, lines.count - body))
        for (row, line) in lines.dropFirst(first).prefix(body).enumerated() {
            put(
                line.parts, at: Point(column: inner.column + 1, row: inner.row + row),
                maxWidth: inner.columns - 2)
            if line.isSelected {
                surface.bar(
                    Rect(
                        column: inner.column, row: inner.row + row, columns: inner.columns, rows: 1),
                    theme[.menuSelection])
            }
        }
        put(
            question.parts, at: Point(column: inner.column + 1, row: inner.endRow - 1),
            maxWidth: inner.columns - 2)
        drawMore(first: first, shown: body, of: lines.count, in: rect)
    }

    /// A value in its line; one that the line leaves a part out of as far as there is space.
    private func lines(
        _ label: String, _ value: EditPreview.Value?, _ role: Role
    ) -> [TextLine] {
        guard let value else { return [TextLine([(label, role), ("(nothing)", .dim)])] }
        guard value.isCut, let whole = value.whole, whole.kind != .data else {
            return [TextLine([(label, role), (value.line, role)])]
        }
        let columns = max(10, surface.size.columns * 9 / 10 - 4 - label.count)
        let indent = String(repeating: " ", count: label.count)
        return TextParts.wrap(
            whole.text, columns: columns, limit: max(3, surface.size.rows / 3)
        ).enumerated().map { TextLine([($0 == 0 ? label : indent, role), (String($1), role)]) }
    }

    private func name(of author: Author) -> String {
        let name = model.status.devices.first { $0.id.name == author.name }?.name ?? ""
        return name.isEmpty ? author.name : name
    }

    private func deviceText(_ preview: EditPreview) -> String {
        let name = name(of: .device(preview.device))
        return name == preview.device.name ? name : "\(name) (\(preview.device.name))"
    }
}
