import Replication
import TidelineCore

/// Explanations of empty lists.
extension ScreenContext {
    /// The store's loading progress or problem.
    var stateText: String {
        switch session.status.phase {
        case .loading(let stage, let fraction):
            "loading: \(stage)" + (fraction.map { " " + TextParts.percent($0) } ?? " …")
        case .live: "this store is empty"
        case .missing: "the store was moved or deleted"
        case .failed(let failure): failure.reason
        }
    }

    /// Explains why a list is empty, and what to do about it.
    func emptyText(_ list: ListState) -> [String] {
        if session.status.phase == .missing {
            return [
                list.isLoaded
                    ? "\(list.source.title): no rows were loaded"
                    : "\(list.source.title) had not loaded when the store disappeared"
            ]
        }
        if rowsProblem != nil { return [] }
        if case .failed = session.status.phase {
            return ["\(list.source.title) could not be loaded", stateText]
        }
        guard list.isLoaded else { return ["loading …"] }
        if let text = emptyText(ofConflicts: list) { return text }
        if !list.query.filter.isEmpty {
            let lines = [
                "No match in \(list.source.title)"
                    + (totalWithoutFilter(of: list).map { ": 0 of \(Counted.grouped($0))" }
                        ?? ""),
                list.query.filter,
                "Press \(keymap.hint(for: "filter")) to change the filter, "
                    + "\(keymap.hint(for: "back")) \(escapeLeads(from: list))",
            ]
            return lines + widerFilter(than: list)
        }
        if list.isDifference {
            let compared = pane?.lists.dropLast().last?.source.title ?? list.source.title
            return [
                "\(compared): no differences between these two points in time",
                "Press \(keymap.hint(for: "back")) to go back",
            ]
        }
        if let instant {
            guard list.source.hasPast else { return [none(in: list)] }
            let time = instant.secondText(in: preferences.utcOffset)
            return [
                "\(list.source.title): no rows as of \(time)",
                "Press \(keymap.hint(for: "step-forward")) to step to the next write, "
                    + "\(keymap.hint(for: "now")) to return to now",
            ]
        }
        if session.status.isLoading { return [stateText] }
        if list.source.rowsAreStores {
            return [none(in: list) + " yet", "Stores that are added to this folder appear here"]
        }
        let (add, unlock) = (keymap.hint(for: "add"), keymap.hint(for: "unlock"))
        let canUnlock = !writing.isWritable && lockedBecause == nil
        let advice: String
        switch list.source.edits[.add] {
        case .available where list.source.holdsQueries: advice = "Press \(add) to write one"
        case .available where canUnlock, .unavailable where canUnlock:
            advice = "Press \(unlock), then \(add) to add one"
        case .available: advice = lockedBecause ?? "Press \(add) to add one"
        case .unavailable(let reason): advice = reason
        case nil:
            let command = commandsHere.first {
                $0.writes && offer(of: $0)?.availability == .available
            }
            guard let command, lockedBecause == nil else {
                guard navigation.panes.count > 1 else { return [none(in: list)] }
                advice = "Press \(keymap.hint(for: "next-pane")) for the next tab"
                break
            }
            let text = ":\(command.name) \(command.argument ?? "")"
            advice = canUnlock ? "Press \(unlock), then run \(text)" : "Run \(text)"
        }
        // Omit “yet” if the user can't add rows to the list.
        let isAwaited = list.source.edits[.add] != nil
        return [none(in: list) + (isAwaited ? " yet" : ""), advice]
    }

    /// Returns `No keys` for a pane of the store, and `Title: no rows` for any other list.
    private func none(in list: ListState) -> String {
        let title = list.source.title
        let isPane = title.lowercased() == pane?.id.name && title.hasSuffix("s")
        return isPane ? "No \(title.lowercased())" : "\(title): no rows"
    }

    /// Suggests searching for a part of a text that the filter compares as a whole.
    private func widerFilter(than list: ListState) -> [String] {
        let filter = try? Filter(list.query.filter, fields: list.source.filterFields)
        // Other texts would have to be quoted.
        guard let (field, text) = filter?.wholeTextTerm, !text.isEmpty,
            FilterField.named(field, in: list.source.filterFields)?.isChoice != true,
            text.allSatisfy({ $0.isLetter || $0.isNumber || "-_./".contains($0) })
        else { return [] }
        return ["\(field):\(text) compares the whole text; \(field):*\(text)* finds parts"]
    }

    /// Returns the effect of Escape when the filter matches nothing.
    private func escapeLeads(from list: ListState) -> String {
        let isInner = (pane?.lists.count ?? 1) > 1 || !navigation.trail.isEmpty
        return isInner && !list.hasTypedFilter ? "to go back" : "to clear it"
    }

    /// Explains why the list of all conflicts is empty. Returns `nil` for other lists.
    private func emptyText(ofConflicts list: ListState) -> [String]? {
        guard instant == nil, !session.status.isLoading, list.query.filter.isEmpty,
            pane?.listsConflicts == true, pane?.lists.count == 1
        else { return nil }
        return [
            "No conflicts",
            session.status.hasCountedConflicts
                ? "all devices agree" : "documents that aren't open yet are still being checked",
        ]
    }
}
