import Automerge
package import Replication

/// The texts of a document with the actor or device that wrote each part.
extension OpenDocument {
    /// The maximum number of keys or items that are listed.
    private static let shownPlaces = 200

    /// Returns the parts of a text or counter, each with its writer. Any other scalar is one part.
    /// For a map or list, returns the texts of its keys or items.
    func writtenTexts(
        of place: WrittenPlace, pointer: String, at heads: DocumentView.Heads?
    ) throws -> WrittenTexts {
        if case .object(let id, let type) = place.winner.content, type != .Text {
            return try writtenTexts(inside: id, pointer: pointer, at: heads)
        }
        return named(pointer, [try text(place.winner, label: "", at: heads)])
    }

    /// Returns the texts of the keys or items of a map or list.
    func writtenTexts(
        inside object: ObjId, pointer: String, at heads: DocumentView.Heads?
    ) throws -> WrittenTexts {
        let all = try document.places(of: object, at: heads?.hashes)
        var written = named(
            pointer,
            try all.prefix(Self.shownPlaces).map {
                try text($0.winner, label: JSONPointer.step($0.prop), at: heads)
            })
        written.isCut = all.count > Self.shownPlaces
        return written
    }

    private func named(_ pointer: String, _ texts: [WrittenText]) -> WrittenTexts {
        var names: [Author: String] = [:]
        for actor in times.actors { names[author(of: actor)] = authorName(of: actor) }
        return WrittenTexts(pointer, texts) { names[$0] ?? $0.name }
    }

    private func text(
        _ written: WrittenValue, label: String, at heads: DocumentView.Heads?
    ) throws -> WrittenText {
        switch written.content {
        case .object(let id, .Text):
            var instants: [Int: Timestamp?] = [:]
            let parts = try document.writtenParts(of: id, at: heads?.hashes).map { part in
                let instant = part.change.flatMap { number -> Timestamp? in
                    if let known = instants[number] { return known }
                    let instant = change(number)?.timestamp
                    instants[number] = instant
                    return instant
                }
                let writer = TextWriter(author(of: part.actor), at: instant)
                return WrittenText.Part(part.text, by: writer)
            }
            return WrittenText(label: label, parts: parts)
        case .scalar(.Counter):
            return WrittenText(
                label: label, parts: try counterParts(written, isOnly: label.isEmpty, at: heads))
        case .scalar(.String(let text)): return whole(text, written, label)
        default: return whole(try view.line(written.content, at: heads), written, label)
        }
    }

    /// Returns the amount that each author added to a counter, in the order of their first writes.
    ///
    /// - Parameter isOnly: Whether the counter is shown alone. If so, the amounts determine the
    ///   shares of the authors.
    private func counterParts(
        _ written: WrittenValue, isOnly: Bool, at heads: DocumentView.Heads?
    ) throws -> [WrittenText.Part] {
        var amounts: [(writer: TextWriter, amount: Int64)] = []
        for part in try document.counterParts(of: written, at: heads?.hashes) {
            let author = author(of: part.actor)
            let instant = part.change.flatMap { change($0) }?.timestamp
            if let index = amounts.firstIndex(where: { $0.writer.author == author }) {
                amounts[index].amount &+= part.amount
                amounts[index].writer.instant = instant
            } else {
                amounts.append((TextWriter(author, at: instant), part.amount))
            }
        }
        return amounts.enumerated().map { index, entry in
            let sign = index > 0 ? (entry.amount < 0 ? " " : " +") : ""
            return WrittenText.Part(
                "\(sign)\(entry.amount)", by: entry.writer,
                weight: isOnly ? Double(max(1, entry.amount.magnitude)) : nil)
        }
    }

    private func whole(_ text: String, _ written: WrittenValue, _ label: String) -> WrittenText {
        let writer = TextWriter(
            author(of: written.newestOperation.actor),
            at: written.newestChange.flatMap { change($0) }?.timestamp)
        return WrittenText(label: label, parts: [WrittenText.Part(text, by: writer)])
    }

    /// Returns the author to show for an actor. It is the actor's device if known, otherwise a
    /// device identifier made from the actor.
    private func author(of actor: ActorId) -> Author {
        let author = view.author(of: actor)
        if case .device = author { return author }
        return Self.device(of: actor).map { .device($0) } ?? author
    }
}

extension DocumentView {
    /// Returns the texts at a place with the writer of each part.
    ///
    /// - Parameters:
    ///   - pointer: The JSON Pointer of the place; empty for the whole document.
    ///   - instant: The instant, by the times of the changes; `nil` for now.
    ///   - name: Returns the display name of a device.
    /// - Throws: ``CoreError``: `.noAnswer` if the pointer leads nowhere, `.usage` for an invalid
    ///   pointer.
    package func writtenTexts(
        at pointer: String, asOf instant: Timestamp?,
        name: @escaping @Sendable (DeviceID) -> String
    ) throws -> WrittenTexts {
        let open = try OpenDocument(self, byteCount: 0, deviceName: name)
        let heads = open.heads(at: instant)
        guard let place = try place(at: pointer, asOf: heads) else {
            return try open.writtenTexts(inside: .ROOT, pointer: pointer, at: heads)
        }
        return try open.writtenTexts(of: place, pointer: pointer, at: heads)
    }

    /// Returns the place at a pointer; `nil` for the whole document.
    private func place(at pointer: String, asOf heads: Heads?) throws -> WrittenPlace? {
        var found: WrittenPlace?
        var object: ObjId? = .ROOT
        for step in try JSONPointer.steps(of: pointer) {
            guard let map = object, let prop = prop(step, of: map),
                let place = try document.place(prop, of: map, at: heads?.hashes)
            else { throw CoreError(.noAnswer, "no such place: \(pointer.quoted)") }
            found = place
            object = if case .object(let id, _) = place.winner.content { id } else { nil }
        }
        return found
    }

    /// Returns the key or item of an object that a step of a pointer leads to; `nil` for an invalid
    /// index, and for a text.
    func prop(_ step: String, of object: ObjId) -> Prop? {
        switch document.objectType(obj: object) {
        case .Map: .Key(step)
        case .List: UInt64(step).flatMap { String($0) == step ? .Index($0) : nil }
        case .Text: nil
        }
    }
}

extension OpenDocument {
    /// The maximum number of steps to show.
    static let shownWrites = 20

    /// Returns the steps of the change at an instant.
    ///
    /// - Complexity: O(*n*) in the operations of the change.
    func writes(at instant: Timestamp, device: DeviceID?) -> [PastWrite] {
        let rank = times.count(through: instant) - 1
        guard rank >= 0, times.instants[rank] == instant,
            let change = change(Int(times.order[rank])),
            device.map({ isActor(change.actor, of: $0) }) ?? true
        else { return [] }
        let author = view.author(of: change.actor)
        let message = change.message.map { " (\($0))" } ?? ""
        let steps = view.differences(by: change).steps.prefix(Self.shownWrites)
        guard !steps.isEmpty else {
            return [PastWrite(author, "no visible change" + message)]
        }
        return steps.map { step in
            PastWrite(
                author, step.line + message,
                link: link(to: step.pointer))
        }
    }

    /// Returns the link to a place, in the list of the object that contains it.
    private func link(to pointer: String) -> Detail.Link {
        // Slashes in keys are escaped, so each slash separates steps.
        let ends = pointer.utf8.indices.dropFirst().filter { pointer.utf8[$0] == UInt8(ascii: "/") }
        let holders = ends.map { row(String(pointer[..<$0])) }
        let document = prefix.isEmpty || pointer.isEmpty ? [] : [row("")]
        return Detail.Link(pane: .documents, row: row(pointer), inside: document + holders)
    }
}
