import Foundation
import Replication
import TidelineCore

/// The conflicts that a person needs nothing done about, and which of them are as they were when
/// they were marked.
///
/// A mark is about the sides that there were: when a device writes another, the conflict needs a
/// person again. So the conflicts of marked rows are read anew whenever the store changes.
struct Benign: Hashable, Sendable {
    private var marks: [BenignMark.Place: BenignMark] = [:]
    private var holding: Set<BenignMark.Place> = []
    /// The version of the store at which each data model's marks were compared last.
    private var comparedAt: [String: Int] = [:]
    private var requests: [RequestID: String] = [:]

    /// How many conflicts are marked and as they were.
    var count: Int { holding.count }

    /// How many of them are of a data model.
    func count(ofPart part: String) -> Int { holding.count { $0.part == part } }

    /// Whether conflicts are being compared with their marks.
    var isAwaited: Bool { !requests.isEmpty }

    /// The mark of a row; `nil` where it has none, or is in another conflict by now.
    subscript(place: BenignMark.Place) -> BenignMark? {
        holding.contains(place) ? marks[place] : nil
    }

    /// Takes in the marks that were made in earlier runs.
    mutating func read(_ kept: [BenignMark]) {
        for mark in kept where marks[mark.place] == nil { marks[mark.place] = mark }
        comparedAt = [:]
    }

    mutating func take(_ mark: BenignMark) {
        marks[mark.place] = mark.isWithdrawn ? nil : mark
        if mark.isWithdrawn { holding.remove(mark.place) } else { holding.insert(mark.place) }
    }

    /// Asks for the conflicts of marked rows, one data model after the other.
    mutating func request(
        _ version: Int, newRequest: () -> RequestID, source: (String) -> SourceID?
    ) -> [Effect] {
        guard requests.isEmpty else { return [] }
        var effects: [Effect] = []
        for (part, marks) in Dictionary(grouping: marks.keys, by: \.part)
        where comparedAt[part] != version {
            guard let source = source(part) else { continue }
            comparedAt[part] = version
            let id = newRequest()
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
    /// How many conflicts need a person.
    var openConflictCount: Int { max(0, status.conflictCount - benign.count) }

    /// The mark of a row of the list that is shown.
    func benignMark(of row: RowID) -> BenignMark? {
        guard benign.count > 0, time == nil, let part = pane?.id.part else { return nil }
        return benign[BenignMark.Place(part: part, row: row)]
    }

    /// Whether a row is in a conflict that needs a person.
    func needsPerson(_ row: Row) -> Bool { row.isConflict && benignMark(of: row.id) == nil }

    /// What the inspector says of the selected row's mark.
    func benignSection(of row: RowID) -> Detail.Section? {
        guard let mark = benignMark(of: row) else { return nil }
        let key = keymap.hint(for: "benign")
        return Detail.Section(
            "Benign",
            [
                Detail.Line("", mark.note.isEmpty ? "nothing needs to be done" : mark.note, .dim),
                Detail.Line(
                    "marked", TimeText.text(.init(mark.date), offset: utcOffset), .timestamp),
                Detail.Line("", "\(key) takes the mark away; another write does too", .dim),
            ])
    }

    mutating func requestBenign() -> [Effect] {
        guard !panes.isEmpty, !status.isLoading else { return [] }
        var last = lastRequest
        let panes = panes
        let effects = benign.request(version) {
            last += 1
            return RequestID(last)
        } source: { part in
            let ofPart = panes.filter { $0.id.part == part }
            return (ofPart.first(where: \.listsConflicts) ?? ofPart.first)?.lists[0].source.id
        }
        lastRequest = last
        return effects
    }

    /// Whether conflicts can be marked here, or marks taken away.
    var canMarkBenign: Availability {
        if let whyPast { return .unavailable(because: whyPast) }
        guard let list else { return .unavailable(because: "nothing is open yet") }
        if let rowsAreElsewhere { return .unavailable(because: rowsAreElsewhere) }
        guard !list.targets.isEmpty else { return .unavailable(because: "no row is selected") }
        var isDecided = list.chosen.isEmpty && list.selectedRow?.isConflict == false
        if case .conflict(let view) = overlay {
            isDecided = view.conflict == nil && !view.isWaiting
        }
        return isDecided
            ? .unavailable(because: "no devices disagree about this row") : .available
    }

    /// Takes the marks of the chosen rows away where all have one; asks for a note where not.
    mutating func toggleBenign() -> [Effect] {
        guard let list, let part = pane?.id.part else { return [] }
        var rows = list.targets
        var name = rows.first.map { row in
            list.rows.first { $0.id == row }?.cells.first?.text ?? row.name
        }
        if case .conflict(let view) = overlay { (rows, name) = ([view.row], view.title) }
        let marked = rows.compactMap { benignMark(of: $0) }
        guard marked.count == rows.count else {
            let purpose = Prompt.Purpose.benign(rows, name: rows.count == 1 ? name : nil)
            overlay = .prompt(Prompt(purpose: purpose, text: TextField(), over: overlay))
            return []
        }
        let withdrawn = rows.compactMap { benign[BenignMark.Place(part: part, row: $0)] }.map {
            var mark = $0
            mark.isWithdrawn = true
            return mark
        }
        return keep(withdrawn)
    }

    /// Reads the conflicts that are to be marked: a mark is about the sides that there are now.
    mutating func askToMarkBenign(_ rows: [RowID], note: String) -> [Effect] {
        guard let list, let part = pane?.id.part else { return [] }
        let id = wait(for: .benign(part: part, note: note), of: list.source.id)
        return [.conflicts(id, list.source.id, rows, at: nil)]
    }

    mutating func receiveBenign(
        _ id: RequestID, _ answer: Message.Answer<[RowID: RowConflict]>
    ) -> [Effect] {
        benign.receive(id, answer)
        guard let awaited, awaited.id == id, case .benign(let part, let note) = awaited.purpose
        else { return [] }
        self.awaited = nil
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

    /// What a row is called for people: behind what its list is of, or what it is inside of, by
    /// their titles.
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
            say(.info, "no devices disagree about these rows")
            return []
        }
        for mark in marks { benign.take(mark) }
        withList {
            $0.chosen = []
            $0.rangeAnchor = nil
        }
        let what = marks.count == 1 ? name(of: first.place) : "\(marks.count) conflicts"
        say(
            .done,
            first.isWithdrawn
                ? "no longer marked benign: \(what)"
                : "marked benign, for you alone: \(what)"
                    // Of many, the list has moved on: the key would be about another row.
                    + (marks.count == 1 ? " (\(keymap.hint(for: "benign")) takes it back)" : ""))
        return [.keepBenign(marks)]
    }
}
