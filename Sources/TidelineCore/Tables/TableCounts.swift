import Dispatch
import Replication
import Synchronization
import Tables

/// The row counts of a database's tables.
///
/// Visible tables are counted in the background, and again after the file has changed. After a
/// large table is counted, the next count waits for a multiple of the time that the last count
/// took. Until then, the old count is shown.
final class TableCounts: Sendable {
    private struct Count {
        /// The row count; `nil` if the table can't be counted.
        var rows: Int?
        /// The state of the file before counting; `nil` if it couldn't be read.
        var stamp: FileStamp?
        /// The earliest time for the next count.
        var due: ContinuousClock.Instant
        var cost: Duration
    }

    private struct State {
        var counts: [String: Count] = [:]
        /// The visible tables that aren't counted yet.
        var wanted: [NamedTable] = []
        var isCounting = false

        func isKnown(_ table: NamedTable, at stamp: FileStamp?) -> Bool {
            counts[table.name].map { $0.stamp == stamp } ?? false
        }
    }

    private enum Step {
        case count(NamedTable)
        case wait(Duration)
        case end
    }

    private let state = Mutex(State())
    /// The pause after a count, as a multiple of the count's duration.
    private static let rest = 4

    /// The last known row count of a table.
    subscript(table: String) -> Int? { state.withLock { $0.counts[table]?.rows } }

    /// Counts visible tables whose file has changed since their last count.
    func look(at tables: [NamedTable], of database: TableDatabase) {
        let stamp = database.stamp
        let begins = state.withLock { state in
            state.wanted = tables.filter { table in
                table.schema.problem == nil && !state.isKnown(table, at: stamp)
            }
            defer { state.isCounting = state.isCounting || !state.wanted.isEmpty }
            return !state.isCounting && !state.wanted.isEmpty
        }
        guard begins else { return }
        TableDatabase.background.async { [self, weak database] in database.map(count(in:)) }
    }

    private func count(in database: TableDatabase) {
        var (reported, isReported) = (ContinuousClock.now, true)
        func report() {
            (reported, isReported) = (.now, true)
            database.emit(.loaded, "rows counted")
        }
        while !database.isClosed {
            switch nextStep(at: database.stamp) {
            case .count(let table):
                if count(table, of: database) { isReported = false }
                if !isReported, .now - reported > .milliseconds(200) { report() }
            case .wait(let pause):
                if !isReported { report() }
                let time = DispatchTime.now() + pause / .seconds(1)
                return TableDatabase.background.asyncAfter(deadline: time) {
                    [self, weak database] in database.map(count(in:))
                }
            case .end:
                if !isReported { report() }
                return
            }
        }
    }

    /// Returns the next step. Of the requested tables, the one that is cheapest to count is first.
    private func nextStep(at stamp: FileStamp?) -> Step {
        state.withLock { state in
            state.wanted = state.wanted.filter { !state.isKnown($0, at: stamp) }
            let now = ContinuousClock.now
            let known = state.wanted.map { state.counts[$0.name] }
            let due = known.indices.filter { known[$0].map { $0.due <= now } ?? true }
            let next = due.min { (known[$0]?.cost ?? .zero) < (known[$1]?.cost ?? .zero) }
            if let next { return .count(state.wanted.remove(at: next)) }
            if let first = known.compactMap({ $0?.due }).min() {
                return .wait(max(.zero, first - now))
            }
            state.isCounting = false
            return .end
        }
    }

    /// Counts a table.
    ///
    /// - Returns: Whether the count has changed.
    private func count(_ table: NamedTable, of database: TableDatabase) -> Bool {
        let (stamp, begin) = (database.stamp, ContinuousClock.now)
        var (found, isKnown): (Int?, Bool) = (nil, true)
        do {
            found = try database.file.read(
                isCancelled: { [weak database] in database?.isClosed ?? true }
            ) { try table.schema.count($0, where: table.condition) }.0
        } catch {
            // An SQLite error about the table is final. A file that can't be read may be readable
            // later.
            isKnown = (error as? TablesError).map { $0.code != .busy } ?? false
        }
        let end = ContinuousClock.now
        return state.withLock { state in
            let before = state.counts[table.name]?.rows
            state.counts[table.name] = Count(
                rows: found ?? before, stamp: isKnown ? stamp : nil,
                due: end + (end - begin) * Self.rest, cost: end - begin)
            return found != nil && found != before
        }
    }
}
