import GRDB
import Replication
import Synchronization

extension RowPager {
    /// Returns the number of a row if it can be determined without a long walk.
    func number(
        of position: RowPosition, _ key: RowKey, _ db: Database
    ) throws -> Int? {
        let (marks, recent, walked, total) = state.withLock {
            ($0.marks, $0.recent, $0.walked, $0.total)
        }
        if let known = recent.last(where: { $0.position == position }) { return known.number }
        // Find the last mark before the row.
        let low = try marks.indices.firstPosition {
            try !walk.order.isOrdered(db, marks[$0], before: position)
        }
        if low < marks.count || walked > 0 && low == marks.count {
            let bound = low > 0 ? marks[low - 1] : nil
            let rows = try walk.rows(db, columns: [], from: bound, limit: Self.stride)
            if let index = rows.firstIndex(where: { $0.key == key }) {
                return low * Self.stride + index
            }
        }
        for known in recent.reversed() {
            let isAfter = try walk.order.isOrdered(db, known.position, before: position)
            let rows = try walk.rows(
                db, columns: [], from: known.position, backwards: !isAfter, limit: 512)
            if let index = rows.firstIndex(where: { $0.key == key }) {
                return isAfter ? known.number + 1 + index : known.number - rows.count + index
            }
        }
        let first = try walk.rows(db, columns: [], limit: 512)
        if let index = first.firstIndex(where: { $0.key == key }) { return index }
        let last = try walk.rows(db, columns: [], backwards: true, limit: 512)
        if let total, let index = last.firstIndex(where: { $0.key == key }) {
            return total - last.count + index
        }
        return nil
    }

    /// Finds the next or previous row that also meets a condition, starting after or before a row
    /// number and wrapping around once. `nil` if there is none.
    ///
    /// - Throws: As ``TableFile/read(instructionsPerByte:standsIn:isCancelled:_:)``.
    public func row(
        meeting condition: RowCondition, from number: Int, backwards: Bool,
        isCancelled: (@Sendable () -> Bool)? = nil
    ) throws -> RowKey? {
        let here = try window(.number(number), count: 1, columns: [], isCancelled: isCancelled)
        guard let origin = here.rows.first else { return nil }
        var selection = walk.selection
        selection.condition = selection.condition.map { $0 && condition } ?? condition
        let search = try RowWalk(walk.table, selection)
        let (found, _) = try file.read(instructionsPerByte: 5000, isCancelled: isCancelled) {
            (db) -> RowKey? in
            guard walk.isIndexed else {
                let found = try SortedKeys(search, db)
                let matches = Set(found[0..<found.count])
                guard let keys = state.withLock({ $0.sorted }) else { return nil }
                let places = keys[0..<keys.count].enumerated().filter {
                    matches.contains($0.element)
                }
                let next =
                    backwards
                    ? places.last { $0.offset < here.start } ?? places.last
                    : places.first { $0.offset > here.start } ?? places.first
                return next?.element
            }
            let next = try search.rows(
                db, columns: [], from: origin.position, backwards: backwards, limit: 1)
            if let row = next.first { return row.key }
            return try search.rows(db, columns: [], backwards: backwards, limit: 1).first?.key
        }
        return found
    }
}
