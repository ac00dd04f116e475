import Foundation
import TidelineCore

/// The prompt at the bottom of the screen for filters, searches and notes.
struct Prompt: OverlayModule {
    enum Purpose: Hashable, Sendable {
        /// Filters the list while typing. Canceling restores rows and selection.
        case filter(before: RowQuery, selected: RowID?)
        /// Filters the events in the same way.
        case feed(before: String)
        /// Searches the list while typing.
        case search(backwards: Bool)
        /// Searches the events. Canceling restores the last search and the selection.
        case feedSearch(before: String, cursor: Int)
        /// Asks for a note on ignored conflicts; for a single one, with its name.
        case ignore([RowID], part: FieldPath?, name: String?)
    }

    var purpose: Purpose
    var text: TextField
    /// The overlay to return to.
    var over: Overlay?
    /// The position in the history; `0` for a new text.
    var historyDepth = 0
    /// The completions that Tab cycles through.
    var completion: FilterCompletion?
    /// The values of the field being typed, as reported by the list.
    var values: Values?

    struct Values: Hashable, Sendable {
        var field: String
        /// The filter without the field being typed.
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

    static let kind = Overlay.Kind.prompt
    static let group = Action.Group.prompt
    var overlay: Overlay { .prompt(self) }
    var field: TextField? {
        get { text }
        set { text = newValue ?? TextField() }
    }

    static let actions: [Action] = [
        action("prompt-accept", "Apply") { model, prompt in
            model.accept(prompt)
        },
        action("prompt-leave", "Cancel") { model, prompt in model.leave(prompt) },
        change("prompt-earlier", "Older text") { model, prompt in
            model.recall(1, in: &prompt)
        },
        change("prompt-later", "Newer text") { model, prompt in model.recall(-1, in: &prompt) },
        change("prompt-complete", "Complete, or next completion") {
            model, prompt in model.complete(&prompt, by: 1)
        },
        change("prompt-complete-back", "Previous completion") { model, prompt in
            model.complete(&prompt, by: -1)
        },
    ]

    func hints(in model: Model) -> [Hint] {
        [
            model.hint("prompt-accept", title: "accept"),
            model.hint("prompt-leave", title: "cancel"),
            model.hint("prompt-earlier", title: "earlier"),
            isFilter ? model.hint("prompt-complete", title: "complete") : nil,
        ].compactMap(\.self)
    }

    mutating func fieldChanged(in model: inout Model) {
        historyDepth = 0
        completion = nil
        model.promptChanged(self)
    }

    // The prompt is drawn in the footer, behind everything else.
    func draw(on screen: inout Screen) {
        // The content that the prompt applies to stays visible.
        if let over { screen.draw(over) }
    }
}

extension Model {
    mutating func promptChanged(_ prompt: Prompt) {
        let filter =
            missingValue(in: prompt) == nil
            ? prompt.text.text
            : FilterCompletion.rest(of: prompt.text.characters, at: prompt.text.cursor)
        if case .feed = prompt.purpose { regions.events.setFilter(filter) }
        if case .filter = prompt.purpose, let list {
            if list.latestQuery.filter != filter {
                navigation.setFilter(filter)
            } else if list.wanted == nil, list.pending == nil {
                // An earlier error doesn't apply to the new text.
                navigation.withList { $0.filterProblem = nil }
            }
        }
        if case .feedSearch(_, let cursor) = prompt.purpose {
            regions.events.searchText = prompt.text.text
            regions.events.cursor = cursor
            notice = regions.events.search(from: cursor, backwards: false)
        }
        if case .search(let backwards) = prompt.purpose {
            notice = nil
            navigation.withList { $0.search(prompt.text.text, backwards: backwards) }
        }
    }

    fileprivate mutating func leave(_ prompt: Prompt) -> [Effect] {
        closeOverlay()
        if case .filter(let before, let selected) = prompt.purpose, let list,
            list.latestQuery != before
        {
            navigation.setFilter(before.filter)
            if let selected {
                navigation.withList { $0.want(.row(selected), for: .reveal(selected)) }
            }
        }
        if case .feed(let before) = prompt.purpose { regions.events.setFilter(before) }
        if case .feedSearch(let before, let cursor) = prompt.purpose {
            (regions.events.searchText, regions.events.cursor) = (before, cursor)
        }
        navigation.withList {
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
                // The filter is invalid, so the list doesn't show its result. Keep the prompt open.
                say(.error, problem.message)
                return []
            }
            closeOverlay()
            recents.add(filter: text)
        case .search(let backwards):
            closeOverlay()
            recents.add(search: text)
            navigation.withList {
                $0.search(text, backwards: backwards)
                $0.searchStart = nil
            }
        case .feedSearch(_, let cursor):
            closeOverlay()
            recents.add(search: text)
            notice = regions.events.search(from: cursor, backwards: false)
        case .ignore(let rows, let part, _):
            return goBack(to: prompt.over)
                + askToIgnore(
                    rows, part: part, note: text.trimmingCharacters(in: .whitespaces))
        }
        return []
    }

    fileprivate mutating func recall(_ step: Int, in prompt: inout Prompt) {
        let history =
            switch prompt.purpose {
            case .filter, .feed: recents.filters
            case .search, .feedSearch: recents.searches
            case .ignore: [String]()
            }
        let depth = max(0, min(prompt.historyDepth + step, history.count))
        guard depth != prompt.historyDepth else { return }
        prompt.historyDepth = depth
        prompt.completion = nil
        prompt.text = TextField(depth == 0 ? "" : history[history.count - depth])
        promptChanged(prompt)
    }
}
