import Foundation
import TestSupport

/// A database for tests.
struct SampleDatabase {
    let folder: TemporaryFolder
    let path: String

    init(_ sql: String, name: String = "sample.db") throws {
        folder = try TemporaryFolder()
        path = folder.appending(name)
        try Self.run(path, sql)
    }

    /// Runs SQL on a file and closes it.
    static func run(_ path: String, _ sql: String) throws {
        try runSQL(sql, at: path, isTransaction: false)
    }

    func run(_ sql: String) throws { try Self.run(path, sql) }

    /// One of each object that a schema can contain.
    static let everything = """
        CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, born DATETIME);
        CREATE TABLE book (
            id INTEGER PRIMARY KEY, title TEXT NOT NULL DEFAULT 'none',
            author INTEGER REFERENCES author (id) ON DELETE CASCADE, price REAL,
            double_price REAL GENERATED ALWAYS AS (price * 2) VIRTUAL, cover BLOB);
        CREATE INDEX book_author ON book (author);
        CREATE INDEX book_price ON book (price DESC);
        CREATE TABLE stock (shelf TEXT, place INTEGER, n INTEGER, PRIMARY KEY (shelf, place DESC))
            WITHOUT ROWID;
        CREATE VIEW cheap AS SELECT title, price FROM book WHERE price < 10;
        CREATE VIEW broken AS SELECT gone FROM nowhere;
        CREATE TRIGGER book_ai AFTER INSERT ON book BEGIN UPDATE author SET born = born; END;
        CREATE VIRTUAL TABLE words USING fts5(text);
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        CREATE TABLE "odd ""name" (rowid TEXT, "a b" ANY, "select" INT);
        INSERT INTO author VALUES (1, 'Ann', '2020-01-02 03:04:05'), (2, 'Ben', NULL);
        INSERT INTO book (id, title, author, price, cover)
            VALUES (1, 'One', 1, 5.5, x'00'), (2, 'Two', 2, NULL, NULL), (3, 'Three', 1, 20, NULL);
        INSERT INTO stock VALUES ('a', 1, 10), ('a', 2, 20), ('b', 1, NULL);
        INSERT INTO words VALUES ('hello there');
        INSERT INTO "odd ""name" VALUES ('x', 1, 2);
        """
}
