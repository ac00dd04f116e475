import GRDB
import GRDBSQLite
import Replication

/// A statement that runs many times with different values, bypassing GRDB's arguments.
///
/// An import binds a million values. GRDB boxes each value, which takes longer than SQLite needs to
/// store it. Callers must notify GRDB's observers afterward with `Database.notifyChanges(in:)`.
struct RowWriter {
    /// Binds values to the parameters of a statement, in order.
    struct Values {
        fileprivate let stepper: Stepper
        fileprivate var index: CInt = 0
        fileprivate var code = SQLITE_OK

        mutating func add(_ text: String?) {
            index += 1
            guard let text else { return stepper.bind(index, nil) }
            let result = stepper.bind(index, copying: text)
            if code == SQLITE_OK { code = result }
        }

        mutating func add(_ number: Int?) {
            index += 1
            stepper.bind(index, number.map { Int64($0) })
        }

        mutating func add(_ number: Double) {
            index += 1
            stepper.bind(index, double: number)
        }
    }

    private let db: Database
    private let stepper: Stepper

    init(_ db: Database, _ sql: String) throws {
        self.db = db
        stepper = try Stepper(db, sql)
    }

    /// Runs the statement with the values that `bind` adds, one for each parameter.
    ///
    /// - Returns: The number of changed rows.
    @discardableResult
    func run(_ bind: (inout Values) -> Void) throws -> Int {
        var values = Values(stepper: stepper)
        bind(&values)
        guard values.code == SQLITE_OK else {
            throw DatabaseError(resultCode: ResultCode(rawValue: values.code))
        }
        try stepper.run()
        return db.changesCount
    }
}
