import TidelineCore

/// The sides of a row in conflict beside what they started from, to take one, or some parts of each,
/// or merge them by hand.
struct ConflictView: OverlayModule {
    var source: SourceID
    var row: RowID
    var title: String
    private(set) var conflict: RowConflict?
    var problem: String?
    var pending: RequestID?
    /// What is known of it besides, once it is read.
    private(set) var detail: ConflictDetail?
    var detailRequest: RequestID?
    /// The version of the rows that it was read at.
    fileprivate var version: Int?
    /// Counts the sides, then the parts in which they differ.
    private(set) var cursor = 0
    /// For some of those parts the number of the side that a person has chosen.
    private(set) var picks: [FieldPath: Int] = [:] {
        didSet { if picks != oldValue { forgetPicked() } }
    }
    /// What the sides come to with the picks, once it is known.
    private(set) var picked: RowConflict.Proposal?
    /// The picks that it was asked for, and the request.
    fileprivate(set) var asked: [FieldPath: Int]?
    var proposalRequest: RequestID?
    /// How far a person has scrolled on from where the cursor is.
    private(set) var scrolled = Scrolled.start
    /// The values as they are written by hand, and in one line each.
    private(set) var whole = ConflictTexts()
    private(set) var short: ConflictTexts?

    static let kind = Overlay.Kind.conflict
    static let group = Action.Group.sides
    var overlay: Overlay { .conflict(self) }
    var isWaiting: Bool { pending != nil && conflict == nil }
    /// What the dialog says stands in the way of taking a side can be ended here.
    static let passes = ["unlock", "benign", "next-conflict", "previous-conflict"]
    var choiceCount: Int { conflict?.sides.count ?? 0 }

    /// Without parts there is none to go to or to pick, without a proposal none to take.
    func isIdle(_ action: Action) -> Bool {
        switch action.name {
        case "conflict-parts", "conflict-pick-next", "conflict-pick-previous": fields.isEmpty
        case "conflict-propose": conflict != nil && whyNoProposal != nil
        default: false
        }
    }

    /// The parts in which the sides differ.
    var fields: [ConflictDetail.Field] { detailNow?.fields ?? [] }

    /// The writes that led to the sides, and whether there are older ones.
    var writes: [ConflictDetail.Write] { detailNow?.writes ?? [] }
    var hasMoreWrites: Bool { detailNow?.hasMoreWrites == true }
    var otherFields: Int { detailNow?.otherFields ?? 0 }

    /// What is known of the sides that are shown; nothing where it is of others.
    private var detailNow: ConflictDetail? {
        guard let detail, detail.sides == conflict?.sides.map(\.id) else { return nil }
        return detail
    }

    /// The sides that were picked.
    var sidesPicked: [FieldPath: RowConflict.SideID] {
        picks.compactMapValues { number in
            guard let sides = conflict?.sides, sides.indices.contains(number) else { return nil }
            return sides[number].id
        }
    }

    /// The part that the cursor is on.
    var field: ConflictDetail.Field? {
        let index = cursor - (conflict?.sides.count ?? 0)
        return fields.indices.contains(index) ? fields[index] : nil
    }

    /// What would be written: what the sides come to, with the picks where there are some.
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

    /// Shows a conflict as it is now; what was chosen stays where the sides are the same.
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

    /// How many lines the cursor can be on.
    private var lineCount: Int { (conflict?.sides.count ?? 0) + fields.count }

    /// Moves the cursor; what lies before the first and behind the last line that it can be on is
    /// scrolled to.
    private mutating func move(by lines: Int, in model: Model) {
        let before = cursor
        cursor = max(0, min(cursor + lines, lineCount - 1))
        if cursor == before { scroll(by: lines, in: model) } else { scrolled = .start }
    }

    private mutating func moveToEnd(last: Bool) {
        cursor = last ? max(0, lineCount - 1) : 0
        scrolled = last ? .end : .start
    }

    /// Moves to the first part, from the parts to the first side; the cursor is scrolled to.
    private mutating func moveToParts() {
        cursor = field == nil ? conflict?.sides.count ?? 0 : 0
        scrolled = .start
    }

    /// Scrolls by what the frame shows.
    private mutating func scroll(byPages pages: Int, in model: Model) {
        scroll(by: pages * max(1, model.dialogArea.rows - 4), in: model)
    }

    /// Scrolls by lines, and not far beyond what there is.
    private mutating func scroll(by step: Int, in model: Model) {
        let columns = max(10, model.size.columns - 8)
        let texts = (whole.sides + [whole.base, whole.proposal]).compactMap(\.self)
        let lines = texts.reduce(writes.count + fields.count + 12) { count, text in
            count + 5 + min(model.size.rows, text.text.utf8.count / columns + text.lineCount)
        }
        scrolled.move(by: step, from: cursor == 0 ? 0 : -lines, to: lines)
    }

    /// Chooses for the part under the cursor the next side, or what they come to together, where
    /// that is what no side has.
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

    /// Why no side can be picked for a part.
    private var whyNoPick: String? {
        if field != nil { return nil }
        return fields.isEmpty
            ? "these sides have no parts to pick; a number takes a side"
            : "move down to a part first"
    }

    /// Why there is nothing that the sides come to together.
    private var whyNoProposal: String? {
        guard let conflict, picks.isEmpty, conflict.proposal == nil else { return nil }
        if detailRequest != nil { return "the sides are still being read" }
        if !fields.isEmpty { return "none, as the sides changed the same parts" }
        let areTexts =
            conflict.base?.typed?.kind == .string
            && conflict.sides.allSatisfy { $0.typed?.kind == .string }
        return areTexts
            ? "none, as the sides changed the same words"
            : "none, as the sides have no parts to put together"
    }

    /// The side that Enter or its number is about: that part of it, where the cursor is on a part.
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
            action("conflict-take", "Take the selected side, or what was picked") { model, view in
                view.field == nil ? model.take(view.cursor, of: view) : model.propose(view)
            }
        ]
        + (1...9).map { number in
            action("conflict-take-\(number)", "Take a side, or its part, by number") {
                model, view in
                if let count = view.conflict?.sides.count, number > count {
                    model.sayNone(number, of: count)
                    return []
                }
                return view.choose(number - 1, in: &model)
            }
        } + [
            action(
                "conflict-propose", "Take the proposal, or the picks",
                unless: { $0.whyNoProposal }
            ) { model, view in model.propose(view) },
            change(
                "conflict-pick-next", "Pick the part of the next side", unless: { $0.whyNoPick }
            ) { $1.pickNext(1) },
            change(
                "conflict-pick-previous", "Pick the part of the side before",
                unless: { $0.whyNoPick }
            ) { $1.pickNext(-1) },
            change(
                "conflict-parts", "To the parts in which the sides differ, and back",
                unless: { $0.fields.isEmpty ? "these sides have no parts to pick" : nil }
            ) { $1.moveToParts() },
            change("conflict-first", "The first line") { $1.moveToEnd(last: false) },
            change("conflict-last", "The last line") { $1.moveToEnd(last: true) },
            change("conflict-page-down", "A page on") { $1.scroll(byPages: 1, in: $0) },
            change("conflict-page-up", "A page back") { $1.scroll(byPages: -1, in: $0) },
            action("conflict-merge", "Merge the sides in $EDITOR") {
                model, view in model.merge(view)
            },
            action("conflict-edit", "Edit the row here") { model, view in
                model.edit(view, externally: false)
            },
            action("conflict-edit-external", "Edit the row in $EDITOR") { model, view in
                model.edit(view, externally: true)
            },
            change("conflict-next", "The next side or part") { $1.move(by: 1, in: $0) },
            change("conflict-previous", "The side or part before") { $1.move(by: -1, in: $0) },
            action("conflict-now", "Back to now, with this conflict") { model, view in
                guard model.time != nil else {
                    model.say(.info, "this is how it is now")
                    return []
                }
                return model.leavePast() + model.read(view)
            },
            change("conflict-close", "Close it") { model, _ in model.closeOverlay() },
        ]

    func hints(in model: Model) -> [Hint] {
        let close = model.hint("conflict-close", title: "close")
        let benign =
            conflict == nil && pending == nil
            ? nil
            : model.hint(
                "benign", title: model.benignMark(of: row) == nil ? "benign" : "not benign")
        // How to take a side is asked in the dialog, and how writing is unlocked said there.
        let first =
            model.time == nil || model.whyNotThere != nil
            ? benign : model.hint("conflict-now", title: "now")
        let hasNext = model.openConflictCount > 1 || model.time != nil
        let next = hasNext ? model.hint("next-conflict", title: "next≠") : nil
        return [first, close, next].compactMap(\.self)
    }
}

extension Model {
    /// Opens the sides of the selected row.
    mutating func openConflict() -> [Effect] {
        guard let list, let row = list.selectedRow else { return [] }
        var view = ConflictView(
            source: list.source.id, row: row.id, title: row.cells.first?.text ?? row.id.name)
        view.show(sides.known[row.id])
        return read(view)
    }

    /// Shows the sides of a conflict, and reads what they are at the instant that is shown.
    mutating func read(_ view: ConflictView) -> [Effect] {
        let (id, detail) = (newRequest(), newRequest())
        var view = view
        view.pending = id
        view.detailRequest = detail
        view.version = version
        overlay = .conflict(view)
        return [
            .conflicts(id, view.source, [view.row], at: instant),
            .conflictDetail(detail, view.source, view.row, at: instant),
        ]
    }

    /// Reads the sides that are shown again where they may have changed.
    mutating func requestConflict() -> [Effect] {
        guard case .conflict(let view) = overlay, view.pending == nil, view.detailRequest == nil,
            view.version != version, status.phase != .gone || view.conflict == nil
        else { return [] }
        return read(view)
    }

    /// Asks what would be written with the picks.
    mutating func requestProposal() -> [Effect] {
        guard case .conflict(var view) = overlay, view.asked != view.picks, !view.picks.isEmpty
        else { return [] }
        let id = newRequest()
        view.asked = view.picks
        view.proposalRequest = id
        overlay = .conflict(view)
        return [.proposal(id, view.source, view.row, picking: view.sidesPicked, at: instant)]
    }

    /// Whether conflicts can be ended now; says why where they cannot.
    mutating func mayResolve(_ what: String) -> Bool {
        guard let reason = canEdit(.resolve).reason else { return true }
        say(.warning, "\(what): \(reason)")
        return false
    }

    private mutating func sayNoSides(of view: ConflictView) -> [Effect] {
        say(
            .warning,
            view.detailRequest != nil
                ? "the sides are still being read" : "no devices disagree about this row any more")
        return []
    }

    fileprivate mutating func take(_ index: Int, of view: ConflictView) -> [Effect] {
        guard let conflict = view.conflict else { return sayNoSides(of: view) }
        guard conflict.sides.indices.contains(index), mayResolve("Take a side") else { return [] }
        let side = conflict.sides[index]
        return askPreview(
            .edit, source: view.source, [.resolve(view.row, conflict.resolution(.take(side.id)))])
    }

    fileprivate mutating func propose(_ view: ConflictView) -> [Effect] {
        guard let conflict = view.conflict else { return sayNoSides(of: view) }
        guard mayResolve("Take the proposal") else { return [] }
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

    /// Edits the row that the conflict is of, whatever is selected by now.
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

    /// Gives all sides to the external editor, the winner's value to be changed.
    fileprivate mutating func merge(_ view: ConflictView) -> [Effect] {
        guard let conflict = view.conflict else { return [] }
        guard mayResolve("Merge") else { return [] }
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
            source: view.source, purpose: .resolve(view.row, conflict.part), kind: first.kind,
            original: first.text)
        return edit(job, text: text + "\n")
    }
}
