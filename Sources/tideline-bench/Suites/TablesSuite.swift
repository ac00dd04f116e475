import BenchSupport
import Tables
import TestSupport

/// The browser on a database of ten million rows: the times that users wait.
struct TablesSuite: Suite {
    static let name = "tables"
    static let abstract =
        "The browser on 10,000,000 rows of a table: first paint, last row, sorting, keys."

    private static let count = 10_000_000

    func run(_ options: SuiteOptions, into report: inout Report) async throws {
        let program = try ScreenSuite.program(options)
        let folder = try TemporaryFolder()
        let path = folder.appending("large.db")
        try Self.fill(path)
        var paints: [Duration] = []
        for _ in 0..<max(5, options.runs) {
            let start = ContinuousClock.now
            let terminal = try ScreenSuite.open(program, [path], state: folder.appending("state"))
            try terminal.wait(forText: "visit")
            paints.append(.now - start)
            try terminal.quit()
        }
        report.add("first paint of the tables", Stopwatch.median(of: paints), limit: 150)

        let terminal = try ScreenSuite.open(program, [path], state: folder.appending("state"))
        try terminal.wait(forText: "visit")
        var start = ContinuousClock.now
        terminal.type("\r")
        try terminal.wait(forText: "page 3 ")
        report.add("first rows of 10,000,000", .now - start, limit: 150)
        start = .now
        terminal.type("G")
        try terminal.wait(forText: "page \(Self.count)")
        report.add("the end of 10,000,000 rows", .now - start, limit: 150)
        // Counting continues in the background while keys are pressed.
        let times = try ScreenSuite.keyTimes(
            terminal, presses: 500, atLeast: 100,
            of: ["j", "j", "k", "k", "\u{1B}[6~", "\u{1B}[5~", "\u{1B}[5~", "G", "gg"])
        report.add("key press to frame, rows, median", times[times.count / 2])
        report.add(
            "key press to frame, rows, 99th percentile", times[times.count * 99 / 100], limit: 16)
        try terminal.quit()
        try await measureWindows(path, &report)
        try measureProfile(path, &report)
        try measureImport(options, &report)
    }

    /// Measures, without a screen, how long it takes to read parts of a sorted table by row number.
    private func measureWindows(_ path: String, _ report: inout Report) async throws {
        let pager = try Self.pager(path, sort: "time")
        var start = ContinuousClock.now
        _ = try pager.window(.number(0), count: 60, columns: ["time", "title"])
        report.add("an indexed order, first window", .now - start, limit: 150)
        start = .now
        _ = try pager.window(.number(.max), count: 60, columns: ["time", "title"])
        report.add("an indexed order, last window", .now - start, limit: 150)
        start = .now
        while try pager.advance(by: 1 << 20) {}
        report.add("counting and marking all rows", .now - start)
        start = .now
        _ = try pager.window(.number(Self.count / 2), count: 60, columns: ["time", "title"])
        report.add("the middle, after counting", .now - start, limit: 16)
    }

    private static func pager(_ path: String, sort: String) throws -> RowPager {
        let file = TableFile(path)
        guard let table = try file.read({ try DatabaseTables($0) }).0.table("visit") else {
            throw BenchError("the table is missing")
        }
        return try RowPager(file, table, table.selection(sort: .init(sort)))
    }

    private static func fill(_ path: String) throws {
        try runSQL(
            """
            PRAGMA synchronous = OFF;
            CREATE TABLE visit (id INTEGER PRIMARY KEY, time INTEGER, title TEXT);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT \(count))
                INSERT INTO visit SELECT i, (i * 2654435761) % 4294967296, 'page ' || i FROM n;
            CREATE INDEX visit_time ON visit (time);
            """, at: path, isTransaction: false)
    }
}
