import Foundation
import Replication
import TidelineCore

/// The conflicts that the user ignores, and which of them are unchanged since.
///
/// A mark refers to the sides at the time of marking: when a device writes another side, the
/// conflict counts again. The conflicts of marked rows are therefore read again whenever the store
/// changes.
struct IgnoredConflicts: Hashable, Sendable {
    private var marks: [BenignMark.Place: BenignMark] = [:]
    private var holding: Set<BenignMark.Place> = []
    /// The store version of the last comparison, by data model.
    private var comparedAt: [String: Int] = [:]
    private var requests: [RequestID: String] = [:]

    /// The number of ignored conflicts that are unchanged.
    var count: Int { holding.count }

    /// Returns the number of ignored conflicts in a data model.
    func count(ofPart part: String) -> Int { holding.count { $0.part == part } }

    /// Whether a comparison is in progress.
    var isAwaited: Bool { !requests.isEmpty }

    /// The mark of a row; `nil` if it has none, or if its conflict has changed since.
    subscript(place: BenignMark.Place) -> BenignMark? {
        holding.contains(place) ? marks[place] : nil
    }

    /// Adds the marks from earlier runs.
    mutating func read(_ kept: [BenignMark]) {
        for mark in kept where marks[mark.place] == nil { marks[mark.place] = mark }
        comparedAt = [:]
    }

    mutating func take(_ mark: BenignMark) {
        marks[mark.place] = mark.isWithdrawn ? nil : mark
        if mark.isWithdrawn { holding.remove(mark.place) } else { holding.insert(mark.place) }
    }

    /// Requests the conflicts of marked rows, one data model at a time.
    mutating func request(
        _ version: Int, _ pending: inout Requests, source: (String) -> SourceID?
    ) -> [Effect] {
        guard requests.isEmpty else { return [] }
        var effects: [Effect] = []
        for (part, marks) in Dictionary(grouping: marks.keys, by: \.part)
        where comparedAt[part] != version {
            guard let source = source(part) else { continue }
            comparedAt[part] = version
            let id = pending.newID()
            requests[id] = part
            effects.append(.conflicts(id, source, marks.map { RowID($0.row) }, at: nil))
        }
        return effects
    }

    mutating func receive(_ id: RequestID, _ answer: Message.Answer<[RowID: RowConflict]>) {
        guard let part = requests.removeValue(forKey: id), case .success(let known) = answer else {
            return
        }
        for (place, mark) in marks where place.part == part {
            if let conflict = known[RowID(place.row)], mark.isAbout(conflict) {
                holding.insert(place)
            } else {
                holding.remove(place)
            }
        }
    }
}

extension Model {
    /// The number of conflicts that aren't ignored.
    var openConflictCount: Int { max(0, session.status.conflictCount - watching.ignored.count) }

    /// Returns a message that all conflicts are ignored.
    static func allIgnored(_ count: Int) -> String {
        count == 1 ? "the only conflict is ignored" : "all \(count) conflicts are ignored"
    }

    /// Returns the mark of a row in the current list.
    func ignoredMark(of row: RowID) -> BenignMark? {
        guard watching.ignored.count > 0, time == nil, let part = pane?.id.part else { return nil }
        return watching.ignored[BenignMark.Place(part: part, row: row)]
    }

    /// Whether a row is in a conflict that isn't ignored.
    func needsAttention(_ row: Row) -> Bool { row.isConflict && ignoredMark(of: row.id) == nil }

    /// Returns the inspector's section about the selected row's mark.
    func ignoredSection(of row: RowID) -> Detail.Section? {
        guard let mark = ignoredMark(of: row) else { return nil }
        let key = preferences.keymap.hint(for: "ignore")
        return Detail.Section(
            "Ignored",
            [
                Detail.Line("", mark.note.isEmpty ? "no note" : mark.note, .dim),
                Detail.Line(
                    "since", TimeText.text(.init(mark.date), offset: preferences.utcOffset),
                    .timestamp),
                Detail.Line("", "\(key): stop ignoring. A new write also ends it", .dim),
            ])
    }

    mutating func requestIgnored() -> [Effect] {
        guard !navigation.panes.isEmpty, !session.status.isLoading else { return [] }
        let panes = navigation.panes
        return watching.ignored.request(session.version, &requests) { part in
            let ofPart = panes.filter { $0.id.part == part }
            return (ofPart.first(where: \.listsConflicts) ?? ofPart.first)?.lists[0].source.id
        }
    }

    /// Whether conflicts can be ignored here, or no longer ignored.
    var canIgnore: Availability {
        if let whyPast { return .unavailable(because: whyPast) }
        guard let list else { return .unavailable(because: "nothing is open yet") }
        if let rowsAreElsewhere { return .unavailable(because: rowsAreElsewhere) }
        guard !list.targets.isEmpty else { return .unavailable(because: "no row is selected") }
        var isDecided = list.chosen.isEmpty && list.selectedRow?.isConflict == false
        if case .conflict(let view) = overlay {
            isDecided = view.conflict == nil && !view.isWaiting
        }
        return isDecided
            ? .unavailable(because: "this row is not in conflict") : .available
    }

    /// Stops ignoring the selected rows if all are ignored. Otherwise asks for a note.
    mutating func toggleIgnored() -> [Effect] {
        guard let list, let part = pane?.id.part else { return [] }
        var rows = list.targets
        var name = rows.first.map { row in
            list.rows.first { $0.id == row }?.cells.first?.text ?? row.name
        }
        if case .conflict(let view) = overlay { (rows, name) = ([view.row], view.title) }
        let marked = rows.compactMap { ignoredMark(of: $0) }
        guard marked.count == rows.count else {
            let purpose = Prompt.Purpose.ignore(rows, name: rows.count == 1 ? name : nil)
            overlay = .prompt(Prompt(purpose: purpose, text: TextField(), over: overlay))
            return []
        }
        let withdrawn = rows.compactMap { watching.ignored[BenignMark.Place(part: part, row: $0)] }
            .map {
                var mark = $0
                mark.isWithdrawn = true
                return mark
            }
        return keep(withdrawn)
    }

    /// Loads the conflicts to be marked, since a mark refers to their current sides.
    mutating func askToIgnore(_ rows: [RowID], note: String) -> [Effect] {
        guard let list, let part = pane?.id.part else { return [] }
        let id = requests.wait(for: .ignore(part: part, note: note), of: list.source.id)
        return [.conflicts(id, list.source.id, rows, at: nil)]
    }

    mutating func receiveIgnored(
        _ id: RequestID, _ answer: Message.Answer<[RowID: RowConflict]>
    ) -> [Effect] {
        watching.ignored.receive(id, answer)
        guard let awaited = requests.awaited, awaited.id == id,
            case .ignore(let part, let note) = awaited.purpose
        else { return [] }
        self.requests.awaited = nil
        switch answer {
        case .failure(let failure):
            say(.error, failure.message)
            return []
        case .success(let known):
            let marks = known.sorted { $0.key.name < $1.key.name }.map { row, conflict in
                BenignMark(
                    BenignMark.Place(part: part, row: row), conflict, note: note, date: now.date)
            }
            return keep(marks)
        }
    }

    /// Returns the display name of a row, including the titles of its list or of the row that
    /// contains it.
    private func name(of place: BenignMark.Place) -> String {
        guard let pane, let list else { return place.row }
        if let subject = list.source.subject, let index = list.index(of: RowID(place.row)),
            let cell = list.row(at: index)?.cells.first
        {
            return "\(subject) \(cell.text)"
        }
        guard pane.lists.count > 1, let outer = pane.lists[0].cursorID?.name, !outer.isEmpty,
            outer != place.row, place.row.hasPrefix(outer)
        else { return place.row }
        return "\(pane.lists[1].source.title) \(place.row.dropFirst(outer.count))"
    }

    private mutating func keep(_ marks: [BenignMark]) -> [Effect] {
        guard let first = marks.first else {
            say(.info, "these rows are not in conflict")
            return []
        }
        for mark in marks { watching.ignored.take(mark) }
        navigation.withList {
            $0.chosen = []
            $0.rangeAnchor = nil
        }
        let what = marks.count == 1 ? name(of: first.place) : "\(marks.count) conflicts"
        say(
            .done,
            first.isWithdrawn
                ? "no longer ignored: \(what)"
                : "ignored on this device: \(what)"
                    // After marking several rows, the selection has moved on and the key would
                    // affect another row.
                    + (marks.count == 1 ? " (\(preferences.keymap.hint(for: "ignore")): undo)" : "")
        )
        return [.keepIgnored(marks)]
    }
}
