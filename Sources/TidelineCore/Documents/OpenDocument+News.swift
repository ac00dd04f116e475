import Automerge
import Replication

/// What is new in a document, for those who watch.
extension OpenDocument {
    /// How many changed places an event names.
    private static let mostMarks = 1000

    /// The places that changed since an earlier reading, and those that lead to them.
    ///
    /// - Returns: Their rows, and the first of them in words.
    func marks(since old: OpenDocument) -> (rows: [RowID: RowMark], text: String) {
        let steps = view.differences(from: old.view.heads, to: view.heads).steps
        var marks: [RowID: RowMark] = [:]
        for step in steps {
            var pointer = step.pointer
            while !pointer.isEmpty, marks.count < Self.mostMarks {
                marks[row(pointer)] = .changed
                pointer = String(pointer[..<(pointer.lastIndex(of: "/") ?? pointer.startIndex)])
            }
        }
        let what = steps.first.map { $0.pointer.isEmpty ? "the document" : $0.pointer } ?? ""
        return (marks, what + (steps.count > 1 ? " …" : ""))
    }

    /// The changes that an earlier reading of the same document did not have, as rows of its
    /// history.
    ///
    /// - Returns: Beside them when the oldest of them was made, as its author says.
    func newChanges(since old: OpenDocument) -> (rows: [RowID: RowMark], written: Timestamp?) {
        let known = old.times.count
        guard known < times.count else { return ([:], nil) }
        let new = document.recordedChanges(known..<min(times.count, known + Self.mostMarks))
        let rows = Dictionary(
            new.map { (RowID($0.hash.debugDescription), RowMark.new) },
            uniquingKeysWith: { first, _ in first })
        return (rows, new.compactMap(\.timestamp).min())
    }
}

extension DocumentTimes {
    /// One sample a change, by its author.
    var activity: Activity {
        var samples = [[Activity.Sample]](repeating: [], count: actors.count)
        for (rank, instant) in instants.enumerated() {
            samples[Int(authors[Int(order[rank])])].append(Activity.Sample(instant, 1))
        }
        var byDevice: [DeviceID: [Activity.Sample]] = [:]
        for (actor, samples) in zip(actors, samples) {
            if let device = OpenDocument.device(of: actor) { byDevice[device] = samples }
        }
        return Activity(byDevice)
    }
}
