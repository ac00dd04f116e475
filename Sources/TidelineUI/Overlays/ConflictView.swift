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
    var version: Int?
    /// The index of the selected line: the sides come first, then the parts that differ.
    private(set) var cursor = 0
    /// The number of the side that the user chose for each part.
    private(set) var picks: [FieldPath: Int] = [:] {
        didSet { if picks != oldValue { forgetPicked() } }
    }
    /// The merged value for the current picks, once known.
    private(set) var picked: RowConflict.Proposal?
    /// The picks for which the merged value was last requested.
    var asked: [FieldPath: Int]?
    var proposalRequest: RequestID?
    /// The scroll position relative to the cursor.
    private(set) var scrolled = Scrolled.start
    /// The texts: with their line breaks in `whole`, and each on one line in `short`.
    private(set) var whole = ConflictTexts()
    private(set) var short: ConflictTexts?

    static let group = Action.Group("Conflict screen")
    static let whyNotOpen = "no conflict is open"
    var isWaiting: Bool { pending != nil && conflict == nil }
    /// `unlock` is included because the lock may prevent resolving. `undo` is included because the
    /// next conflict opens right after a write.
    static let passes = ["unlock", "ignore", "next-conflict", "previous-conflict", "undo"]
    var choiceCount: Int { conflict?.sides.count ?? 0 }

    /// The actions on parts have no effect if there are no parts, and merging has no effect if it
    /// isn't possible.
    func isIdle(_ action: Action) -> Bool {
        switch action.name {
        case "conflict-parts", "conflict-pick-next", "conflict-pick-previous": fields.isEmpty
        case "conflict-propose": conflict != nil && whyNoProposal != nil
        default: false
        }
    }

    /// The parts in which the sides differ.
    var fields: [ConflictDetail.Field] { detailNow?.fields ?? [] }

    /// The writes that led to the sides, and whether there are older writes.
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

    /// Moves the cursor. If there is no further line to select, scrolls to show the other lines.
    private mutating func move(by lines: Int, in context: ScreenContext) {
        let before = cursor
        cursor = max(0, min(cursor + lines, lineCount - 1))
        if cursor == before { scroll(by: lines, in: context) } else { scrolled = .start }
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

    private mutating func scroll(byPages pages: Int, in context: ScreenContext) {
        scroll(by: pages * max(1, context.dialogArea.rows - 4), in: context)
    }

    /// Scrolls by lines, within the content.
    private mutating func scroll(by step: Int, in context: ScreenContext) {
        let columns = max(10, area(in: context.dialogArea, of: context).columns - 8)
        let texts = (whole.sides + [whole.base, whole.proposal]).compactMap(\.self)
        let lines = texts.reduce(writes.count + fields.count + 12) { count, text in
            count + 5 + min(context.size.rows, text.text.utf8.count / columns + text.lineCount)
        }
        scrolled.move(by: step, from: cursor == 0 ? 0 : -lines, to: lines)
    }

    /// Chooses the next side for the selected part, or a merged value that differs from all sides.
    private mutating func pickNext(_ step: Int) {
        guard let conflict, let field else { return }
        if let proposed = field.proposed {
            let sides = max(1, conflict.sides.count)
            let next = (picks[field.path] ?? proposed).cycled(by: step, of: sides)
            picks[field.path] = next == proposed ? nil : next
            return
        }
        let choices = conflict.sides.count + 1
        let next = ((picks[field.path] ?? -1) + 1).cycled(by: step, of: choices)
        picks[field.path] = next == 0 ? nil : next - 1
    }

    /// The reason why no side can be picked for a part.
    private var whyNoPick: String? {
        if field != nil { return nil }
        return fields.isEmpty
            ? "this value has no parts to choose from; choose a side by number"
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
            : "these values can't be merged"
    }

    /// Chooses a side by number: for the selected part, or else for the row.
    private mutating func choose(_ number: Int, in context: ScreenContext) -> [ScreenOutcome] {
        guard let field else { return take(number, in: context) }
        picks[field.path] = number
        return []
    }

    static let actions: [OverlayAction<Self>] =
        [
            action("conflict-take", "Choose the selected side, or the picked parts", ["Enter"]) {
                view, context in
                view.field == nil
                    ? view.take(view.cursor, in: context) : view.propose(in: context)
            }
        ]
        + (1...9).map { number in
            action("conflict-take-\(number)", "Choose a side by number", ["\(number)"]) {
                view, context in
                if let count = view.conflict?.sides.count, number > count {
                    return [.none(of: count)]
                }
                return view.choose(number - 1, in: context)
            }
        } + [
            action(
                "conflict-propose", "Merge automatically, or use the picked parts", ["p"],
                unless: \.whyNoProposal
            ) { $0.propose(in: $1) },
            change(
                "conflict-pick-next", "Choose the next side for this part", ["l", "Right"],
                unless: \.whyNoPick
            ) { view, _ in view.pickNext(1) },
            change(
                "conflict-pick-previous", "Choose the previous side for this part", ["h", "Left"],
                unless: \.whyNoPick
            ) { view, _ in view.pickNext(-1) },
            change(
                "conflict-parts", "Jump between sides and differences", ["Tab"],
                unless: { $0.fields.isEmpty ? "this value has no parts to choose from" : nil }
            ) { view, _ in view.moveToParts() },
            change("conflict-first", "First line", ["g", "Home"]) { view, _ in
                view.moveToEnd(last: false)
            },
            change("conflict-last", "Last line", ["G", "End"]) { view, _ in
                view.moveToEnd(last: true)
            },
            change("conflict-page-down", "Page down", ["Space", "PgDn"]) {
                $0.scroll(byPages: 1, in: $1)
            },
            change("conflict-page-up", "Page up", ["PgUp"]) { $0.scroll(byPages: -1, in: $1) },
            action("conflict-merge", "Merge in $EDITOR or the merge tool", ["m"]) {
                $0.merge(in: $1)
            },
            action("conflict-edit", "Edit value", ["i"]) { $0.edit(externally: false, in: $1) },
            action("conflict-edit-external", "Edit value in $EDITOR", ["e"]) {
                $0.edit(externally: true, in: $1)
            },
            change("conflict-next", "Next side or difference", ["j", "Down"]) {
                $0.move(by: 1, in: $1)
            },
            change("conflict-previous", "Previous side or difference", ["k", "Up"]) {
                $0.move(by: -1, in: $1)
            },
            action("conflict-now", "Leave time travel, keeping this conflict open", ["t"]) {
                view, context in
                context.instant == nil
                    ? [.notice(.info, "already showing now")]
                    : [.leavePast, .close(showing: Overlay(view))]
            },
            action("conflict-close", "Close", ["Esc", "q", "Backspace"]) { _, _ in [.close()] },
        ]

    func hints(in context: ScreenContext) -> [Hint] {
        let close = context.keymap.hint("conflict-close", title: "close")
        let ignore =
            conflict == nil && pending == nil
            ? nil
            : context.keymap.hint(
                "ignore", title: context.ignoredMark(of: self) == nil ? "ignore" : "stop ignoring")
        var resolving: [Hint?] = []
        if let conflict, context.refusal(.resolve) == nil {
            resolving = [
                Hint(
                    keys: context.keymap.digits(of: "conflict-take", upTo: conflict.sides.count),
                    title: "choose"),
                context.keymap.hint(
                    conflict.proposal == nil ? "conflict-merge" : "conflict-propose",
                    title: "merge"),
                fields.isEmpty ? nil : context.keymap.hint("conflict-parts", title: "parts"),
            ]
        }
        // The dialog shows the key for unlocking in another place.
        let first =
            context.instant == nil || context.whyNotThere != nil
            ? ignore : context.keymap.hint("conflict-now", title: "now")
        let hasNext = context.openConflictCount > 1 || context.instant != nil
        let next = hasNext ? context.keymap.hint("next-conflict", title: "next≠") : nil
        // The actions that resolve the conflict come first. On a narrow screen, leaving comes
        // before ignoring.
        let others = resolving.isEmpty ? [first, close, next] : [close, first, next]
        return (resolving + others).compactMap(\.self)
    }
}
