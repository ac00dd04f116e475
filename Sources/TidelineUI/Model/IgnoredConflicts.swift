import Foundation
import Replication
import TidelineCore

/// The conflicts that the user marked as ignored, and whether they have changed since then.
///
/// A mark refers to the sides at the time of marking. When a device writes another side, the
/// conflict is no longer ignored. Marked conflicts are therefore read again whenever the store
/// changes.
struct IgnoredConflicts: Hashable, Sendable {
    /// A list from which marked conflicts are read.
    struct Source: Hashable, Sendable {
        var id: SourceID
        /// Whether the list has the conflicts of all data models.
        var listsAll: Bool
    }

    private var marks: [ConflictPlace: IgnoredConflict] = [:]
    private var holding: Set<ConflictPlace> = []
    /// The numbers of ignored properties, by row.
    private var propertyCounts: [ConflictPlace: Int] = [:]
    /// The store version of the last comparison, by source.
    private var comparedAt: [Source: Int] = [:]
    private var requests: [RequestID: [RowID: [ConflictPlace]]] = [:]

    /// The number of ignored conflicts that haven't changed.
    var count: Int { holding.count }

    /// Whether a comparison is in progress.
    var isAwaited: Bool { !requests.isEmpty }

    /// The mark of a place; `nil` if it has none, or if the marked conflict has changed.
    subscript(place: ConflictPlace) -> IgnoredConflict? {
        holding.contains(place) ? marks[place] : nil
    }

    /// Returns the marks of a row and its properties.
    func marks(ofRow row: ConflictPlace) -> [IgnoredConflict] {
        if let mark = self[row] { return [mark] }
        guard propertyCounts[row] != nil else { return [] }
        return holding.filter { $0.wholeRow == row }.compactMap { marks[$0] }
            .sorted { $0.place.property ?? "" < $1.place.property ?? "" }
    }

    /// Returns how many conflicts of a row are ignored.
    func count(ofRow row: ConflictPlace) -> Int {
        holding.contains(row) ? 1 : propertyCounts[row] ?? 0
    }

    /// Adds the marks from earlier runs.
    mutating func read(_ kept: [IgnoredConflict]) {
        for mark in kept where marks[mark.place] == nil { marks[mark.place] = mark }
        comparedAt = [:]
    }

    mutating func take(_ mark: IgnoredConflict) {
        marks[mark.place] = mark.isWithdrawn ? nil : mark
        set(mark.place, holds: !mark.isWithdrawn)
    }

    private mutating func set(_ place: ConflictPlace, holds: Bool) {
        let isNew = holds ? holding.insert(place).inserted : holding.remove(place) != nil
        guard isNew, place.property != nil else { return }
        let count = propertyCounts[place.wholeRow, default: 0] + (holds ? 1 : -1)
        propertyCounts[place.wholeRow] = count == 0 ? nil : count
    }

    /// Requests the marked conflicts from the lists that have them.
    mutating func request(
        _ version: Int, _ pending: inout Requests, source: (String) -> Source?
    ) -> [Effect] {
        guard requests.isEmpty else { return [] }
        var wanted: [Source: [RowID: [ConflictPlace]]] = [:]
        for place in marks.keys {
            guard let source = source(place.part), comparedAt[source] != version else { continue }
            let row = source.listsAll ? place.listedRow : RowID(place.row)
            wanted[source, default: [:]][row, default: []].append(place)
        }
        return wanted.map { source, places in
            comparedAt[source] = version
            let id = pending.newID()
            requests[id] = places
            return .conflicts(id, source.id, Array(places.keys), at: nil)
        }
    }

    mutating func receive(_ id: RequestID, _ answer: Answer<[RowID: [RowConflict]]>) {
        guard let asked = requests.removeValue(forKey: id), case .success(let known) = answer else {
            return
        }
        for (row, places) in asked {
            for place in places {
                guard let mark = marks[place] else { continue }
                let conflict = known[row]?.first {
                    place.property == nil || $0.part?.property == place.property
                }
                set(place, holds: conflict.map(mark.isAbout) ?? false)
            }
        }
    }
}

extension ScreenState {
    /// The number of conflicts that aren't ignored.
    var openConflictCount: Int { max(0, session.status.conflictCount - watching.ignored.count) }

    /// Returns the place of a row in the current list, or of the row's part in conflict.
    func place(of row: RowID, part: FieldPath? = nil) -> ConflictPlace? {
        guard let pane else { return nil }
        guard pane.listsConflicts else {
            return ConflictPlace(part: pane.id.part, row: row, property: part)
        }
        return ConflictPlace(listed: row)
    }

    /// Returns the mark of a row in the current list, if all conflicts of the row are ignored.
    ///
    /// - Parameter count: The number of the row's conflicts; `nil` to use the count of the loaded
    ///   row.
    func ignoredMark(of row: RowID, _ count: Int? = nil) -> IgnoredConflict? {
        guard watching.ignored.count > 0, instant == nil, let place = place(of: row) else {
            return nil
        }
        let ignored = watching.ignored.count(ofRow: place)
        guard ignored > 0 || place.property != nil else { return nil }
        if place.property != nil { return watching.ignored[place] }
        let all = count ?? list?.rows.first { $0.id == row }?.conflictCount ?? ignored
        return ignored >= all ? watching.ignored.marks(ofRow: place).first : nil
    }

    /// Returns the mark of the conflict that the conflict screen shows.
    func ignoredMark(of view: ConflictView) -> IgnoredConflict? {
        guard watching.ignored.count > 0, instant == nil else { return nil }
        return place(of: view.row, part: view.conflict?.part).flatMap { watching.ignored[$0] }
    }

    /// Whether a row is in a conflict that isn't ignored.
    func needsAttention(_ row: Row) -> Bool {
        row.isConflict && ignoredMark(of: row.id, row.conflictCount) == nil
    }

    /// Returns the inspector's section about the selected row's mark.
    func ignoredSection(of row: RowID) -> Detail.Section? {
        guard let mark = ignoredMark(of: row) else { return nil }
        let key = keymap.hint(for: "ignore")
        return Detail.Section(
            "Ignored",
            [
                Detail.Line("", mark.note.isEmpty ? "no note" : mark.note, .dim),
                Detail.Line(
                    "since", Timestamp(mark.date).secondText(in: preferences.utcOffset),
                    .timestamp),
                Detail.Line("", "\(key): stop ignoring (a new write also stops it)", .dim),
            ])
    }
}

extension Model {
    /// Returns a message that all conflicts are ignored.
    static func allIgnored(_ count: Int) -> String {
        count == 1
            ? "the only conflict is ignored" : "all \(Counted.grouped(count)) conflicts are ignored"
    }

    mutating func requestIgnored() -> [Effect] {
        guard !navigation.panes.isEmpty, !session.status.isLoading else { return [] }
        let panes = navigation.panes
        return watching.ignored.request(session.version, &requests) { part in
            let all = panes.first(where: \.listsConflicts)
            let pane = all ?? panes.first { $0.id.part == part }
            return pane.map { .init(id: $0.lists[0].source.id, listsAll: all != nil) }
        }
    }

    /// The reason why ``toggleIgnored()`` isn't possible for the selection; `nil` if it is.
    var whyNoIgnoring: String? {
        if let whyPast { return whyPast }
        guard let list else { return "nothing is open yet" }
        if let rowsAreElsewhere { return rowsAreElsewhere }
        guard !list.targets.isEmpty else { return "no row is selected" }
        var isDecided = list.chosen.isEmpty && list.selectedRow?.isConflict == false
        if let view = overlay?.module as? ConflictView {
            isDecided = view.conflict == nil && !view.isWaiting
        }
        if isDecided { return "this row is not in conflict" }
        return pane?.id == .problems
            ? "a conflict copy can't be ignored: keep one of the files" : nil
    }

    /// Stops ignoring the selected conflicts if all are ignored. Otherwise asks for a note.
    mutating func toggleIgnored() -> [Effect] {
        guard let list else { return [] }
        var rows = list.targets
        var name = rows.first.map { row in
            list.rows.first { $0.id == row }?.cells.first?.text ?? row.name
        }
        var marks = rows.compactMap { ignoredMark(of: $0) }
        var part: FieldPath?
        if let view = overlay?.module as? ConflictView {
            (rows, name, part) = ([view.row], view.title, view.conflict?.part)
            marks = [ignoredMark(of: view)].compactMap(\.self)
        } else {
            let places = rows.compactMap { place(of: $0) }
            if marks.count == rows.count {
                marks = places.flatMap { watching.ignored.marks(ofRow: $0) }
            }
        }
        guard marks.count >= rows.count else {
            let purpose = Prompt.Purpose.ignore(
                rows, part: part, name: rows.count == 1 ? name : nil)
            overlay = Overlay(Prompt(purpose: purpose, text: TextField(), over: overlay))
            return []
        }
        let withdrawn = marks.map {
            var mark = $0
            mark.isWithdrawn = true
            return mark
        }
        return keep(withdrawn)
    }

    /// Loads the conflicts to be marked, since a mark refers to their current sides.
    ///
    /// - Parameter part: The only part of the row to ignore; `nil` for all parts in conflict.
    mutating func askToIgnore(_ rows: [RowID], part: FieldPath?, note: String) -> [Effect] {
        guard let list else { return [] }
        let id = requests.wait(for: .ignore(part: part, note: note), of: list.source.id)
        return [.conflicts(id, list.source.id, rows, at: nil)]
    }

    mutating func receiveIgnored(
        _ id: RequestID, _ answer: Answer<[RowID: [RowConflict]]>
    ) -> [Effect] {
        watching.ignored.receive(id, answer)
        guard case .ignore(let part, let note) = requests.take(id)?.purpose,
            let known = success(of: answer)
        else { return [] }
        let marks = known.sorted { $0.key.name < $1.key.name }.flatMap { row, conflicts in
            conflicts.filter { part == nil || $0.part == part }.compactMap { conflict in
                place(of: row, part: conflict.part).map {
                    IgnoredConflict($0, conflict, note: note, date: now.date)
                }
            }
        }
        return keep(marks)
    }

    /// Returns the display name of a place, including the title of its list or outer row.
    private func name(of place: ConflictPlace) -> String {
        guard let pane, let list else { return place.row }
        let row = pane.listsConflicts ? place.listedRow : RowID(place.row)
        let cell = list.index(of: row).flatMap { list.row(at: $0)?.cells.first?.text } ?? place.row
        if let subject = list.source.subject { return "\(subject) \(cell)" }
        guard pane.lists.count > 1, let outer = pane.lists[0].cursorID?.name, !outer.isEmpty,
            outer != place.row, place.row.hasPrefix(outer)
        else { return cell }
        return "\(pane.lists[1].source.title) \(place.row.dropFirst(outer.count))"
    }

    private mutating func keep(_ marks: [IgnoredConflict]) -> [Effect] {
        guard let first = marks.first else {
            return say(.info, "these rows are not in conflict")
        }
        for mark in marks { watching.ignored.take(mark) }
        navigation.withList { $0.unmark() }
        let what = marks.count == 1 ? name(of: first.place) : Counted.text(marks.count, "conflict")
        say(
            .done,
            first.isWithdrawn
                ? "no longer ignored: \(what)"
                : "ignored on this device: \(what)"
                    // Don't offer undo after marking several rows, because the selection has moved
                    // and the key would affect another row.
                    + (marks.count == 1 ? " (\(keymap.hint(for: "ignore")): undo)" : "")
        )
        return [.keepIgnored(marks)]
    }
}
