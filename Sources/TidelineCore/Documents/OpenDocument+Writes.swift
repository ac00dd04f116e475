import Automerge
import Replication

extension OpenDocument {
    /// More than these nobody reads in one line.
    static let shownWrites = 20

    /// The change that has an instant, as the steps that it made.
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
            return [PastWrite(author, "changed nothing that can be seen" + message)]
        }
        return steps.map { step in
            PastWrite(
                author, step.line + message,
                link: link(to: step.pointer))
        }
    }

    /// Where the documents show a place: in the list of what holds it.
    private func link(to pointer: String) -> Detail.Link {
        // A slash in a key is written otherwise.
        let ends = pointer.utf8.indices.dropFirst().filter { pointer.utf8[$0] == UInt8(ascii: "/") }
        let holders = ends.map { row(String(pointer[..<$0])) }
        let document = prefix.isEmpty || pointer.isEmpty ? [] : [row("")]
        return Detail.Link(pane: .documents, row: row(pointer), inside: document + holders)
    }
}
