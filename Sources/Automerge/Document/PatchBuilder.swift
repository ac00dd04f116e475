/// A builder that collects patches and joins related ones: consecutive splices of text, consecutive
/// insertions or deletions of elements, and adjacent marks.
struct PatchBuilder {
    private(set) var patches: [Patch] = []
    private var obj: ObjId = .ROOT
    private var path: [PathElement] = []
    /// The length in positions of the text or list that the last patch changes.
    private var lastLength = 0

    mutating func enter(_ obj: ObjId, path: [PathElement]) {
        self.obj = obj
        self.path = path
        lastLength = 0
        canJoin = false
    }

    /// Whether the last patch belongs to the current object.
    private var canJoin = false

    mutating func add(_ action: PatchAction) {
        patches.append(Patch(action: action, path: path))
        canJoin = true
    }

    mutating func put(_ prop: Prop, _ value: Value) {
        add(.Put(obj, prop, value))
    }

    mutating func increment(_ prop: Prop, by amount: Int64) {
        add(.Increment(obj, prop, amount))
    }

    mutating func conflict(_ prop: Prop) {
        add(.Conflict(obj, prop))
    }

    mutating func delete(key: String) {
        add(.DeleteMap(obj, key))
    }

    mutating func delete(at index: Int, length: Int) {
        if canJoin, let last = patches.last, case .DeleteSeq(let deletion) = last.action,
            deletion.index == UInt64(index)
        {
            replaceLast(
                .DeleteSeq(
                    DeleteSeq(
                        obj: obj, index: deletion.index,
                        length: deletion.length + UInt64(length))))
        } else {
            add(.DeleteSeq(DeleteSeq(obj: obj, index: UInt64(index), length: UInt64(length))))
        }
    }

    mutating func insert(_ value: Value, at index: Int, marks: [String: Value]) {
        if canJoin, let last = patches.last,
            case .Insert(_, let start, let values, let lastMarks) = last.action,
            start + UInt64(lastLength) == UInt64(index), lastMarks == marks
        {
            lastLength += 1
            replaceLast(.Insert(obj: obj, index: start, values: values + [value], marks: marks))
        } else {
            add(.Insert(obj: obj, index: UInt64(index), values: [value], marks: marks))
            lastLength = 1
        }
    }

    mutating func splice(_ text: String, at index: Int, length: Int, marks: [String: Value]) {
        if canJoin, let last = patches.last,
            case .SpliceText(_, let start, _, let lastMarks) = last.action,
            start + UInt64(lastLength) == UInt64(index), lastMarks == marks
        {
            lastLength += length
            pendingText.append(text)
        } else {
            flushText()
            add(.SpliceText(obj: obj, index: UInt64(index), value: "", marks: marks))
            lastLength = length
            pendingText = text
        }
    }

    /// The text that the last splice inserts, kept separately while it grows.
    private var pendingText = ""

    /// Moves the collected text into its splice. Call this before adding any other kind of patch.
    mutating func flushText() {
        guard !pendingText.isEmpty, let last = patches.last,
            case .SpliceText(let obj, let index, _, let marks) = last.action
        else { return }
        replaceLast(.SpliceText(obj: obj, index: index, value: pendingText, marks: marks))
        pendingText = ""
    }

    mutating func mark(_ marks: [(name: String, value: ScalarValue)], at index: Int, length: Int) {
        var list: [Mark] = []
        var isJoined = false
        if canJoin, let last = patches.last, case .Marks(_, let marks) = last.action {
            list = marks
            isJoined = true
        }
        for (name, value) in marks {
            let known = list.lastIndex { $0.name == name }
            if let known, list[known].end == UInt64(index), list[known].value == .Scalar(value) {
                list[known] = Mark(
                    start: list[known].start, end: UInt64(index + length), name: name,
                    value: .Scalar(value))
            } else {
                list.append(
                    Mark(
                        start: UInt64(index), end: UInt64(index + length), name: name,
                        value: .Scalar(value)))
            }
        }
        if isJoined { replaceLast(.Marks(obj, list)) } else { add(.Marks(obj, list)) }
    }

    private mutating func replaceLast(_ action: PatchAction) {
        patches[patches.count - 1] = Patch(action: action, path: path)
    }
}
