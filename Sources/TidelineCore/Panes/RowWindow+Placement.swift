import Tables

extension WindowRequest {
    /// Returns the range of the window in a list of `total` rows.
    ///
    /// - Parameter found: The index of the row that was requested by identity or by a search; `nil`
    ///   if there is none.
    func range(of total: Int, found: Int?) -> Range<Int> {
        let size = max(0, min(count, 10_000))
        let start =
            switch position {
            case .index(let index): index
            case .row(_, let offset, let fallback):
                (found ?? min(fallback, max(0, total - 1))).movedBack(by: offset)
            case .search(_, let from, _): found.map { $0 - size / 2 } ?? from
            }
        let lower = max(0, min(start, total - size))
        return lower..<min(total, lower + size)
    }
}

/// The parts of a list in search order. The search runs from a row to an end of the list, and
/// continues from the other end up to this row. The first parts are short, so that near matches are
/// found soon. Later parts are longer, because some lists open files for each read.
struct SearchParts: Sequence, IteratorProtocol {
    private var runs: [Range<Int>]
    private let isBackwards: Bool
    private var size = 256
    private static let greatestSize = 4_096

    init(of count: Int, from: Int, backwards: Bool) {
        isBackwards = backwards
        let from = Swift.max(0, Swift.min(from, count - 1))
        runs =
            count <= 0
            ? [] : backwards ? [0..<from, from..<count] : [from + 1..<count, 0..<from + 1]
    }

    mutating func next() -> Range<Int>? {
        while let run = runs.first, run.isEmpty { runs.removeFirst() }
        guard let run = runs.first else { return nil }
        defer { size = Swift.min(size * 2, Self.greatestSize) }
        if isBackwards {
            let start = Swift.max(run.lowerBound, run.upperBound - size)
            runs[0] = run.lowerBound..<start
            return start..<run.upperBound
        }
        let end = Swift.min(run.upperBound, run.lowerBound + size)
        runs[0] = end..<run.upperBound
        return run.lowerBound..<end
    }
}
