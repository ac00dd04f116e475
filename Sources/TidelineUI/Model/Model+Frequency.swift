import TidelineCore

/// A value that the user chose as a filter, with the frequency list that contained it.
struct ChosenValue: Hashable, Sendable {
    /// The frequency list, which stays open in the background.
    var values: ListState
    /// The filter of the outer list with the chosen value.
    var filter: String
    /// The filter of the outer list before the value was chosen.
    var before: String
}

extension Model {
    /// Returns to the list from which the open list was made, and adds a term to its filter.
    mutating func filterOuterList(by term: String) -> [Effect] {
        guard let pane, pane.lists.count > 1 else { return [] }
        var values = pane.list
        var effects: [Effect] = values.pending.map { [.cancel($0.id)] } ?? []
        values.pending = nil
        navigation.panes[navigation.activePane].lists.removeLast()
        let before = list?.latestQuery.filter ?? ""
        // A filter that the user has changed no longer comes from the previous lists of values.
        if let former = list?.chosenValues, !former.isEmpty, former.last?.filter != before {
            navigation.withList { $0.chosenValues = [] }
            effects.append(.release(former.flatMap(\.values.sources)))
        }
        let outer = before.contains("|") ? "(\(before))" : before
        let filter = outer.isEmpty ? term : "\(outer) \(term)"
        navigation.setFilter(filter)
        navigation.withList {
            $0.chosenValues.append(ChosenValue(values: values, filter: filter, before: before))
        }
        return effects
    }

    /// Whether the filter was chosen from a list of values, and hasn't changed since then.
    var returnsToValues: Bool {
        guard let list, let chosen = list.chosenValues.last else { return false }
        return list.latestQuery.filter == chosen.filter
    }

    /// Returns to the list of values that the filter was chosen from.
    ///
    /// - Returns: Whether there is a list of values and the filter hasn't changed.
    mutating func returnToValues() -> Bool {
        guard returnsToValues, let chosen = list?.chosenValues.last else { return false }
        _ = navigation.withList { $0.chosenValues.removeLast() }
        navigation.setFilter(chosen.before)
        navigation.panes[navigation.activePane].lists.append(chosen.values)
        return true
    }
}

extension ListState {
    /// The list's source, and the sources of the lists that it keeps open in the background.
    var sources: [SourceID] { [source.id] + chosenValues.flatMap(\.values.sources) }
}
