import GRDB
import GRDBSQLite
import Synchronization

/// Replacements for functions that a file's schema calls but that SQLite and this program don't
/// define. The replacements return `NULL`.
struct StandInFunctions {
    /// The maximum number of functions to replace.
    private static let limit = 128
    /// The number of bytes of a schema's SQL to search for functions.
    private static let byteLimit = 8 << 20

    private let functions: [SQLMentions.Function]

    var isEmpty: Bool { functions.isEmpty }

    /// Finds the missing functions that the schema of a database can call. Some of the names may be
    /// names of types or tables. Replacing these has no effect.
    ///
    /// - Throws: `DatabaseError` if the schema can't be read.
    /// - Complexity: O(*n*) in the bytes of the schema's SQL. If the same schema was read before,
    ///   the bytes are only hashed.
    init(_ db: Database) throws {
        var hasher = Hasher()
        try Self.forEachStatement(db) { sql in
            hasher.combine(sql.count)
            hasher.combine(bytes: sql)
        }
        let schema = hasher.finalize()
        if let known = Self.known.withLock({ $0[schema] }) {
            functions = known
            return
        }
        var mentions = SQLMentions()
        try Self.forEachStatement(db) { mentions.add(String(decoding: $0, as: UTF8.self)) }
        let found = Array(
            mentions.functions.lazy.filter { Self.isMissing($0.name) }.prefix(Self.limit))
        functions = found
        Self.known.withLock { known in
            if known.count >= Self.schemaLimit { known = [:] }
            known[schema] = found
        }
    }

    /// The missing functions of schemas, by the hash of the schema's SQL. They are cached, because
    /// every read needs them.
    private static let known = Mutex<[Int: [SQLMentions.Function]]>([:])
    /// The maximum number of schemas in ``known``.
    private static let schemaLimit = 64

    /// Calls `body` with the SQL of each part of the schema that can call functions.
    private static func forEachStatement(
        _ db: Database, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws {
        let stepper = try RowStepper(
            db,
            """
            SELECT sql FROM sqlite_master WHERE sql LIKE '%(%' AND sql NOT LIKE 'create virtual %'
                OR sql LIKE '%regexp%'
            """)
        var byteCount = 0
        while byteCount < byteLimit, try stepper.step() {
            guard let start = sqlite3_column_text(stepper.handle, 0) else { continue }
            let count = Int(sqlite3_column_bytes(stepper.handle, 0))
            byteCount += count
            body(UnsafeRawBufferPointer(start: start, count: count))
        }
    }

    /// Registers all replacements.
    func register(_ db: Database) { for function in functions { Self.register(function, db) } }

    /// Unregisters all replacements.
    func unregister(_ db: Database) {
        for function in functions { Self.unregister(function, db) }
    }

    /// Runs `body` without the replacements. If they were registered before, registers them again.
    func without<Value>(_ db: Database, _ body: () throws -> Value) rethrows -> Value {
        let wereRegistered = functions.first.map { Self.exists($0.name, db) } ?? false
        unregister(db)
        defer { wereRegistered ? register(db) : unregister(db) }
        return try body()
    }

    /// Returns the missing functions that SQLite needs to run statements. Call this in
    /// ``without(_:_:)``.
    func missing(neededBy statements: [String], _ db: Database) -> [String] {
        var missing: [SQLMentions.Function] = []
        defer { for function in missing { Self.unregister(function, db) } }
        for sql in statements {
            while let name = Self.missingFunction(sql, db),
                !missing.contains(where: { SQLName.areSame($0.name, name) }),
                let function = functions.first(where: { SQLName.areSame($0.name, name) })
            {
                missing.append(function)
                Self.register(function, db)
            }
        }
        return missing.map(\.name)
    }

    /// Returns the missing functions that the `CHECK` constraints of a table call. A read-only
    /// connection doesn't compile these constraints.
    func missing(inChecksOf sql: String) -> [String] {
        let checked = SQLMentions(sql).functions.filter(\.isInCheck).map(\.name)
        return checked.filter { name in functions.contains { SQLName.areSame($0.name, name) } }
    }

    /// Returns the missing function that SQLite reports for a statement.
    private static func missingFunction(_ sql: String, _ db: Database) -> String? {
        do {
            _ = try db.makeStatement(sql: sql)
            return nil
        } catch {
            let missing = (error as? DatabaseError)?.message.flatMap(MissingExtension.init)
            return missing?.kind == .function ? missing?.name : nil
        }
    }

    /// Whether SQLite lacks a function.
    static func isMissing(_ name: String) -> Bool {
        (try? plain?.read { !exists(name, $0) }) ?? false
    }

    /// A database without any replacements.
    private static let plain = try? DatabaseQueue()

    private static func exists(_ name: String, _ db: Database) -> Bool {
        missingFunction("SELECT \(SQLName.quoted(name))()", db) == nil
    }

    private static func register(_ function: SQLMentions.Function, _ db: Database) {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
        if isAggregate(function) {
            sqlite3_create_window_function(
                db.sqliteConnection, function.name, -1, flags, nil, { _, _, _ in },
                { sqlite3_result_null($0) }, { sqlite3_result_null($0) }, { _, _, _ in }, nil)
        } else {
            sqlite3_create_function_v2(
                db.sqliteConnection, function.name, -1, flags, nil,
                { context, _, _ in sqlite3_result_null(context) }, nil, nil, nil)
        }
    }

    /// Returns whether a function is an aggregate, which has one result for many rows. The form of
    /// a call in a view doesn't always show this. So a function in a view also counts as an
    /// aggregate if its name is that of a usual aggregate.
    private static func isAggregate(_ function: SQLMentions.Function) -> Bool {
        function.isAggregate
            || !function.isInTable && usualAggregates.contains(function.name.lowercased())
    }

    /// The aggregate functions of common extensions and bindings, in lower case.
    private static let usualAggregates: Set<String> = [
        "array_agg", "bit_and", "bit_or", "bit_xor", "bool_and", "bool_or", "corr", "covar_pop",
        "covar_samp", "first", "geomean", "group_bit_and", "group_bit_or", "last",
        "lower_quartile", "median", "mode", "percentile", "percentile_25", "percentile_75",
        "percentile_90", "percentile_95", "percentile_99", "percentile_cont", "percentile_disc",
        "product", "st_collect", "st_extent", "st_union", "stddev", "stddev_pop", "stddev_samp",
        "stdev", "string_agg", "upper_quartile", "var_pop", "var_samp", "variance",
    ]

    private static func unregister(_ function: SQLMentions.Function, _ db: Database) {
        sqlite3_create_function_v2(
            db.sqliteConnection, function.name, -1, SQLITE_UTF8, nil, nil, nil, nil, nil)
    }
}
