/// The marks in effect at the current position of a traversal, sorted by the identifiers of their
/// starts. If several marks have the same name, the newest is in effect.
struct MarkState {
    struct Open {
        var row: UInt32
        var name: UInt32
    }

    /// The open marks, in ascending order of their identifiers.
    private(set) var open: [Open] = []
    /// A number that increases with every change.
    private(set) var version = 0

    mutating func begin(_ row: UInt32, name: UInt32, in set: borrowing OpSet) {
        var index = open.count
        while index > 0, set.precedes(row, open[index - 1].row) { index -= 1 }
        open.insert(Open(row: row, name: name), at: index)
        version += 1
    }

    /// Ends the mark that starts at `row`.
    mutating func end(_ row: UInt32) {
        guard let index = open.firstIndex(where: { $0.row == row }) else { return }
        open.remove(at: index)
        version += 1
    }

    /// Updates the state for a mark operation of the text.
    mutating func pass(_ row: UInt32, in set: borrowing OpSet) {
        let operation = set.operations[row]
        if let name = set.markNames[row] {
            begin(row, name: name, in: set)
        } else if let start = set.row(actor: operation.actor, counter: operation.counter &- 1) {
            end(start)
        }
    }

    /// The row of the mark in effect for each name.
    var current: [UInt32: UInt32] {
        var result: [UInt32: UInt32] = [:]
        for mark in open { result[mark.name] = mark.row }
        return result
    }
}

extension OpSet {
    /// Sets a mark between two positions.
    mutating func mark(
        _ object: UInt32, from start: Int, to end: Int, expand: ExpandMark, name: String,
        value: ScalarValue
    ) throws(FormatError) {
        let name = try names.intern(name)
        var stored = try store(value, inText: true)
        stored.width = 0
        _ = insertElement(
            at: start, of: object, action: Action.mark, value: stored,
            expand: expand == .before || expand == .both, markName: name)
        _ = insertElement(
            at: end, of: object, action: Action.mark,
            value: Stored(value: 0, meta: 0, width: 0),
            expand: expand == .after || expand == .both)
    }

    /// Calls `body` with the visible row of each element, in order. Marks are included.
    func forEachElementOrMark(
        of object: UInt32, at clock: Clock?, _ body: (_ row: UInt32, _ isMark: Bool) -> Bool
    ) {
        var leaf = objects[object].root.first
        while leaf != none {
            for index in 0..<Int(elements.leaves[leaf].count) {
                let element = elements.row(leaf, index)
                let operation = operations[element]
                if operation.action == Action.mark {
                    if let clock, !clock.covers(operation) { continue }
                    guard body(element, true) else { return }
                } else {
                    let row = winner(slot: operation.slot, element: element, at: clock)
                    if row != none, !body(row, false) { return }
                }
            }
            leaf = elements.leaves[leaf].next
        }
    }

    /// Returns the marks of a text, sorted by name and then by position. Adjacent marks with equal
    /// values are joined.
    func marks(of object: UInt32, at clock: Clock?) -> [Mark] {
        guard objects[object].hasMarks else { return [] }
        var collector = MarkCollector()
        var state = MarkState()
        var position = 0
        var start = 0
        func flush(_ collector: inout MarkCollector, _ state: MarkState) {
            guard start < position else { return }
            for (name, row) in state.current {
                collector.add(name, scalar(of: row), from: start, to: position)
            }
        }
        forEachElementOrMark(of: object, at: clock) { row, isMark in
            if isMark {
                flush(&collector, state)
                start = position
                state.pass(row, in: self)
            } else {
                position += width(of: row)
            }
            return true
        }
        flush(&collector, state)
        return collector.marks(names: names)
    }

    /// Returns the marks in effect at the element that covers a position.
    func marks(at position: Int, of object: UInt32, clock: Clock?) -> [(String, ScalarValue)] {
        var state = MarkState()
        var end = 0
        forEachElementOrMark(of: object, at: clock) { row, isMark in
            if isMark {
                state.pass(row, in: self)
                return true
            }
            end += width(of: row)
            return end <= position
        }
        guard end > position else { return [] }
        return state.current.map { (names.string($0.key), scalar(of: $0.value)) }
            .filter { $0.1 != .Null }
            .sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
    }
}

/// A collector of the ranges of each mark.
struct MarkCollector {
    private struct Stretch {
        var start: Int
        var end: Int
        var value: ScalarValue
    }

    private var stretches: [UInt32: [Stretch]] = [:]

    mutating func add(_ name: UInt32, _ value: ScalarValue, from start: Int, to end: Int) {
        if let last = stretches[name]?.last, last.end == start, last.value == value {
            let index = (stretches[name]?.count ?? 1) - 1
            stretches[name]?[index].end = end
            return
        }
        stretches[name, default: []].append(Stretch(start: start, end: end, value: value))
    }

    /// Returns the marks, sorted by the bytes of their names. Ranges of removed marks, with the
    /// value `.Null`, are left out.
    func marks(names: borrowing NameTable) -> [Mark] {
        var result: [Mark] = []
        for name in stretches.keys.sorted(by: { names.precedes($0, $1) }) {
            for stretch in stretches[name] ?? [] where stretch.value != .Null {
                result.append(
                    Mark(
                        start: UInt64(stretch.start), end: UInt64(stretch.end),
                        name: names.string(name), value: .Scalar(stretch.value)))
            }
        }
        return result
    }
}
