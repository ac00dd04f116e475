import Foundation
import TidelineCore

/// A line at the foot of the screen in which a filter or a search is typed.
struct Prompt: OverlayModule {
    enum Purpose: Hashable, Sendable {
        /// Rows follow while it is typed; leaving brings back what was shown and selected.
        case filter(before: RowQuery, selected: RowID?)
        /// Which events are shown, the same way.
        case feed(before: String)
        /// The selection goes to the first hit while it is typed.
        case search(backwards: Bool)
        /// The same among the events; leaving brings back what was searched for and selected.
        case feedSearch(before: String, cursor: Int)
        /// Why nothing needs to be done about the conflicts of rows; of a single one with its name.
        case benign([RowID], name: String?)
    }

    var purpose: Purpose
    var text: TextField
    /// What it was asked for in, to go back to.
    var over: Overlay?
    /// How far back in the history of such texts the text is from; `0`: newly typed.
    var historyDepth = 0
    /// The words that Tab goes through, once it was pressed.
    var completion: FilterCompletion?
    /// What the list knows to be the values of the field that is typed.
    var values: Values?

    struct Values: Hashable, Sendable {
        var field: String
        /// The filter without what is typed of the field.
        var rest: String
        var request: RequestID?
        var found: [String] = []
    }

    var isFilter: Bool {
        switch purpose {
        case .filter, .feed: true
        case .search, .feedSearch, .benign: false
        }
    }

    static let kind = Overlay.Kind.prompt
    static let group = Action.Group.prompt
    var overlay: Overlay { .prompt(self) }
    var field: TextField? {
        get { text }
        set { text = newValue ?? TextField() }
    }

    static let actions: [Action] = [
        action("prompt-accept", "Take what is typed") { model, prompt in
            model.accept(prompt)
        },
        action("prompt-leave", "Leave it as it was") { model, prompt in model.leave(prompt) },
        change("prompt-earlier", "An earlier one") { model, prompt in
            model.recall(1, in: &prompt)
        },
        change("prompt-later", "A later one") { model, prompt in model.recall(-1, in: &prompt) },
        change("prompt-complete", "Complete the field or value, or the next such") {
            model, prompt in model.complete(&prompt, by: 1)
        },
        change("prompt-complete-back", "Complete it with the one before") { model, prompt in
            model.complete(&prompt, by: -1)
        },
    ]

    func hints(in model: Model) -> [Hint] {
        [
            model.hint("prompt-accept", title: "accept"),
            model.hint("prompt-leave", title: "leave"),
            model.hint("prompt-earlier", title: "earlier"),
            isFilter ? model.hint("prompt-complete", title: "complete") : nil,
        ].compactMap(\.self)
    }

    mutating func fieldChanged(in model: inout Model) {
        historyDepth = 0
        completion = nil
        model.promptChanged(self)
    }

    // In the footer, which is drawn behind everything else.
    func draw(on screen: inout Screen) {
        // What it is about stays in sight.
        if let over { screen.draw(over) }
    }
}

extension Model {
    mutating func promptChanged(_ prompt: Prompt) {
        let filter =
            missingValue(in: prompt) == nil
            ? prompt.text.text
            : FilterCompletion.rest(of: prompt.text.characters, at: prompt.text.cursor)
        if case .feed = prompt.purpose { events.setFilter(filter) }
        if case .filter = prompt.purpose, let list {
            if list.latestQuery.filter != filter {
                setFilter(filter)
            } else if list.wanted == nil, list.pending == nil {
                // What was wrong with the text before is not wrong with this one.
                withList { $0.filterProblem = nil }
            }
        }
        if case .feedSearch(_, let cursor) = prompt.purpose {
            events.searchText = prompt.text.text
            events.cursor = cursor
            notice = events.search(from: cursor, backwards: false)
        }
        if case .search(let backwards) = prompt.purpose {
            notice = nil
            withList { $0.search(prompt.text.text, backwards: backwards) }
        }
    }

    fileprivate mutating func leave(_ prompt: Prompt) -> [Effect] {
        closeOverlay()
        if case .filter(let before, let selected) = prompt.purpose, let list,
            list.latestQuery != before
        {
            setFilter(before.filter)
            if let selected { withList { $0.want(.row(selected), for: .reveal(selected)) } }
        }
        if case .feed(let before) = prompt.purpose { events.setFilter(before) }
        if case .feedSearch(let before, let cursor) = prompt.purpose {
            (events.searchText, events.cursor) = (before, cursor)
        }
        withList {
            $0.leaveSearch()
            $0.filterProblem = nil
        }
        return goBack(to: prompt.over)
    }

    fileprivate mutating func accept(_ prompt: Prompt) -> [Effect] {
        let text = prompt.text.text
        switch prompt.purpose {
        case .filter, .feed:
            if let problem = problem(of: prompt) {
                // The filter stays open: what is shown is not what is written there.
                say(.error, problem.message)
                return []
            }
            closeOverlay()
            remember(text, in: \.filterHistory)
        case .search(let backwards):
            closeOverlay()
            remember(text, in: \.searchHistory)
            withList {
                $0.search(text, backwards: backwards)
                $0.searchStart = nil
            }
        case .feedSearch(_, let cursor):
            closeOverlay()
            remember(text, in: \.searchHistory)
            notice = events.search(from: cursor, backwards: false)
        case .benign(let rows, _):
            return goBack(to: prompt.over)
                + askToMarkBenign(rows, note: text.trimmingCharacters(in: .whitespaces))
        }
        return []
    }

    private mutating func remember(
        _ text: String, in history: WritableKeyPath<Model, [String]>
    ) {
        guard !text.isEmpty else { return }
        self[keyPath: history].removeAll { $0 == text }
        self[keyPath: history].append(text)
        if self[keyPath: history].count > 100 { self[keyPath: history].removeFirst() }
    }

    fileprivate mutating func recall(_ step: Int, in prompt: inout Prompt) {
        let history =
            switch prompt.purpose {
            case .filter, .feed: filterHistory
            case .search, .feedSearch: searchHistory
            case .benign: [String]()
            }
        let depth = max(0, min(prompt.historyDepth + step, history.count))
        guard depth != prompt.historyDepth else { return }
        prompt.historyDepth = depth
        prompt.completion = nil
        prompt.text = TextField(depth == 0 ? "" : history[history.count - depth])
        promptChanged(prompt)
    }
}
