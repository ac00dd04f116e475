import GRDB
import GRDBSQLite

/// The SQL aggregates `BIT_OR(x)` and `BIT_AND(x)`: the bits set in at least one, or in all, of the
/// integers. NULL and other types are ignored. If there are no integers, the result is NULL.
///
/// Implemented as C functions. GRDB's `DatabaseAggregate` boxes every value, which took longer than
/// the rest of a query over groups.
enum BitAggregates {
    /// Registers the aggregates on a connection.
    static func add(to db: Database) throws {
        try add("BIT_OR", to: db) { context, _, values in
            BitAggregates.step(context, values) { $0 | $1 }
        }
        try add("BIT_AND", to: db) { context, _, values in
            BitAggregates.step(context, values) { $0 & $1 }
        }
    }

    /// SQLite's state of an aggregate between rows, zeroed before the first row.
    private struct State {
        var bits: Int64
        var hasBits: Bool
    }

    private typealias Step =
        @convention(c) (
            OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
        ) -> Void

    private static func add(_ name: String, to db: Database, step: Step) throws {
        let code = sqlite3_create_function_v2(
            db.sqliteConnection, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, nil, step,
            { BitAggregates.finish($0) }, nil)
        guard code == SQLITE_OK else {
            throw DatabaseError(resultCode: ResultCode(rawValue: code))
        }
    }

    @inline(__always)
    private static func step(
        _ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>?,
        _ combine: (Int64, Int64) -> Int64
    ) {
        guard let value = values?[0], sqlite3_value_type(value) == SQLITE_INTEGER,
            let memory = sqlite3_aggregate_context(context, Int32(MemoryLayout<State>.size))
        else { return }
        let state = memory.assumingMemoryBound(to: State.self)
        let bits = sqlite3_value_int64(value)
        state.pointee.bits = state.pointee.hasBits ? combine(state.pointee.bits, bits) : bits
        state.pointee.hasBits = true
    }

    private static func finish(_ context: OpaquePointer?) {
        // With a size of 0, SQLite doesn't allocate the state. If there were no rows, it doesn't
        // exist.
        let state = sqlite3_aggregate_context(context, 0)?.assumingMemoryBound(to: State.self)
        if let state, state.pointee.hasBits {
            sqlite3_result_int64(context, state.pointee.bits)
        } else {
            sqlite3_result_null(context)
        }
    }
}
