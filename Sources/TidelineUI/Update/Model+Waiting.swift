import TidelineCore

/// Keys that are held until their meaning is known. The meaning can depend on a pending answer, for
/// example on the field that is about to open or on the row that is found. So keys that are typed
/// ahead are neither lost nor misinterpreted.
extension Model {
    /// The maximum time that keys wait for the first panes and rows, in microseconds.
    static let longestOpening: Int64 = 3_000_000

    /// Whether the first panes and rows are about to arrive.
    var isOpening: Bool { pendingInput.waitsForStore && session.status.isLoading }

    /// Whether the meaning of keys depends on a pending answer.
    var mustWait: Bool {
        if writing.obstacleRequest != nil || writing.isUnlocking { return true }
        if isOpening, navigation.panes.isEmpty, overlay == nil { return true }
        if requests.awaited != nil { return true }
        if let overlay { return overlay.module.isWaiting }
        return Panel.allCases.contains { panelStates[$0].isAwaited && whyNoKeys(of: $0) == nil }
    }

    /// Whether the selected row isn't loaded yet. The cursor can move, but actions must wait.
    private var lacksRow: Bool {
        guard overlay == nil, panels.focus == .list, let list, list.total > 0 || !list.isLoaded
        else {
            return false
        }
        return list.selectedRow == nil && list.isAsked
    }

    /// The list that keys apply to, if it has no rows.
    private var emptyList: ListState? {
        overlay == nil && panels.focus == .list && list?.total == 0 ? list : nil
    }

    /// Whether the rows of the empty list are being loaded for the first time.
    private var lacksRows: Bool {
        emptyList.map { $0.isAsked && (!$0.isLoaded || session.status.isLoading) } ?? false
    }

    /// Whether movement has to wait for rows of a store that is still loading.
    private var lacksRowsToMoveAmong: Bool {
        lacksRows
            || emptyList.map { isOpening || $0.isAsked && pendingInput.waitsForStore } ?? false
    }

    /// Holds an input that can't be handled yet. Returns whether it was held.
    mutating func holdIfNeeded(_ input: Input, meaning: Keymap.Resolution?) -> Bool {
        let group = group(of: meaning)
        let needsRow =
            group.map { [.rows, .editing, .conflicts, .commands].contains($0) } == true
            || input == .key(Key(.enter))
        guard
            mustWait || !pendingInput.waiting.isEmpty || needsRow && lacksRow
                || group == .moving && lacksRowsToMoveAmong
        else { return false }
        // Actions of the program don't depend on rows.
        if group == .program { return false }
        pendingInput.hold(input)
        return true
    }

    /// Returns the group of the action that a single key calls.
    private func group(of meaning: Keymap.Resolution?) -> Action.Group? {
        pendingInput.keys.isEmpty ? meaning?.action?.group : nil
    }

    /// Returns the next held input with its meaning, if it can be handled now.
    mutating func nextWaiting() -> (input: Input, meaning: Keymap.Resolution?)? {
        guard let next = pendingInput.waiting.first, !pendingInput.isLeft, !mustWait, !lacksRow,
            !lacksRows
        else { return nil }
        let meaning = meaning(of: next)
        if group(of: meaning) == .moving, lacksRowsToMoveAmong { return nil }
        return (pendingInput.waiting.removeFirst(), meaning)
    }

    /// Whether Escape cancels the wait. Escape doesn't cancel writes, but closes a dialog that is
    /// opening. It also cancels a comparison, although keys don't wait for comparisons.
    var canCancelWait: Bool {
        let isComparing = overlay == nil && requests.background != nil
        guard mustWait || !pendingInput.waiting.isEmpty || isComparing else { return false }
        switch overlay?.module {
        case is PreviewDialog, is ChangedRowDialog, is ConflictView: return false
        default: return true
        }
    }

    /// Unlocks writing. If something prevents that, drops the keys typed after the request.
    mutating func receiveObstacle(_ id: RequestID, _ answer: Answer<String?>) -> [Effect] {
        guard writing.obstacleRequest == id else { return [] }
        writing.obstacleRequest = nil
        let reason: String?
        switch answer {
        case .success(let obstacle): reason = obstacle
        case .failure(let failure): reason = failure.message
        }
        if let reason {
            let effects = cancelWait()
            say(
                .error,
                "writing stays locked: \(reason.withRelativePaths(inStoreAt: session.path))")
            return effects
        }
        (writing.isWritable, writing.isUnlocking) = (true, true)
        say(.done, "writing is unlocked; it locks again after 10 minutes without a key press")
        return [.setWritable(true)]
    }

    /// Cancels the wait and drops held keys.
    mutating func cancelWait() -> [Effect] {
        pendingInput.waiting = []
        var effects: [Effect] = []
        writing.isUnlocking = false
        if let id = writing.obstacleRequest {
            effects.append(.cancel(id))
            writing.obstacleRequest = nil
        }
        if isOpening { pendingInput.waitsForStore = false }
        if let awaited = requests.awaited {
            effects.append(.cancel(awaited.id))
            self.requests.awaited = nil
        }
        if overlay == nil, let background = requests.background {
            effects.append(.cancel(background.id))
            requests.background = nil
        }
        if var editor = overlay?.module as? FieldEditor, let id = editor.pending {
            effects.append(.cancel(id))
            editor.pending = nil
            overlay = Overlay(editor)
        }
        if var palette = overlay?.module as? CommandPalette {
            palette.accepts = false
            overlay = Overlay(palette)
        }
        for panel in Panel.allCases { effects += apply(panelStates[panel].cancelWait()) }
        say(.info, "canceled")
        return effects
    }
}
