import Automerge
import KeyValueStore
import Replication

/// What the inspector says of a key or element.
extension OpenDocument {
    /// How many lines of a value the inspector shows.
    private static let longestValue = 2000
    private static let shownMarks = 200

    func detail(
        of place: WrittenPlace, pointer: String, at heads: DocumentView.Heads?
    ) throws -> Detail {
        let content = place.winner.content
        var sections = [Detail.Section("Value", try valueLines(content, at: heads))]
        if !place.others.isEmpty {
            let lines = try ([place.winner] + place.others).enumerated().map { index, side in
                Detail.Line(
                    authorName(of: side.operation.actor),
                    try line(side.content, at: heads), index == 0 ? .winner : .loser,
                    link: Detail.Link(pane: .documentConflicts, row: row(pointer)))
            }
            sections.append(Detail.Section("Conflict", lines))
        }
        if case .object(let id, .Text) = content {
            let marks = try marks(id, at: heads)
            if !marks.isEmpty { sections.append(Detail.Section("Marks", marks)) }
        }
        sections.append(Detail.Section("Written", provenance(place.winner)))
        return Detail(title: pointer, sections: sections)
    }

    private func valueLines(
        _ content: WrittenValue.Content, at heads: DocumentView.Heads?
    ) throws -> [Detail.Line] {
        var lines: [Detail.Line]
        var size = ""
        var inside: DocumentView.ConflictsInside?
        switch content {
        case .object(let id, .Text):
            let text = try document.text(id, at: heads?.hashes)
            lines = Self.paragraphs(text)
            size = ", \(Counted.text(text.unicodeScalars.count, "character"))"
        case .scalar(.String(let text)):
            lines = Self.paragraphs(text)
        case .object(let id, let type):
            let count = Int(document.length(id, at: heads?.hashes))
            size = ", \(Counted.text(count, type == .Map ? "key" : "element"))"
            inside = try conflictsInside(at: heads)[id]
            let json = try view.json(of: content, at: heads, indented: true, limit: 50_000)
            lines = json.split(separator: "\n").prefix(Self.longestValue).map { line in
                let depth = line.prefix { $0 == " " }.count / 2
                return Detail.Line("", String(line.dropFirst(depth * 2)), .plain, depth: depth)
            }
        case .timestamp(let milliseconds):
            lines = [Detail.Line("", try line(content, at: heads), .date)]
            size = ", \(milliseconds) ms since 1970"
        case .scalar(.Bytes(let data)):
            var whole = Detail.Line("", try line(content, at: heads), content.role)
            whole.startsFolded = true
            lines = [whole] + Detail.Line.hex(data, depth: 1)
        default: lines = [Detail.Line("", try line(content, at: heads), content.role)]
        }
        lines.append(Detail.Line("type", content.typeName + size, .dim))
        if let inside {
            let places = Counted.text(inside.count, "place")
            lines.append(
                Detail.Line(
                    "inside", "\(places) in conflict", .conflict,
                    link: inside.first.map {
                        Detail.Link(pane: .documentConflicts, row: row($0))
                    }))
        }
        return lines
    }

    private static func paragraphs(_ text: String) -> [Detail.Line] {
        let parts = text.split(
            separator: "\n", maxSplits: longestValue, omittingEmptySubsequences: false)
        var lines = parts.prefix(longestValue).map { Detail.Line("", String($0), .string) }
        if parts.count > longestValue { lines.append(Detail.Line("", "… more", .dim)) }
        return lines
    }

    private func marks(_ id: ObjId, at heads: DocumentView.Heads?) throws -> [Detail.Line] {
        let marks =
            try heads.map { try document.marksAt(obj: id, heads: $0.hashes) }
            ?? document.marks(obj: id)
        var lines = marks.prefix(Self.shownMarks).map { Detail.Line("", $0.line) }
        if marks.count > Self.shownMarks {
            lines.append(Detail.Line("", "… \(marks.count - Self.shownMarks) more", .dim))
        }
        return lines
    }

    /// Who writes as an actor: the device, where it is known, and the actor.
    func authorLines(_ actor: ActorId) -> [Detail.Line] {
        var lines = [Detail.Line("actor", actor.hexadecimal, .device)]
        if case .device = view.author(of: actor) {
            lines.insert(Detail.Line("device", authorName(of: actor), .device), at: 0)
        }
        return lines
    }

    /// Who wrote a value, and by which change.
    private func provenance(_ written: WrittenValue) -> [Detail.Line] {
        var lines = authorLines(written.operation.actor)
        lines.append(Detail.Line("op", written.operation.counter.description, .number))
        guard let number = written.change, let change = change(number) else { return lines }
        if let time = time(ofChange: number) {
            let note = time.isRecorded ? "" : Self.unrecorded
            lines.append(
                Detail.Line(
                    "time", time.instant.plainISO8601 + note, .timestamp, instant: time.instant))
        }
        if let message = change.message {
            lines.append(Detail.Line("message", message, .string))
        }
        let hash = change.hash.debugDescription
        lines.append(
            Detail.Line(
                "change", hash, .link, link: Detail.Link(pane: .documentLog, row: RowID(hash))))
        return lines
    }

    /// When a change was made, as everything that shows one of its operations says it: by its
    /// author's clock, or where that was not recorded, after the changes it depends on.
    private func time(ofChange number: Int) -> (instant: Timestamp, isRecorded: Bool)? {
        if let recorded = change(number)?.timestamp { return (recorded, true) }
        guard let instant = times.instant(of: number) else { return nil }
        return (instant, false)
    }

    private static let unrecorded = " (not recorded: by its place among the changes)"

    // MARK: Conflicts

    /// The values that stand side by side, with why the shown one is shown.
    func conflict(at place: WrittenPlace, heads: DocumentView.Heads?) throws -> RowConflict? {
        guard !place.others.isEmpty else { return nil }
        let sides = try ([place.winner] + place.others).enumerated().map {
            index, written in
            try side(written, isWinner: index == 0, against: place.winner, heads)
        }
        let base = try document.commonBase(of: place, at: heads?.hashes).map { base in
            var side = try side(base, isWinner: false, against: place.winner, heads)
            side.reason = ""
            return side
        }
        var conflict = RowConflict(sides: sides, base: base)
        conflict.isWithoutBase = base == nil
        return conflict
    }

    private func side(
        _ written: WrittenValue, isWinner: Bool, against winner: WrittenValue,
        _ heads: DocumentView.Heads?
    ) throws -> RowConflict.Side {
        let actor = written.operation.actor
        let counter = written.operation.counter
        let time = written.change.flatMap { self.time(ofChange: $0) }
        let author = view.author(of: actor)
        // A device that is named hides the actor, which alone decides.
        let ofActor = if case .device = author { " of actor \(name(of: actor))" } else { "" }
        let named = "\(counter)\(ofActor)"
        var reason =
            if isWinner {
                "operation \(named), the greatest: shown in every copy"
            } else if counter == winner.operation.counter {
                "operation \(named) too, of a lesser actor"
            } else {
                "operation \(named), before \(winner.operation.counter)"
            }
        if time?.isRecorded != true { reason += ", at a time that was not recorded" }
        return RowConflict.Side(
            author: author,
            value: try line(written.content, at: heads),
            role: written.content.role,
            instant: time?.instant ?? .distantPast,
            isWinner: isWinner, reason: reason,
            typed: try typed(written.content, heads),
            entry: written.operation.description)
    }

    /// A side as it is compared and edited: JSON, which has no form for times.
    private func typed(
        _ content: WrittenValue.Content, _ heads: DocumentView.Heads?
    ) throws -> TypedText {
        if case .timestamp(let milliseconds) = content {
            return TypedText(.timestamp, Self.instant(milliseconds))
        }
        return TypedText(.json, try view.json(of: content, at: heads, limit: 100_000))
    }

    func copyForms(
        of place: WrittenPlace, pointer: String, at heads: DocumentView.Heads?
    ) throws -> [CopyForm] {
        let value: String
        switch place.winner.content {
        case .object(let id, .Text): value = try document.text(id, at: heads?.hashes)
        case .scalar(.String(let text)): value = text
        default: value = try view.json(of: place.winner.content, at: heads, indented: true)
        }
        return [
            CopyForm("value", value), CopyForm("pointer", pointer),
            CopyForm("JSON", try view.json(of: place.winner.content, at: heads)),
        ]
    }
}
