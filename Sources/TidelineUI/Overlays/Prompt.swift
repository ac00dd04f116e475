import TidelineCore

/// The prompt at the bottom of the screen for filters, searches and notes.
struct Prompt: OverlayModule {
    enum Purpose: Hashable, Sendable {
        /// Filters the list while typing. Canceling restores rows and selection.
        case filter(before: RowQuery, selected: RowID?)
        /// Filters the events while the user types.
        case feed(before: String)
        /// Searches the list while typing.
        case search(backwards: Bool)
        /// Searches the events. Canceling restores the last search and the selection.
        case feedSearch(before: String, cursor: Int)
        /// Asks for a note on ignored conflicts. `name` is the name of the conflict; `nil` if there
        /// are several conflicts.
        case ignore([RowID], part: FieldPath?, name: String?)
    }

    var purpose: Purpose
    var text: TextField
    var over: Overlay?
    /// The position in the history; `0` for a new text.
    var historyDepth = 0
    /// The completions that Tab cycles through.
    var completion: FilterCompletion?
    /// The values of the field at the cursor, as reported by the list.
    var values: Values?

    struct Values: Hashable, Sendable {
        var field: String
        /// The filter without the term at the cursor.
        var rest: String
        var request: RequestID?
        var found: [String] = []
    }

    var isFilter: Bool {
        switch purpose {
        case .filter, .feed: true
        case .search, .feedSearch, .ignore: false
        }
    }

    static let group = Action.Group("Filter or search prompt")
    static let whyNotOpen = "no filter or search prompt is open"
    /// Filters and searches are quickly typed again; a note isn't.
    var unwrittenText: String? { if case .ignore = purpose { text.text } else { nil } }
    var field: TextField? {
        get { text }
        set { text = newValue ?? TextField() }
    }

    static let actions: [OverlayAction<Self>] = [
        action("prompt-accept", "Apply", ["Enter"]) { prompt, context in
            if prompt.isFilter, let problem = prompt.problem(in: context) {
                // The prompt stays open, because the list doesn't use the typed text yet.
                return [.notice(.error, problem.message)]
            }
            return [.accepted(prompt)]
        },
        action("prompt-leave", "Cancel", ["Esc", "^c"]) { prompt, _ in [.canceled(prompt)] },
        action("prompt-earlier", "Older text", ["Up", "^p"]) { $0.recall(1, of: $1.recents) },
        action("prompt-later", "Newer text", ["Down", "^n"]) { $0.recall(-1, of: $1.recents) },
        action("prompt-complete", "Complete, or next completion", ["Tab"]) {
            $0.complete(by: 1, in: $1)
        },
        action("prompt-complete-back", "Previous completion", ["BackTab"]) {
            $0.complete(by: -1, in: $1)
        },
    ]

    private mutating func recall(_ step: Int, of recents: Recents) -> [ScreenOutcome] {
        let history =
            switch purpose {
            case .filter, .feed: recents.filters
            case .search, .feedSearch: recents.searches
            case .ignore: [String]()
            }
        let depth = max(0, min(historyDepth + step, history.count))
        guard depth != historyDepth else { return [] }
        historyDepth = depth
        completion = nil
        text = TextField(depth == 0 ? "" : history[history.count - depth])
        return [.changed(self)]
    }

    /// Returns the text to filter by. Leaves out the term at the cursor while it has no value.
    func filter(in context: ScreenContext) -> String {
        missingValue(in: context) == nil
            ? text.text : FilterCompletion.rest(of: text.characters, at: text.cursor)
    }

    func hints(in context: ScreenContext) -> [Hint] {
        [
            context.keymap.hint("prompt-accept", title: "accept"),
            context.keymap.hint("prompt-leave", title: "cancel"),
            context.keymap.hint("prompt-earlier", title: "earlier"),
            isFilter ? context.keymap.hint("prompt-complete", title: "complete") : nil,
        ].compactMap(\.self)
    }

    mutating func fieldChanged(in context: ScreenContext) -> [ScreenOutcome] {
        historyDepth = 0
        completion = nil
        return [.changed(self)]
    }

    // The prompt itself is drawn in the footer.
    func draw(on canvas: inout Canvas) {
        // The content that the prompt applies to stays visible.
        if let over { canvas.draw(over) }
    }
}
