import Foundation
import GRDB
import TestSupport
import Testing

/// The rows of a database's tables in a terminal.
@Suite struct BrowserTablesTests {
    private let stage: BrowserStage

    init() throws { stage = try BrowserStage() }

    @Test func frequentValuesFilterTheRows() throws {
        let path = stage.folder.appending("shop.db")
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE orders (id INTEGER PRIMARY KEY, state TEXT, total REAL);
                    WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 40)
                    INSERT INTO orders SELECT i, iif(i % 4, 'sent by post', NULL), i / 8.0 FROM n;
                    """)
        }
        try queue.close()
        try stage.start(path: path, columns: 100)
        try stage.sees("LIVE", "orders")
        try stage.press("\r", sees: "STATE", "TOTAL")
        try stage.press(":frequency state\r", sees: "state by frequency", "75.0%", "25.0%", "30")
        try stage.press("\r", sees: "state=\"sent by post\"", " 1/30")
        try stage.press(":frequency state\r", sees: "100.0%", not: "25.0%")
        try stage.quit()
    }

    @Test func refusedWriteReportsOnceThatNothingWasWritten() throws {
        let path = stage.folder.appending("books.db")
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
                    CREATE TABLE book (
                        id INTEGER PRIMARY KEY, author_id INTEGER REFERENCES author, title TEXT);
                    INSERT INTO author VALUES (1, 'Ada');
                    INSERT INTO book VALUES (1, 1, 'Notes');
                    """)
        }
        try queue.close()
        try stage.start("-w", path: path)
        try stage.sees("LIVE", "book")
        try stage.press("j\r", sees: "AUTHOR_ID", "Notes")
        try stage.press("l", sees: "Inspector: book 1")
        try stage.press("jji", sees: "Enter: preview")
        try stage.press("\u{15}9999\r", sees: "may reject this")
        try stage.press(
            "y", sees: "nothing was written: author_id refers to a row of author",
            not: "may reject this")
        try stage.press("\u{1b}", sees: "nothing was written", "Enter: preview")
        try stage.press("\u{1b}", not: "Enter: preview")
        try stage.quit()
    }

    @Test func deletedFileIsMissingUntilItIsBack() throws {
        let (path, kept) = (stage.folder.appending("any.db"), stage.folder.appending("kept.db"))
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (name TEXT); INSERT INTO t VALUES ('milk')")
        }
        try queue.close()
        try stage.start(path: path, columns: 100)
        try stage.sees("LIVE", "t")
        try stage.press("\r", sees: "NAME", "milk")
        try FileManager.default.moveItem(atPath: path, toPath: kept)
        try stage.sees("MISSING", "milk", not: "LIVE")
        try stage.press("R", sees: "reload incomplete: no such file or folder")
        try FileManager.default.moveItem(atPath: kept, toPath: path)
        try stage.sees("LIVE", "milk", not: "MISSING")
        // Opening a table doesn't add an event.
        try stage.press("E", sees: "the file is missing", "the file is back", not: " loaded")
        try stage.quit()
    }

    @Test func damagedFileIsReported() throws {
        let path = stage.folder.appending("any.db")
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: "CREATE TABLE t (name TEXT)") }
        try queue.close()
        try stage.start(path: path, columns: 100)
        try stage.sees("LIVE", "t")
        try Data("not a database any more".utf8).write(to: URL(filePath: path))
        try stage.sees("!1")
        try stage.press("R", sees: "reload incomplete: ")
        try stage.press("E", sees: "not read: ")
        try stage.quit()
    }
}
