import Automerge
import Replication

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
