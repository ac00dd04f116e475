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
            device == nil || OpenDocument.device(of: change.actor) == device
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
                link: Detail.Link(pane: .documents, row: row(step.pointer)))
        }
    }
}
