import Foundation
import TidelineCore

extension Model {
    mutating func promptChanged(_ prompt: Prompt) {
        if case .feed = prompt.purpose { panelStates.events.setFilter(prompt.filter(in: context)) }
        if case .filter = prompt.purpose, let list {
            let filter = prompt.filter(in: context)
            if list.latestQuery.filter != filter {
                navigation.setFilter(filter)
            } else if list.wanted == nil, list.pending == nil {
                // An earlier error doesn't apply to the new text.
                navigation.withList { $0.filterProblem = nil }
            }
        }
        if case .feedSearch(_, let cursor) = prompt.purpose {
            panelStates.events.searchText = prompt.text.text
            panelStates.events.cursor = cursor
            notice = panelStates.events.search(from: cursor, backwards: false)
        }
        if case .search(let backwards) = prompt.purpose {
            notice = nil
            navigation.withList { $0.search(prompt.text.text, backwards: backwards) }
        }
    }

    mutating func cancel(_ prompt: Prompt) -> [Effect] {
        overlay = nil
        if case .filter(let before, let selected) = prompt.purpose, let list,
            list.latestQuery != before
        {
            navigation.setFilter(before.filter)
            if let selected {
                navigation.withList { $0.want(.reveal(selected)) }
            }
        }
        if case .feed(let before) = prompt.purpose { panelStates.events.setFilter(before) }
        if case .feedSearch(let before, let cursor) = prompt.purpose {
            (panelStates.events.searchText, panelStates.events.cursor) = (before, cursor)
        }
        navigation.withList {
            $0.leaveSearch()
            $0.filterProblem = nil
        }
        return goBack(to: prompt.over)
    }

    mutating func accept(_ prompt: Prompt) -> [Effect] {
        let text = prompt.text.text
        switch prompt.purpose {
        case .filter, .feed:
            overlay = nil
            recents.add(filter: text)
        case .search(let backwards):
            overlay = nil
            recents.add(search: text)
            navigation.withList {
                $0.search(text, backwards: backwards)
                $0.searchStart = nil
            }
        case .feedSearch(_, let cursor):
            overlay = nil
            recents.add(search: text)
            notice = panelStates.events.search(from: cursor, backwards: false)
        case .ignore(let rows, let part, _):
            return goBack(to: prompt.over)
                + askToIgnore(
                    rows, part: part, note: text.trimmingCharacters(in: .whitespaces))
        }
        return []
    }

    mutating func receiveValues(_ id: RequestID, _ answer: Answer<[String]>) {
        overlay?.changeFirst(where: { (prompt: Prompt) in prompt.values?.request == id }) {
            $0.values?.request = nil
            // If there are no completions, the user can still type.
            $0.values?.found = (try? answer.get()) ?? []
        }
    }
}
