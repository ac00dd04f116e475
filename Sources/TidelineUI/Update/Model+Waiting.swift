import TidelineCore

/// Keys that are pressed before the screen has caught up: what they mean depends on an answer
/// that is still to come (the field that is about to open, the row that is searched for), so they
/// wait for it. Nothing typed ahead is lost, or taken for something else.
extension Model {
    /// Nobody who looks at the screen types more keys than this.
    private static let waitingLimit = 1_000
    /// A key that repeats itself while it is held down does not go on long after it.
    private static let repeatLimit = 16

    /// Microseconds that keys wait for the first panes and their rows.
    static let longestOpening: Int64 = 3_000_000

    /// Whether the first panes and rows are about to come, which the keys are meant for.
    var isOpening: Bool { waitsForStore && status.isLoading }

    /// Whether what keys mean depends on an answer that is still to come.
    var mustWait: Bool {
        if isUnlocking { return true }
        if isOpening, panes.isEmpty, overlay == nil { return true }
        switch awaited?.purpose {
        case nil, .difference: break
        default: return true
        }
        if let overlay { return overlay.module.isWaiting }
        return Region.allCases.contains { $0.module.isAwaited(in: self) }
    }

    /// Whether the selected row is not at hand yet: one can move on, but not act on it.
    private var lacksRow: Bool {
        guard overlay == nil, focus == .list, let list, list.total > 0 || !list.isLoaded else {
            return false
        }
        return list.selectedRow == nil && list.isAsked
    }

    /// The list that keys are meant for, where it has no rows.
    private var emptyList: ListState? {
        overlay == nil && focus == .list && list?.total == 0 ? list : nil
    }

    /// Whether the rows that are meant are still being read for the first time.
    private var lacksRows: Bool {
        emptyList.map { $0.isAsked && (!$0.isLoaded || status.isLoading) } ?? false
    }

    /// Whether a movement would go nowhere because the store is still being read, or its rows are.
    private var lacksRowsToMoveAmong: Bool {
        lacksRows || emptyList.map { isOpening || $0.isAsked && waitsForStore } ?? false
    }

    /// Keeps an input for later, if it must wait.
    ///
    /// - Returns: Whether it was kept.
    mutating func keep(_ input: Input) -> Bool {
        let group = group(of: input)
        let needsRow = group == .rows || group == .editing || input == .key(Key(.enter))
        guard
            isLeft || mustWait || !waiting.isEmpty || needsRow && lacksRow
                || group == .moving && lacksRowsToMoveAmong
        else { return false }
        // What is about the program is not about rows.
        if group == .program, !isLeft { return false }
        let isRepeated =
            waiting.count >= Self.repeatLimit
            && waiting.suffix(Self.repeatLimit).allSatisfy { $0 == input }
        if waiting.count < Self.waitingLimit, !isRepeated { waiting.append(input) }
        return true
    }

    /// The group of the action that a key calls now.
    private func group(of input: Input) -> Action.Group? {
        guard case .key(let key) = input, overlay == nil, pendingKeys.isEmpty,
            case .action(let name) = keymap.resolve([key], where: { $0.applies(in: self) })
        else { return nil }
        return Action.named(name)?.group
    }

    /// Takes the next of the inputs that waited, once it may go on.
    mutating func nextWaiting() -> Input? {
        guard let next = waiting.first, !isLeft, !mustWait, !lacksRow, !lacksRows,
            !(lacksRowsToMoveAmong && group(of: next) == .moving)
        else { return nil }
        return waiting.removeFirst()
    }

    /// Whether Escape ends the wait. A write is not given up, and a view that opens is closed.
    var canGiveUp: Bool {
        switch overlay {
        case .preview, .moved, .conflict: false
        default: true
        }
    }

    /// Gives up what is waited for, and the keys that were typed ahead.
    mutating func giveUp() -> [Effect] {
        waiting = []
        var effects: [Effect] = []
        isUnlocking = false
        if isOpening { waitsForStore = false }
        if let awaited {
            effects.append(.cancel(awaited.id))
            self.awaited = nil
        }
        if case .field(var editor) = overlay, let id = editor.pending {
            effects.append(.cancel(id))
            editor.pending = nil
            overlay = .field(editor)
        }
        if case .palette(var palette) = overlay {
            palette.accepts = false
            overlay = .palette(palette)
        }
        for region in Region.allCases { effects += region.module.giveUp(in: &self) }
        say(.info, "given up")
        return effects
    }
}
