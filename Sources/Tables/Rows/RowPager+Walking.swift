import GRDB
import Synchronization

extension RowPager {
    /// Continues the walk that counts the rows and marks every 4,096th row.
    ///
    /// Call this when idle. Each call reads independently, so you can stop after any of them.
    ///
    /// - Parameter count: The number of rows to walk.
    /// - Returns: Whether rows remain.
    /// - Throws: As ``TableFile/read(instructionsPerByte:standsIn:isCancelled:_:)``.
    public func advance(
        by count: Int, isCancelled: (@Sendable () -> Bool)? = nil
    ) throws -> Bool {
        guard walk.isIndexed else { return false }
        let (from, walked, isDone, known) = state.withLock {
            (
                $0.last, $0.walked,
                $0.isTotalExact && $0.marks.count == ($0.total ?? 0) / Self.stride, $0.stamp
            )
        }
        guard !isDone else { return false }
        let ((marks, steps, last, isEnd), stamp) = try file.read(
            instructionsPerByte: 5000, isCancelled: isCancelled
        ) { db in
            var marks: [RowPosition] = []
            var last = from
            var steps = 0
            while steps < count {
                let wanted = Self.stride - (walked + steps) % Self.stride
                let (found, place) = try walk.skip(db, from: last, limit: wanted)
                steps += found
                guard let place, found == wanted else { return (marks, steps, last, true) }
                last = place
                marks.append(place)
            }
            return (marks, steps, last, false)
        }
        return state.withLock { state in
            // The file has changed, so the result is invalid.
            guard state.walked == walked, known == nil || known == stamp else {
                if state.walked == walked {
                    state.forgetPositions()
                    state.stamp = stamp
                }
                return true
            }
            state.stamp = stamp
            state.marks += marks
            state.walked += steps
            state.last = last
            if isEnd {
                if state.total != state.walked { state.recent = [] }
                state.noteTotal(state.walked)
            }
            return !isEnd
        }
    }
}

extension RowWalk {
    /// Estimates the position of row `number` of `total` from the first and last rowids; `nil` if
    /// rows aren't ordered by rowid.
    func interpolated(_ db: Database, _ number: Int, of total: Int) throws -> RowPosition? {
        guard order.parts.count == 1, order.keyParts == [0], table.rowID != nil, total > 1,
            selection.condition == nil,
            let first = try rows(db, columns: [], limit: 1).first?.key.rowID,
            let last = try rows(db, columns: [], backwards: true, limit: 1).first?.key.rowID
        else { return nil }
        let share = Double(min(number, total - 1)) / Double(total - 1)
        let place = Double(first) + (Double(last) - Double(first)) * share
        guard let rowID = Int64(exactly: place.rounded(.down)) else { return nil }
        let descends = order.parts[0].isDescending
        let (before, overflow) = rowID.addingReportingOverflow(descends ? 1 : -1)
        return overflow ? nil : RowPosition(values: [.integer(before)])
    }
}
