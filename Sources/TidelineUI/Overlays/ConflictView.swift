import TidelineCore

/// The sides of a row in conflict, to take one or merge them.
struct ConflictView: OverlayModule {
    var source: SourceID
    var row: RowID
    var title: String
    var conflict: RowConflict?
    var problem: String?
    var pending: RequestID?
    var cursor = 0

    static let kind = Overlay.Kind.conflict
    var overlay: Overlay { .conflict(self) }
    var isWaiting: Bool { pending != nil && conflict == nil }
    /// What the dialog says stands in the way of taking a side can be ended here.
    var passes: Set<String> { ["unlock"] }

    static let actions: [Action] =
        [
            .inside(Self.self, "conflict-take", "Take the selected side", .sides) { model, view in
                model.take(view.cursor, of: view)
            }
        ]
        + (1...9).map { number in
            .inside(Self.self, "conflict-take-\(number)", "Take a side by number", .sides) {
                model, view in model.take(number - 1, of: view)
            }
        } + [
            .inside(Self.self, "conflict-propose", "Take what the sides come to together", .sides) {
                model, view in model.propose(view)
            },
            .inside(Self.self, "conflict-merge", "Merge the sides in $EDITOR", .sides) {
                model, view in model.merge(view)
            },
            .inside(Self.self, "conflict-edit", "Edit the row here", .sides) { model, _ in
                model.closeOverlay()
                return model.perform("edit")
            },
            .inside(Self.self, "conflict-edit-external", "Edit the row in $EDITOR", .sides) {
                model, _ in
                model.closeOverlay()
                return model.perform("edit-external")
            },
            .inside(Self.self, "conflict-next", "The next side", .sides) { _, view in
                view.cursor = max(0, min(view.cursor + 1, (view.conflict?.sides.count ?? 0) - 1))
                return []
            },
            .inside(Self.self, "conflict-previous", "The side before", .sides) { _, view in
                view.cursor = max(0, view.cursor - 1)
                return []
            },
            .inside(Self.self, "conflict-close", "Close it", .sides) { model, _ in
                model.closeOverlay()
                return []
            },
        ]

    func hints(in model: Model) -> [Hint] {
        let close = model.hint("conflict-close", title: "close")
        if model.lockedBecause != nil { return [close].compactMap(\.self) }
        guard model.isWritable else {
            return [model.hint("unlock", title: "unlock"), close].compactMap(\.self)
        }
        return [
            Hint(keys: model.digits(of: "conflict-take"), title: "take"),
            conflict?.proposal == nil
                ? nil : model.hint("conflict-propose", title: "take the proposal"),
            model.hint("conflict-merge", title: "merge in $EDITOR"), close,
        ].compactMap(\.self)
    }

    func draw(on screen: inout Screen) {
        let (model, theme) = (screen.model, screen.theme)
        guard let conflict else {
            screen.drawLines(
                [
                    problem.map { TextLine("! \($0)", .error) }
                        ?? TextLine(theme.text("reading the sides …"), .dim)
                ], title: title)
            return
        }
        var lines: [TextLine] = []
        var top = 0
        for (index, side) in conflict.sides.enumerated() {
            if index == cursor { top = lines.count }
            let star = side.isWinner ? screen.mark(.winner, or: theme.isASCII ? "*" : "★") : " "
            let key = index < 9 ? model.keymap.hint(for: "conflict-take-\(index + 1)") : ""
            var heading = TextLine([
                (key.isEmpty ? "  " : key + " ", .keyName), (star + " ", .winner),
                (screen.name(of: side.author), .device),
                ("  " + TimeText.text(side.instant, offset: model.utcOffset), .timestamp),
            ])
            heading.isSelected = index == cursor
            lines.append(heading)
            lines += screen.wrapped(
                side.value, side.typed == nil ? .deletion : Role(side.role))
            lines += screen.wrapped(side.reason, .dim)
        }
        if let base = conflict.base {
            let time = TimeText.text(base.instant, offset: model.utcOffset)
            lines.append(
                TextLine([
                    ("common base", .label),
                    ("  \(screen.name(of: base.author))  " + time, .dim),
                ]))
            lines += screen.wrapped(base.value, Role(base.role))
        } else {
            lines.append(TextLine("no common base is known", .dim))
        }
        if let proposal = conflict.proposal {
            let key = model.keymap.hint(for: "conflict-propose")
            let what =
                proposal.overlaps.isEmpty
                ? "what each side changed"
                : "what each side changed; the winner's where they meet: "
                    + proposal.overlaps.prefix(8).joined(separator: ", ")
            lines.append(
                TextLine([
                    (key.isEmpty ? "  " : key + " ", .keyName), ("proposal", .label),
                    ("  " + what, proposal.overlaps.isEmpty ? .dim : .warning),
                ]))
            lines += screen.wrapped(proposal.value, Role(proposal.role))
        }
        lines += conflict.notes.map { TextLine("! \($0)", .warning) }
        if let problem { lines.append(TextLine("! \(problem)", .error)) }
        let merge = model.keymap.hint(for: "conflict-merge")
        let question =
            if let reason = model.canEdit(.resolve).reason {
                TextLine("Taking a side: \(reason)", .disabled)
            } else {
                TextLine(
                    "\(model.digits(of: "conflict-take")) takes a side, \(merge) merges in "
                        + "$EDITOR; both are previewed", .keyAction)
            }
        screen.drawQuestion(
            lines, question, title: "\(screen.mark(.conflict, or: "≠")) \(title)", top: top)
    }
}

extension Model {
    /// Opens the sides of the selected row.
    mutating func openConflict() -> [Effect] {
        guard let list, let row = list.selectedRow else { return [] }
        let id = newRequest()
        var view = ConflictView(
            source: list.source.id, row: row.id, title: row.cells.first?.text ?? row.id.name)
        view.conflict = sides.known[row.id]
        view.pending = id
        overlay = .conflict(view)
        return [.conflicts(id, list.source.id, [row.id], at: instant)]
    }

    fileprivate mutating func perform(_ name: String) -> [Effect] {
        guard let action = Action.named(name) else { return [] }
        return perform(action, Action.Invocation())
    }

    fileprivate mutating func take(_ index: Int, of view: ConflictView) -> [Effect] {
        guard let conflict = view.conflict, conflict.sides.indices.contains(index) else {
            return []
        }
        if let reason = canEdit(.resolve).reason {
            say(.warning, "Take a side: \(reason)")
            return []
        }
        let side = conflict.sides[index]
        return askPreview(
            .edit, source: view.source, [.resolve(view.row, .take(side.author))])
    }

    fileprivate mutating func propose(_ view: ConflictView) -> [Effect] {
        guard let conflict = view.conflict else { return [] }
        if let reason = canEdit(.resolve).reason {
            say(.warning, "Take the proposal: \(reason)")
            return []
        }
        guard let proposal = conflict.proposal else {
            say(
                .warning,
                "there is no proposal: the sides changed the same, or have no parts to put together"
            )
            return []
        }
        return askPreview(
            .edit, source: view.source, [.resolve(view.row, .value(proposal.typed))])
    }

    /// Gives all sides to the external editor, the winner's value to be changed.
    fileprivate mutating func merge(_ view: ConflictView) -> [Effect] {
        guard let conflict = view.conflict else { return [] }
        if let reason = canEdit(.resolve).reason {
            say(.warning, "Merge: \(reason)")
            return []
        }
        guard let first = conflict.sides.first(where: { $0.typed != nil })?.typed else {
            say(.warning, "Merge: no side has a value")
            return []
        }
        var text = first.text + (first.text.hasSuffix("\n") ? "" : "\n") + EditorJob.scissors
        for side in conflict.sides + (conflict.base.map { [$0] } ?? []) {
            let isBase = side == conflict.base
            let device = Sanitizer.visible(side.author.name)
            text += "\n#\(isBase ? " common base," : "") \(device)"
            text += " \(TimeText.text(side.instant, offset: utcOffset))\n"
            text += side.typed?.text ?? "(deleted)"
        }
        let job = EditorJob(
            source: view.source, purpose: .resolve(view.row), kind: first.kind,
            original: first.text)
        return edit(job, text: text + "\n")
    }
}
