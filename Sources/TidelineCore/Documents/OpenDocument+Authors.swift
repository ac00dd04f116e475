import Automerge

/// The texts of a document with the actor or device that wrote each part.
extension OpenDocument {
    /// The maximum number of keys or items that are listed.
    private static let shownPlaces = 200

    /// Returns the text of a place by writer. Of a map or list, returns its keys or items; values
    /// other than texts have a single writer.
    func authors(
        of place: WrittenPlace, pointer: String, at heads: DocumentView.Heads?
    ) throws -> Detail {
        var texts: [WrittenText] = []
        if case .object(let id, let type) = place.winner.content, type != .Text {
            for inner in try document.places(of: id, at: heads?.hashes).prefix(Self.shownPlaces) {
                let label = JSONPointer.step(inner.prop)
                texts.append(try text(inner.winner, label: label, at: heads))
            }
        } else {
            texts = [try text(place.winner, label: "", at: heads)]
        }
        var names: [Author: String] = [:]
        for actor in times.actors { names[author(of: actor)] = authorName(of: actor) }
        return Detail(authorsOf: pointer, texts: texts) { names[$0] ?? $0.name }
    }

    private func text(
        _ written: WrittenValue, label: String, at heads: DocumentView.Heads?
    ) throws -> WrittenText {
        switch written.content {
        case .object(let id, .Text):
            let parts =
                try heads.map { try document.authorsAt(obj: id, heads: $0.hashes) }
                ?? document.authors(obj: id)
            return WrittenText(label: label, parts: parts.map { ($0.text, author(of: $0.actor)) })
        case .scalar(.String(let text)):
            return WrittenText(label: label, parts: [(text, author(of: written.operation.actor))])
        default:
            let line = try line(written.content, at: heads)
            return WrittenText(label: label, parts: [(line, author(of: written.operation.actor))])
        }
    }

    /// Returns an actor as the screen knows it: its device, or else the actor in the form of one.
    private func author(of actor: ActorId) -> Author {
        let author = view.author(of: actor)
        if case .device = author { return author }
        return Self.device(of: actor).map { .device($0) } ?? author
    }
}
