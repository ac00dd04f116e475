import Automerge
import Replication

/// The inspector's content for a key or item.
extension OpenDocument {
    /// The maximum number of lines of a value.
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
                    try view.line(side.content, at: heads), index == 0 ? .winner : .loser,
                    link: conflictLink(to: pointer))
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
            size = ", \(Counted.text(count, type == .Map ? "key" : "item"))"
            inside = try conflictsInside(at: heads)[id]
            let json = try view.json(of: content, at: heads, indented: true, limit: 50_000)
            lines = json.split(separator: "\n").prefix(Self.longestValue).map { line in
                let depth = line.prefix { $0 == " " }.count / 2
                return Detail.Line("", String(line.dropFirst(depth * 2)), .plain, depth: depth)
            }
        case .timestamp(let milliseconds):
            lines = [Detail.Line("", try view.line(content, at: heads), .date)]
            size = ", \(milliseconds) ms since 1970"
        case .scalar(.Bytes(let data)):
            var whole = Detail.Line("", try view.line(content, at: heads), content.role)
            whole.startsFolded = true
            lines = [whole] + Detail.Line.hex(data, depth: 1)
        default: lines = [Detail.Line("", try view.line(content, at: heads), content.role)]
        }
        lines.append(Detail.Line("type", content.typeName + size, .dim))
        if let inside {
            let places = Counted.text(inside.count, "conflict")
            lines.append(
                Detail.Line(
                    "inside", places, .conflict,
                    link: inside.first.map(conflictLink)))
        }
        return lines
    }

    /// Returns the link from a place to its row in the list of all conflicts.
    private func conflictLink(to pointer: String) -> Detail.Link {
        let place = ConflictPlace(part: PaneID.documents.part, row: row(pointer))
        return Detail.Link(pane: .conflicts, row: place.listedRow)
    }

    private static func paragraphs(_ text: String) -> [Detail.Line] {
        let parts = text.split(
            separator: "\n", maxSplits: longestValue, omittingEmptySubsequences: false)
        var lines = parts.prefix(longestValue).map { Detail.Line("", String($0), .string) }
        if parts.count > longestValue { lines.append(.omission()) }
        return lines
    }

    private func marks(_ id: ObjId, at heads: DocumentView.Heads?) throws -> [Detail.Line] {
        let marks =
            try heads.map { try document.marksAt(obj: id, heads: $0.hashes) }
            ?? document.marks(obj: id)
        return marks.prefix(Self.shownMarks).map { Detail.Line("", $0.line) }
            + Detail.Line.rest(marks.count - Self.shownMarks)
    }

    /// Returns the lines about an actor and its device, if known.
    func authorLines(_ actor: ActorId) -> [Detail.Line] {
        var lines = [Detail.Line("actor", actor.hexadecimal, .device)]
        if case .device = view.author(of: actor) {
            lines.insert(Detail.Line("device", authorName(of: actor), .device), at: 0)
        }
        return lines
    }

    /// Returns the lines about a value's writer and change; for a counter, of the last increment.
    private func provenance(_ written: WrittenValue) -> [Detail.Line] {
        var lines = authorLines(written.newestOperation.actor)
        lines.append(Detail.Line("op", written.newestOperation.counter.description, .number))
        guard let number = written.newestChange, let change = change(number) else { return lines }
        if let time = time(ofChange: number) {
            let note = time.isRecorded ? "" : Self.unrecorded
            lines.append(
                Detail.Line(
                    "time", time.instant.fullText + note, .timestamp, instant: time.instant))
        }
        if let message = change.message {
            lines.append(Detail.Line("message", message, .string))
        }
        let hash = change.hash.debugDescription
        lines.append(
            Detail.Line(
                "change", hash, .link, link: Detail.Link(pane: .documentHistory, row: RowID(hash))))
        return lines
    }

    /// Returns the time of a change: the time on its author's clock or, if that wasn't recorded,
    /// the instant derived from its dependencies.
    private func time(ofChange number: Int) -> (instant: Timestamp, isRecorded: Bool)? {
        if let recorded = change(number)?.timestamp { return (recorded, true) }
        guard let instant = times.instant(of: number) else { return nil }
        return (instant, false)
    }

    private static let unrecorded = " (not recorded; derived from the order of changes)"

    // MARK: Conflicts

    /// Returns the concurrent values, with the reason for the winner.
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
        // The text shows the device's name. Add the actor's name, because the actor determines the
        // winner.
        let ofActor = if case .device = author { " of actor \(name(of: actor))" } else { "" }
        let named = "\(counter)\(ofActor)"
        var reason =
            if isWinner {
                "operation \(named); the greatest number wins in every copy"
            } else if counter == winner.operation.counter {
                "same operation number (\(named)); the lower actor id loses"
            } else {
                "operation \(named), lower than \(winner.operation.counter)"
            }
        if time?.isRecorded != true { reason += "; time not recorded" }
        return RowConflict.Side(
            author: author,
            value: try view.line(written.content, at: heads),
            role: written.content.role,
            instant: time?.instant ?? .distantPast,
            isWinner: isWinner, reason: reason,
            typed: try typed(written.content, heads),
            entry: written.operation.description)
    }

    /// Returns a side for comparing and editing: as JSON, or as a date, since JSON has no dates.
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
        [
            CopyForm("value", try savedText(of: place, at: heads)), CopyForm("pointer", pointer),
            CopyForm("JSON", try view.json(of: place.winner.content, at: heads)),
        ]
    }

    /// Returns the value of a place as text: a text without quotation marks, or indented JSON.
    func savedText(of place: WrittenPlace, at heads: DocumentView.Heads?) throws -> String {
        switch place.winner.content {
        case .object(let id, .Text): try document.text(id, at: heads?.hashes)
        case .scalar(.String(let text)): text
        default: try view.json(of: place.winner.content, at: heads, indented: true)
        }
    }
}
