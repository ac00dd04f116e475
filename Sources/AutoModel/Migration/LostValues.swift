/// Values that a rewrite of a table can't keep, collected during the copy.
final class LostValues: Sendable {
    enum Kind: Int, CaseIterable {
        case narrowing, missing
    }
    private struct Place: Hashable {
        let kind: Kind
        let column: Int
    }
    /// The error that ended the copy. SQLite passes on only its message.
    private let error = Locked<AutoModelError?>(nil)
    private let all = Locked<[Place: (count: Int, ids: [Int64])]>([:])

    var failure: AutoModelError? { error.withLock { $0 } }
    func fail(_ failure: AutoModelError) { error.withLock { $0 = failure } }

    func note(_ kind: Kind?, _ column: Int, _ id: Int64) {
        guard let kind else { return }
        all.withLock { all in
            var rows = all[Place(kind: kind, column: column)] ?? (0, [])
            rows.count += 1
            if rows.ids.count < 100 { rows.ids.append(id) }
            all[Place(kind: kind, column: column)] = rows
        }
    }

    /// Returns the number of rows that lose a column's value, and the identifiers of the first
    /// hundred such rows.
    func rows(_ kind: Kind, _ column: Int) -> (count: Int, ids: [Int64])? {
        all.withLock { $0[Place(kind: kind, column: column)] }
    }
}
