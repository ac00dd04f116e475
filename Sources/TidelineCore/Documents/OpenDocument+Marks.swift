import Automerge
import Replication

/// The changes of a document since an earlier read, for subscribers.
extension OpenDocument {
    /// The maximum number of changed places that an event names.
    private static let mostMarks = 1000

    /// Returns the places that have changed since an earlier read, and the objects around them.
    ///
    /// - Returns: The rows of these places. The text contains the numbers of new, changed and
    ///   deleted places, and the names of the first places: `+1 ~2 /title …`. The content of a new
    ///   place isn't counted separately.
    func marks(since old: OpenDocument) -> (rows: [RowID: RowMark], text: String) {
        let steps = view.differences(from: old.view.heads, to: view.heads).steps
        var marks: [RowID: RowMark] = [:]
        var (first, new, deleted): (String?, Int, Int) = (nil, 0, 0)
        var (changed, whole): (Set<String>, Set<String>) = ([], [])
        for step in steps {
            let change = change(of: step, since: old)
            let above = Self.above(step.pointer)
            if !above.isEmpty, above.contains(where: whole.contains) || whole.contains(step.pointer)
            {
                continue
            }
            switch change.mark {
            case .deleted: deleted += change.count
            case .new:
                new += change.count
                whole.formUnion(change.places)
            default:
                changed.insert(step.pointer)
                if change.isWhole { whole.insert(step.pointer) }
            }
            first = first ?? change.name
            for place in change.places where !place.isEmpty && marks.count < Self.mostMarks {
                marks[row(place)] = change.mark
            }
            // The objects that contain the place, including the list or text itself.
            for place in above + [step.pointer]
            where !place.isEmpty && !change.places.contains(place) && marks.count < Self.mostMarks {
                if marks[row(place)] == nil { marks[row(place)] = .changed }
            }
        }
        guard let first else { return (marks, "no value changed") }
        let count = new + changed.count + deleted
        return (
            marks,
            Counted.signs(new: new, changed: changed.count, deleted: deleted)
                + " \(first.isEmpty ? "the document" : first)\(count > 1 ? " …" : "")"
        )
    }

    /// The effect of a step on places.
    private struct StepChange {
        var mark: RowMark
        /// The name of the first place, for an event.
        var name: String
        /// The pointers of the places. Deleted items have none, because other items have moved to
        /// their indexes.
        var places: [String]
        var count = 1
        /// Whether an object replaced the old value, so that all of the object's content is new.
        var isWhole = false
    }

    private func change(of step: DocumentView.Difference, since old: OpenDocument) -> StepChange {
        let pointer = step.pointer
        func place(_ mark: RowMark, isWhole: Bool = false) -> StepChange {
            StepChange(mark: mark, name: pointer, places: [pointer], isWhole: isWhole)
        }
        switch step.patch.action {
        case .Put(let object, .Key(let key), let value):
            let heads = old.view.heads.hashes
            let was = (try? document.getAt(obj: object, key: key, heads: heads)) ?? nil
            if was == nil { return place(.new) }
            if case .Object = value { return place(.changed, isWhole: true) }
            return place(.changed)
        case .Insert(_, let index, let values, _):
            let places = values.indices.map { "\(pointer)/\(index &+ UInt64($0))" }
            return StepChange(
                mark: .new, name: "\(pointer)/\(index)", places: places, count: values.count)
        case .DeleteMap: return place(.deleted)
        case .DeleteSeq(let range) where document.objectType(obj: range.obj) == .List:
            return StepChange(
                mark: .deleted, name: "\(pointer)/\(range.index)", places: [],
                count: Int(clamping: range.length))
        default: return place(.changed)
        }
    }

    /// Returns the pointers of the objects that contain a place, without the document itself.
    private static func above(_ pointer: String) -> [String] {
        pointer.indices.filter { pointer[$0] == "/" && $0 > pointer.startIndex }
            .map { String(pointer[..<$0]) }
    }

    /// Returns the changes since an earlier read of the document, as rows of its history.
    ///
    /// - Returns: The rows, and the time of the oldest change according to its author's clock.
    func newChanges(since old: OpenDocument) -> (rows: [RowID: RowMark], written: Timestamp?) {
        let known = old.times.count
        guard known < times.count else { return ([:], nil) }
        let new = document.recordedChanges(known..<min(times.count, known + Self.mostMarks))
        let rows = Dictionary(
            keepingFirst: new.map { (RowID($0.hash.debugDescription), RowMark.new) })
        return (rows, new.compactMap(\.timestamp).min())
    }
}

extension DocumentTimes {
    /// The activity of each author, with one sample per change.
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
