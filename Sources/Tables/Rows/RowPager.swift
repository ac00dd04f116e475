import GRDB
import Replication
import Synchronization

/// The rows of a table by number, at any table size.
///
/// A position is found from known positions: the start, the end, recently viewed rows, and marks at
/// every 4,096th row. ``advance(by:isCancelled:)`` sets the marks during one walk through the
/// table. Until then, rows in the middle of a table are located approximately by rowid, and the
/// count is an estimate from statistics or rowids.
///
/// Known positions are discarded when the file changes. Rows always come from the current state of
/// the file.
public final class RowPager: Sendable {
    /// The file of the table.
    public let file: TableFile
    /// The table.
    public let table: NamedTable
    let walk: RowWalk
    let state = Mutex(State())
    /// The number of rows between marks.
    static let stride = 4096
    /// The number of rows up to which a table is counted immediately.
    private static let countedLimit = 100_000

    struct State {
        var stamp: FileStamp?
        /// The positions of the last rows before numbers `stride`, 2 × `stride`, and so on.
        var marks: [RowPosition] = []
        var walked = 0
        var last: RowPosition?
        var total: Int?
        var isTotalExact = false
        /// The numbers of recently viewed rows.
        var recent: [(number: Int, position: RowPosition)] = []
        var sorted: SortedKeys?

        mutating func noteTotal(_ count: Int) { (total, isTotalExact) = (count, true) }

        mutating func forgetPositions() {
            (marks, walked, last, recent, isTotalExact) = ([], 0, nil, [], false)
        }
    }

    /// A contiguous range of rows.
    public struct Window: Sendable {
        /// The rows, in order.
        public var rows: [TableRow]
        /// The number of the first row.
        public var start: Int
        /// The total number of rows, exact or estimated.
        public var total: Int
        /// Whether the total is exact.
        public var isTotalExact: Bool
        /// The number of the requested row.
        public var found: Int?
    }

    /// The requested position of a window.
    public enum Place: Hashable, Sendable {
        /// A window that starts at a row number, clamped to the table.
        case number(Int)
        /// A window that shows a row `offset` rows below its start. If the row was deleted, the one
        /// that now has the number `fallback` is used instead.
        case row(RowKey, offset: Int, fallback: Int)
    }

    /// Creates a pager. Nothing is read yet.
    ///
    /// - Throws: As ``RowWalk/init(_:_:)``.
    public init(
        _ file: TableFile, _ table: NamedTable, _ selection: RowSelection
    ) throws(TablesError) {
        self.file = file
        self.table = table
        walk = try RowWalk(table.schema, selection)
    }

    /// The known number of rows, and whether it is exact.
    public var count: (total: Int, isExact: Bool) {
        state.withLock { ($0.total ?? $0.walked, $0.isTotalExact) }
    }

    /// Returns the rows around a position.
    ///
    /// - Parameter columns: The columns to load, by their names in the table.
    /// - Throws: As ``TableFile/read(instructionsPerByte:standsIn:isCancelled:_:)``.
    public func window(
        _ place: Place, count: Int, columns: [String], isCancelled: (@Sendable () -> Bool)? = nil
    ) throws -> Window {
        let count = max(0, min(count, 10_000))
        // If the file changed, its known positions are discarded and the window is read again.
        for attempt in 0..<3 {
            let (window, stamp) = try file.read(
                instructionsPerByte: 5000, isCancelled: isCancelled
            ) { db in
                try prepare(db)
                return walk.isIndexed
                    ? try walked(place, count, columns, db) : try sorted(place, count, columns, db)
            }
            if validate(stamp) || attempt == 2 {
                note(window)
                return window
            }
        }
        return Window(rows: [], start: 0, total: 0, isTotalExact: false)
    }

    /// Discards the known positions if the file has changed since they were found.
    ///
    /// - Returns: Whether the known positions are valid for the file's state.
    private func validate(_ stamp: FileStamp) -> Bool {
        state.withLock { state in
            defer { state.stamp = stamp }
            guard let known = state.stamp, known != stamp else { return true }
            state.forgetPositions()
            state.sorted = nil
            // Small tables are counted again immediately. For large tables, the old count is close
            // enough until the new one is known.
            let isLarge = (state.total ?? 0) > Self.countedLimit
            if !isLarge || walk.selection.condition != nil { state.total = nil }
            return false
        }
    }

    /// Remembers the positions of rows, so that the next window is found from them.
    private func note(_ window: Window) {
        state.withLock { state in
            guard let first = window.rows.first, walk.isIndexed else { return }
            state.recent.append((window.start, first.position))
            if let last = window.rows.last {
                state.recent.append((window.start + window.rows.count - 1, last.position))
            }
            if state.recent.count > 64 { state.recent.removeFirst(16) }
        }
    }

    private func prepare(_ db: Database) throws {
        guard state.withLock({ $0.total == nil }) else { return }
        let hasCondition = walk.selection.condition != nil
        let estimate = try walk.table.estimatedCount(db)
        if let estimate, estimate > Self.countedLimit {
            if !hasCondition { state.withLock { $0.total = $0.total ?? estimate } }
            return
        }
        let count: Int
        if hasCondition {
            // Without an index, the rows are counted while sorting. The estimate can be too low, so
            // counting stops at the limit.
            guard walk.isIndexed, estimate != nil else { return }
            count = try walk.skip(db, from: nil, limit: Self.countedLimit + 1).count
            guard count <= Self.countedLimit else { return }
        } else {
            count = try walk.table.count(db)
        }
        state.withLock { $0.noteTotal(count) }
    }

    // MARK: Orders of an index

    private func walked(
        _ place: Place, _ count: Int, _ columns: [String], _ db: Database
    ) throws -> Window {
        switch place {
        case .number(let number): return try window(at: number, count, columns, db)
        case .row(let key, let offset, let fallback):
            guard let position = try walk.position(db, of: key) else {
                return try window(at: fallback.movedBack(by: offset), count, columns, db)
            }
            let number = try self.number(of: position, key, db) ?? fallback
            let wanted = max(0, min(offset, number))
            let before = try walk.rows(
                db, columns: columns, from: position, backwards: true, limit: wanted)
            var rows =
                before
                + (try walk.rows(
                    db, columns: columns, from: position, isInclusive: true,
                    limit: max(0, count - before.count)))
            // Near the end, fill the window with rows from before.
            var start = number - before.count
            if rows.count < count, let first = rows.first {
                let more = try walk.rows(
                    db, columns: columns, from: first.position, backwards: true,
                    limit: min(count - rows.count, max(0, start)))
                rows = more + rows
                start -= more.count
            }
            return makeWindow(rows, start: start, found: number, isFull: rows.count == count)
        }
    }

    private func makeWindow(
        _ rows: [TableRow], start: Int, found: Int? = nil, isFull: Bool
    ) -> Window {
        let start = max(0, start)
        return state.withLock { state in
            // Count one row beyond the window, so that the user can scroll to it.
            let seen = start + rows.count + (isFull ? 1 : 0)
            if !state.isTotalExact { state.total = max(state.total ?? state.walked, seen) }
            return Window(
                rows: rows, start: start, total: state.total ?? seen,
                isTotalExact: state.isTotalExact, found: found)
        }
    }

    private func window(
        at number: Int, _ count: Int, _ columns: [String], _ db: Database
    ) throws -> Window {
        let (total, walked) = state.withLock { ($0.total, $0.walked) }
        let wanted = max(0, number)
        if let total, wanted > walked || wanted >= total, wanted >= total - Self.stride {
            return try windowFromEnd(total, wanted, count, columns, db)
        }
        // The end was requested. The numbers of the last rows depend on the count.
        if total == nil, number == .max {
            let whole = try walk.skip(db, from: nil, limit: .max).count
            state.withLock { $0.noteTotal(whole) }
            return try windowFromEnd(whole, whole, count, columns, db)
        }
        let (start, bound) = try self.bound(before: wanted, total ?? walked, db)
        let rows = try walk.rows(db, columns: columns, from: bound, limit: count)
        guard rows.count < count else { return makeWindow(rows, start: start, isFull: true) }
        // The table ends inside the window, so the window is filled with earlier rows.
        let whole = state.withLock { state in
            if !state.isTotalExact {
                state.total = start + rows.count
                state.isTotalExact = start <= state.walked
            }
            return state.total ?? start + rows.count
        }
        guard start > 0 else { return makeWindow(rows, start: 0, isFull: false) }
        return try windowFromEnd(whole, whole, count, columns, db)
    }

    /// Reads a window near the end by walking backwards.
    private func windowFromEnd(
        _ total: Int, _ wanted: Int, _ count: Int, _ columns: [String], _ db: Database
    ) throws -> Window {
        let back = max(count, total - min(wanted, total))
        let last = try walk.rows(db, columns: [], backwards: true, limit: back)
        if last.count < back {
            // The window contains all rows.
            state.withLock { $0.noteTotal(last.count) }
        }
        guard let first = last.first else { return makeWindow([], start: 0, isFull: false) }
        let rows = try walk.rows(
            db, columns: columns, from: first.position, isInclusive: true, limit: count)
        return makeWindow(
            rows, start: last.count < back ? 0 : total - last.count,
            isFull: rows.count < last.count)
    }

    /// Returns the position of the row before number `wanted`. If it isn't known, returns a
    /// position near it.
    private func bound(
        before wanted: Int, _ end: Int, _ db: Database
    ) throws -> (start: Int, RowPosition?) {
        guard wanted > 0 else { return (0, nil) }
        let (near, walked) = state.withLock {
            state -> ((number: Int, position: RowPosition?), Int) in
            var near: (number: Int, position: RowPosition?) = (0, nil)
            let mark = min(wanted / Self.stride, state.marks.count)
            if mark > 0 { near = (mark * Self.stride, state.marks[mark - 1]) }
            // The position of a recently viewed row is a starting point for later rows.
            for known in state.recent
            where known.number + 1 <= wanted && known.number + 1 > near.number {
                near = (known.number + 1, known.position)
            }
            return (near, state.walked)
        }
        let distance = wanted - near.number
        if distance == 0 { return (wanted, near.position) }
        if distance <= 2 * Self.stride || wanted <= walked {
            let (count, last) = try walk.skip(db, from: near.position, limit: distance)
            if count == distance { return (wanted, last) }
            // The table has fewer rows than expected.
            let (_, end) = try walk.skip(db, from: near.position, limit: max(0, count))
            return (near.number + count, end ?? near.position)
        }
        if let guess = try walk.interpolated(db, wanted, of: end) { return (wanted, guess) }
        let (count, last) = try walk.skip(db, from: near.position, limit: distance)
        return count == distance ? (wanted, last) : (near.number + count, near.position)
    }

    // MARK: Other orders

    private func sorted(
        _ place: Place, _ count: Int, _ columns: [String], _ db: Database
    ) throws -> Window {
        let keys = try state.withLock { $0.sorted } ?? SortedKeys(walk, db)
        state.withLock { state in
            state.sorted = keys
            state.noteTotal(keys.count)
        }
        var found: Int?
        let wanted: Int
        switch place {
        case .number(let number): wanted = number
        case .row(let key, let offset, let fallback):
            found = keys.firstIndex(of: key)
            wanted = (found ?? fallback).movedBack(by: offset)
        }
        let start = max(0, min(wanted, keys.count - count))
        let rows = try walk.rows(
            db, columns: columns, keys: keys[start..<min(keys.count, start + count)])
        return Window(
            rows: rows, start: start, total: keys.count, isTotalExact: true, found: found)
    }
}

extension Int {
    /// Returns the number of an earlier row, or 0 on overflow: row numbers from the user or the
    /// file can be any integer.
    package func movedBack(by offset: Int) -> Int {
        let (number, overflow) = subtractingReportingOverflow(offset)
        return overflow ? 0 : number
    }
}
