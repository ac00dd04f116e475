import Dispatch
import Replication
import Synchronization
import Tables

/// How many rows the tables of a database have.
///
/// They are counted in the background, and again after the file has changed: those that somebody
/// looks at, once for each look. A large table takes a while, and is then left alone for longer than
/// that took; its old count stands meanwhile.
final class TableCounts: Sendable {
    private struct Count {
        /// `nil` where the table cannot be counted.
        var rows: Int?
        /// The state of the file that was known before; `nil` where it could not be read.
        var stamp: FileStamp?
        /// When it may be counted again.
        var due: ContinuousClock.Instant
        var cost: Duration
    }

    private struct State {
        var counts: [String: Count] = [:]
        /// The tables that are looked at, until each is counted.
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
    /// How many times as long as it took to count it a table is left alone.
    private static let rest = 4

    /// The rows of a table, as they were counted last.
    subscript(table: String) -> Int? { state.withLock { $0.counts[table]?.rows } }

    /// Counts tables that somebody looks at, where the file is another than when they were counted.
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
        var (told, isTold) = (ContinuousClock.now, true)
        func tell() {
            (told, isTold) = (.now, true)
            database.emit(.loaded, "counted the rows")
        }
        while !database.isClosed {
            switch nextStep(at: database.stamp) {
            case .count(let table):
                if count(table, of: database) { isTold = false }
                if !isTold, .now - told > .milliseconds(200) { tell() }
            case .wait(let pause):
                if !isTold { tell() }
                let time = DispatchTime.now() + pause / .seconds(1)
                return TableDatabase.background.asyncAfter(deadline: time) {
                    [self, weak database] in database.map(count(in:))
                }
            case .end:
                if !isTold { tell() }
                return
            }
        }
    }

    /// What is to be done next: of the tables that are wanted, the one that costs least comes first.
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

    /// - Returns: Whether there are more or fewer than before.
    private func count(_ table: NamedTable, of database: TableDatabase) -> Bool {
        let (stamp, begin) = (database.stamp, ContinuousClock.now)
        var (found, isKnown): (Int?, Bool) = (nil, true)
        do {
            found = try database.file.read(
                isCancelled: { [weak database] in database?.isClosed ?? true }
            ) { try table.schema.count($0, where: table.condition) }.0
        } catch {
            // What SQLite says of the table stays so; that the file cannot be read just now does not.
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
