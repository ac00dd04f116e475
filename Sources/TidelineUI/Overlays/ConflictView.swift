import TidelineCore

/// The conflict screen: shows the sides of a row and their base, to choose a side, combine parts or
/// merge by hand.
struct ConflictView: OverlayModule {
    var source: SourceID
    var row: RowID
    var title: String
    private(set) var conflict: RowConflict?
    var problem: String?
    var pending: RequestID?
    /// The details of the conflict, once loaded.
    private(set) var detail: ConflictDetail?
    var detailRequest: RequestID?
    /// The version of the rows at the time of loading.
    fileprivate var version: Int?
    /// The index of the selected line: the sides come first, then the parts that differ.
    private(set) var cursor = 0
    /// The number of the side that the user chose for each part.
    private(set) var picks: [FieldPath: Int] = [:] {
        didSet { if picks != oldValue { forgetPicked() } }
    }
    /// The merged value for the current picks, once known.
    private(set) var picked: RowConflict.Proposal?
    /// The picks of the last request for a merged value.
    fileprivate(set) var asked: [FieldPath: Int]?
    var proposalRequest: RequestID?
    /// The scroll position relative to the cursor.
    private(set) var scrolled = Scrolled.start
    /// The texts with their line breaks, and on one line each.
    private(set) var whole = ConflictTexts()
    private(set) var short: ConflictTexts?

    static let kind = Overlay.Kind.conflict
    static let group = Action.Group.sides
    var overlay: Overlay { .conflict(self) }
    var isWaiting: Bool { pending != nil && conflict == nil }
    /// Unlocking is included, because the lock may prevent resolving.
    static let passes = ["unlock", "ignore", "next-conflict", "previous-conflict"]
    var choiceCount: Int { conflict?.sides.count ?? 0 }

    /// Hides actions on parts if there are none, and on the proposal if there is none.
    func isIdle(_ action: Action) -> Bool {
        switch action.name {
        case "conflict-parts", "conflict-pick-next", "conflict-pick-previous": fields.isEmpty
        case "conflict-propose": conflict != nil && whyNoProposal != nil
        default: false
        }
    }

    /// The parts in which the sides differ.
    var fields: [ConflictDetail.Field] { detailNow?.fields ?? [] }

    /// The writes that led to the sides, and whether older ones exist.
    var writes: [ConflictDetail.Write] { detailNow?.writes ?? [] }
    var hasMoreWrites: Bool { detailNow?.hasMoreWrites == true }
    var otherFields: Int { detailNow?.otherFields ?? 0 }

    /// The loaded details; `nil` if they belong to older sides.
    private var detailNow: ConflictDetail? {
        guard let detail, detail.sides == conflict?.sides.map(\.id) else { return nil }
        return detail
    }

    /// The chosen side for each part.
    var sidesPicked: [FieldPath: RowConflict.SideID] {
        picks.compactMapValues { number in
            guard let sides = conflict?.sides, sides.indices.contains(number) else { return nil }
            return sides[number].id
        }
    }

    /// The selected part.
    var field: ConflictDetail.Field? {
        let index = cursor - (conflict?.sides.count ?? 0)
        return fields.indices.contains(index) ? fields[index] : nil
    }

    /// The value to be written: the merge proposal, including picks.
    var proposal: RowConflict.Proposal? { picks.isEmpty ? conflict?.proposal : picked }

    mutating func show(picked: RowConflict.Proposal) {
        self.picked = picked
        makeTexts()
    }

    private mutating func forgetPicked() {
        (picked, asked, proposalRequest) = (nil, nil, nil)
        makeTexts()
    }

    private mutating func makeTexts() {
        var shown = conflict
        shown?.proposal = proposal
        whole = shown.map { ConflictTexts($0, \.text) } ?? ConflictTexts()
        short = shown.flatMap(ConflictTexts.init(short:))
    }

    /// Shows the current conflict. Picks are kept if the sides are the same.
    mutating func show(_ conflict: RowConflict?) {
        let before = self.conflict
        self.conflict = conflict
        guard before != conflict else { return }
        if before?.sides.map(\.id) != conflict?.sides.map(\.id) { picks = [:] }
        cursor = max(0, min(cursor, lineCount - 1))
        makeTexts()
    }

    mutating func show(_ detail: ConflictDetail?) {
        self.detail = detail
        let paths = Set(fields.map(\.path))
        picks = picks.filter { paths.contains($0.key) }
        cursor = max(0, min(cursor, lineCount - 1))
    }

    /// The number of lines that can be selected.
    private var lineCount: Int { (conflict?.sides.count ?? 0) + fields.count }

    /// Moves the cursor. Beyond the first and last line, it scrolls to show the lines before and
    /// after them.
    private mutating func move(by lines: Int, in model: Model) {
        let before = cursor
        cursor = max(0, min(cursor + lines, lineCount - 1))
        if cursor == before { scroll(by: lines, in: model) } else { scrolled = .start }
    }

    private mutating func moveToEnd(last: Bool) {
        cursor = last ? max(0, lineCount - 1) : 0
        scrolled = last ? .end : .start
    }

    /// Moves between the sides and the differing parts, scrolling to the cursor.
    private mutating func moveToParts() {
        cursor = field == nil ? conflict?.sides.count ?? 0 : 0
        scrolled = .start
    }

    /// Scrolls by pages.
    private mutating func scroll(byPages pages: Int, in model: Model) {
        scroll(by: pages * max(1, model.dialogArea.rows - 4), in: model)
    }

    /// Scrolls by lines, within the content.
    private mutating func scroll(by step: Int, in model: Model) {
        let columns = max(10, model.panels.size.columns - 8)
        let texts = (whole.sides + [whole.base, whole.proposal]).compactMap(\.self)
        let lines = texts.reduce(writes.count + fields.count + 12) { count, text in
            count + 5 + min(model.panels.size.rows, text.text.utf8.count / columns + text.lineCount)
        }
        scrolled.move(by: step, from: cursor == 0 ? 0 : -lines, to: lines)
    }

    /// Chooses the next side for the selected part. If no side has the merged value, the merged
    /// value is one of the choices.
    private mutating func pickNext(_ step: Int) {
        guard let conflict, let field else { return }
        if let proposed = field.proposed {
            let sides = max(1, conflict.sides.count)
            let next = ((picks[field.path] ?? proposed) + step + sides) % sides
            picks[field.path] = next == proposed ? nil : next
            return
        }
        let choices = conflict.sides.count + 1
        let next = ((picks[field.path] ?? -1) + 1 + step + choices) % choices
        picks[field.path] = next == 0 ? nil : next - 1
    }

    /// The reason why no side can be picked for a part.
    private var whyNoPick: String? {
        if field != nil { return nil }
        return fields.isEmpty
            ? "the values differ as a whole. Choose a side by number"
            : "move down to a difference first"
    }

    /// The reason why there is no merge proposal.
    private var whyNoProposal: String? {
        guard let conflict, picks.isEmpty, conflict.proposal == nil else { return nil }
        if detailRequest != nil { return "the sides are still loading" }
        if !fields.isEmpty { return "the sides changed the same parts" }
        let areTexts =
            conflict.base?.typed?.kind == .string
            && conflict.sides.allSatisfy { $0.typed?.kind == .string }
        return areTexts
            ? "the sides changed the same words"
            : "the values differ as a whole"
    }

    /// Chooses a side by number: for the selected part, or else for the row.
    private mutating func choose(_ number: Int, in model: inout Model) -> [Effect] {
        if let conflict, !conflict.sides.indices.contains(number) {
            model.say(.info, "there are only \(conflict.sides.count) sides")
            return []
        }
        guard let field else { return model.take(number, of: self) }
        picks[field.path] = number
        return []
    }

    static let actions: [Action] =
        [
            action("conflict-take", "Choose the selected side, or the picked parts") {
                model, view in
                view.field == nil ? model.take(view.cursor, of: view) : model.propose(view)
            }
        ]
        + (1...9).map { number in
            action("conflict-take-\(number)", "Choose a side by number") {
                model, view in
                if let count = view.conflict?.sides.count, number > count {
                    model.sayNone(number, of: count)
                    return []
                }
                return view.choose(number - 1, in: &model)
            }
        } + [
            action(
                "conflict-propose", "Merge automatically, or use the picked parts",
                unless: { $0.whyNoProposal }
            ) { model, view in model.propose(view) },
            change(
                "conflict-pick-next", "Choose the next side for this part", unless: { $0.whyNoPick }
            ) { $1.pickNext(1) },
            change(
                "conflict-pick-previous", "Choose the previous side for this part",
                unless: { $0.whyNoPick }
            ) { $1.pickNext(-1) },
            change(
                "conflict-parts", "Jump between sides and differences",
                unless: { $0.fields.isEmpty ? "the values differ as a whole" : nil }
            ) { $1.moveToParts() },
            change("conflict-first", "First line") { $1.moveToEnd(last: false) },
            change("conflict-last", "Last line") { $1.moveToEnd(last: true) },
            change("conflict-page-down", "Page down") { $1.scroll(byPages: 1, in: $0) },
            change("conflict-page-up", "Page up") { $1.scroll(byPages: -1, in: $0) },
            action("conflict-merge", "Merge in $EDITOR or the merge tool") {
                model, view in model.merge(view)
            },
            action("conflict-edit", "Edit value") { model, view in
                model.edit(view, externally: false)
            },
            action("conflict-edit-external", "Edit value in $EDITOR") { model, view in
                model.edit(view, externally: true)
            },
            change("conflict-next", "Next side or difference") { $1.move(by: 1, in: $0) },
            change("conflict-previous", "Previous side or difference") { $1.move(by: -1, in: $0) },
            action("conflict-now", "Return to now, keeping this conflict open") { model, view in
                guard model.time != nil else {
                    model.say(.info, "already showing now")
                    return []
                }
                return model.leavePast() + model.read(view)
            },
            change("conflict-close", "Close") { model, _ in model.closeOverlay() },
        ]

    func hints(in model: Model) -> [Hint] {
        let close = model.hint("conflict-close", title: "close")
        let ignore =
            conflict == nil && pending == nil
            ? nil
            : model.hint(
                "ignore", title: model.ignoredMark(of: self) == nil ? "ignore" : "stop ignoring")
        var resolving: [Hint?] = []
        if let conflict, model.canEdit(.resolve).reason == nil {
            resolving = [
                Hint(
                    keys: model.digits(of: "conflict-take", upTo: conflict.sides.count),
                    title: "choose"),
                model.hint("conflict-merge", title: "merge"),
                fields.isEmpty ? nil : model.hint("conflict-parts", title: "parts"),
            ]
        }
        // Omit the key for unlocking: the dialog itself shows it.
        let first =
            model.time == nil || model.whyNotThere != nil
            ? ignore : model.hint("conflict-now", title: "now")
        let hasNext = model.openConflictCount > 1 || model.time != nil
        let next = hasNext ? model.hint("next-conflict", title: "next≠") : nil
        return (resolving + [first, close, next]).compactMap(\.self)
    }
}

extension Model {
    /// Opens the conflict screen for the selected row.
    mutating func openConflict() -> [Effect] {
        guard let list, let row = list.selectedRow else { return [] }
        var view = ConflictView(
            source: list.source.id, row: row.id, title: row.cells.first?.text ?? row.id.name)
        view.show(regions.conflicts.known[row.id])
        return read(view)
    }

    /// Shows a conflict and loads its sides for the current instant.
    mutating func read(_ view: ConflictView) -> [Effect] {
        let (id, detail) = (requests.newID(), requests.newID())
        var view = view
        view.pending = id
        view.detailRequest = detail
        view.version = session.version
        overlay = .conflict(view)
        return [
            .conflicts(id, view.source, [view.row], at: instant),
            .conflictDetail(detail, view.source, view.row, at: instant),
        ]
    }

    /// Reloads the sides if they may have changed.
    mutating func requestConflict() -> [Effect] {
        guard case .conflict(let view) = overlay, view.pending == nil, view.detailRequest == nil,
            view.version != session.version, session.status.phase != .gone || view.conflict == nil
        else { return [] }
        return read(view)
    }

    /// Requests the merged value for the current picks.
    mutating func requestProposal() -> [Effect] {
        guard case .conflict(var view) = overlay, view.asked != view.picks, !view.picks.isEmpty
        else { return [] }
        let id = requests.newID()
        view.asked = view.picks
        view.proposalRequest = id
        overlay = .conflict(view)
        return [.proposal(id, view.source, view.row, picking: view.sidesPicked, at: instant)]
    }

    /// Returns whether conflicts can be resolved now, and shows the reason if not.
    mutating func mayResolve(_ what: String) -> Bool {
        guard let reason = canEdit(.resolve).reason else { return true }
        say(.warning, "\(what): \(reason)")
        return false
    }

    private mutating func sayNoSides(of view: ConflictView) -> [Effect] {
        say(
            .warning,
            view.detailRequest != nil
                ? "the sides are still loading" : "this row is no longer in conflict")
        return []
    }

    fileprivate mutating func take(_ index: Int, of view: ConflictView) -> [Effect] {
        guard let conflict = view.conflict else { return sayNoSides(of: view) }
        guard conflict.sides.indices.contains(index), mayResolve("Choose a side") else { return [] }
        let side = conflict.sides[index]
        return askPreview(
            .edit, source: view.source, [.resolve(view.row, conflict.resolution(.take(side.id)))])
    }

    fileprivate mutating func propose(_ view: ConflictView) -> [Effect] {
        guard let conflict = view.conflict else { return sayNoSides(of: view) }
        guard mayResolve("Merge automatically") else { return [] }
        if !view.picks.isEmpty {
            return askPreview(
                .edit, source: view.source,
                [.resolve(view.row, conflict.resolution(.picks(view.sidesPicked)))])
        }
        guard let proposal = conflict.proposal else { return [] }
        return askPreview(
            .edit, source: view.source,
            [.resolve(view.row, conflict.resolution(.value(proposal.typed)))])
    }

    /// Edits the row of the conflict, even if another row is selected by now.
    fileprivate mutating func edit(_ view: ConflictView, externally: Bool) -> [Effect] {
        if let reason = canEdit(.set).reason {
            say(.warning, "Edit: \(reason)")
            return []
        }
        let isSelected = list?.source.id == view.source && list?.selectedRow?.id == view.row
        return askEditableValue(
            of: view.row, field: isSelected ? selectedField : nil, in: view.source,
            externally: externally)
    }

    /// Opens all sides in the merge tool, or in the external editor with the winner's value to be
    /// edited.
    fileprivate mutating func merge(_ view: ConflictView) -> [Effect] {
        guard let conflict = view.conflict else { return [] }
        guard mayResolve("Merge") else { return [] }
        if let side = (conflict.sides + (conflict.base.map { [$0] } ?? [])).first(where: \.isHidden)
        {
            say(.warning, "Merge: the value of \(side.author.name) can't be shown here")
            return []
        }
        guard let first = conflict.sides.first(where: { $0.typed != nil })?.typed else {
            say(.warning, "Merge: no side has a value")
            return []
        }
        let job = EditorJob(
            source: view.source, purpose: .resolve(view.row, conflict.part), kind: first.kind,
            original: first.text, sides: conflict.sides.map(\.id))
        if let tool = preferences.mergeTool {
            let texts = MergedTexts(
                base: conflict.base.map { $0.typed?.text ?? "" },
                sides: conflict.sides.map { $0.typed?.text ?? "" },
                proposal: conflict.proposal?.typed.text)
            return merge(job, texts, with: tool)
        }
        var text = first.text + (first.text.hasSuffix("\n") ? "" : "\n") + EditorJob.scissors
        for side in conflict.sides + (conflict.base.map { [$0] } ?? []) {
            let isBase = side == conflict.base
            let device = Sanitizer.visible(side.author.name)
            text += "\n#\(isBase ? " common base," : "") \(device)"
            text += " \(TimeText.text(side.instant, offset: preferences.utcOffset))\n"
            text += side.typed?.text ?? "(deleted)"
        }
        return edit(job, text: text + "\n")
    }
}
