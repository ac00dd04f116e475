import Foundation
import GRDB
import Tables
import TestSupport
import Testing

/// Writing rows of another program's database.
@Suite struct TableWriterTests {
    private let sample: SampleDatabase
    private let file: TableFile

    init() throws {
        sample = try SampleDatabase(SampleDatabase.everything)
        file = TableFile(sample.path)
    }

    private func dump() throws -> [[TableValue]] {
        var rows: [[TableValue]] = []
        for table in ["author", "book", "stock", "words"] {
            _ = try file.read { db in
                try ReadOnlyQuery(
                    "SELECT rowid, * FROM \(table)".replacingOccurrences(
                        of: table == "stock" ? "rowid, " : "~", with: "")
                ).run(db) {
                    rows.append($0); return true
                }
            }
        }
        return rows
    }

    @Test func returnedChangesUndoEveryChange() throws {
        let before = try dump()
        let changes: [TableChange] = [
            .update(
                "author", RowKey(rowID: 1), [.init("name", .text("Zoë")), .init("born", .null)]),
            .insert("author", [.init("name", .text("New"))]),
            .delete("stock", RowKey([.text("a"), .integer(2)])),
            .update("stock", RowKey([.text("a"), .integer(1)]), [.init("place", .integer(9))]),
            .delete("book", RowKey(rowID: 3)),
            .update("book", RowKey(rowID: 2), [.init("id", .integer(77))]),
            .insert("odd \"name", [.init("a b", .blob(Data([1, 2])))]),
        ]
        let outcome = try TableWriter(file).apply(changes)
        #expect(try dump() != before)
        #expect(outcome.keys[3] == RowKey([.text("a"), .integer(9)]))
        _ = try TableWriter(file).apply(outcome.undo)
        #expect(try dump() == before)
    }

    @Test func deletedRowWithLongValueIsRestored() throws {
        let length = RowWalk.defaultLimit + 1
        let sample = try SampleDatabase(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, b);
            INSERT INTO t VALUES (1, zeroblob(\(length))), (2, zeroblob(\((16 << 20) + 1)));
            """)
        let file = TableFile(sample.path)
        func lengths() throws -> [Int] {
            try file.read { try Int.fetchAll($0, sql: "SELECT length(b) FROM t ORDER BY id") }.0
        }
        let before = try lengths()
        let outcome = try TableWriter(file).apply([.delete("t", RowKey(rowID: 1))])
        #expect(try lengths() == Array(before.dropFirst()))
        // The change journal stores changes as JSON.
        let undo = try JSONDecoder().decode(
            [TableChange].self, from: try JSONEncoder().encode(outcome.undo))
        _ = try TableWriter(file).apply(undo)
        #expect(try lengths() == before)
        let error = #expect(throws: TablesError.self) {
            _ = try TableWriter(file).apply([.delete("t", RowKey(rowID: 2))])
        }
        #expect(error?.code == .readOnly)
        #expect(try lengths() == before)
    }

    @Test func undoRestoresValuesOfUndeclaredTypes() throws {
        try sample.run("UPDATE book SET price = x'00' WHERE id = 1")
        let before = try dump()
        let changes: [TableChange] = [
            .update("book", RowKey(rowID: 1), [.init("price", .integer(5))]),
            .delete("book", RowKey(rowID: 1)),
        ]
        let outcome = try TableWriter(file).apply(changes)
        // The change journal stores changes as JSON.
        let undo = try JSONDecoder().decode(
            [TableChange].self, from: JSONEncoder().encode(outcome.undo))
        let undone = try TableWriter(file).apply(undo)
        #expect(try dump() == before)
        _ = try TableWriter(file).apply(undone.undo)
        _ = try TableWriter(file).apply(outcome.undo)
        #expect(try dump() == before)
    }

    @Test(arguments: [TableValue.real(77), .text("77"), .text("77.0"), .text(" 7.7e1\n")])
    func keyInAnotherFormIsTheKeyOfTheRow(_ value: TableValue) throws {
        let before = try dump()
        var change = TableChange.update("book", RowKey(rowID: 2), [.init("id", value)])
        change.acceptsAnyType = true
        let outcome = try TableWriter(file).apply([change])
        #expect(outcome.keys == [RowKey(rowID: 77)])
        _ = try TableWriter(file).apply(outcome.undo)
        #expect(try dump() == before)
    }

    @Test func rowidIsAnIntegerEvenIfTheFirstColumnIsReal() throws {
        let rowID: Int64 = (1 << 53) + 1
        let sample = try SampleDatabase(
            """
            CREATE TABLE t (a REAL, b);
            INSERT INTO t (rowid, b) VALUES (\(rowID - 1), 1);
            """)
        let writer = try TableWriter(TableFile(sample.path))
        let inserted = try writer.apply([.insert("t", [.init("b", .integer(2))])])
        #expect(inserted.keys == [RowKey(rowID: rowID)])
        let updated = try writer.apply([
            .update("t", RowKey(rowID: rowID), [.init("b", .integer(3))])
        ])
        #expect(updated.keys == [RowKey(rowID: rowID)])
    }

    @Test func keyComputedByTheDatabaseIsTheKeyOfTheRow() throws {
        let sample = try SampleDatabase(
            "CREATE TABLE t (k TEXT DEFAULT 'computed' PRIMARY KEY, v) WITHOUT ROWID")
        let file = TableFile(sample.path)
        let insertion = try TableWriter(file).apply([.insert("t", [.init("v", .integer(1))])])
        #expect(insertion.keys == [RowKey([.text("computed")])])
        let update = try TableWriter(file).apply([
            .update("t", insertion.keys[0], [.init("k", .integer(5))])
        ])
        #expect(update.keys == [RowKey([.text("5")])])
        _ = try TableWriter(file).apply(update.undo + insertion.undo)
        #expect(try file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }.0 == 0)
    }

    @Test func changeOfAnEarlierVersionIsDecoded() throws {
        let change = TableChange.delete("book", RowKey(rowID: 1))
        var members = try #require(
            JSONSerialization.jsonObject(with: JSONEncoder().encode(change)) as? [String: Any])
        members["acceptsAnyType"] = nil
        members["countsSaves"] = nil
        let data = try JSONSerialization.data(withJSONObject: members)
        #expect(try JSONDecoder().decode(TableChange.self, from: data) == change)
    }

    @Test func rowChangedInTheMeantimeIsNotOverwritten() throws {
        let change = TableChange.update(
            "author", RowKey(rowID: 1), [.init("name", .text("mine"))],
            expecting: [.init("name", .text("Ann"))])
        try sample.run("UPDATE author SET name = 'theirs' WHERE id = 1")
        #expect { try TableWriter(file).apply([change]) } throws: {
            ($0 as? TablesError)?.code == .moved
        }
        #expect(try dump().contains { $0.contains(.text("theirs")) })
    }

    @Test func allChangesAreMadeOrNone() throws {
        let before = try dump()
        #expect(throws: TablesError.self) {
            try TableWriter(file).apply([
                .update("author", RowKey(rowID: 1), [.init("name", .text("x"))]),
                .update("author", RowKey(rowID: 99), [.init("name", .text("x"))]),
            ])
        }
        #expect(try dump() == before)
    }

    @Test(arguments: ["delete", "truncate", "persist", "wal"])
    func writingKeepsTheJournalModeAndAddsOnlyRows(_ mode: String) throws {
        let queue = try DatabaseQueue(path: sample.path)
        try queue.writeWithoutTransaction { db in
            try #require(try String.fetchOne(db, sql: "PRAGMA journal_mode = \(mode)") == mode)
        }
        try queue.close()
        let schema = try file.read { try DatabaseSchema($0) }.0
        _ = try TableWriter(file).apply([.insert("author", [.init("name", .text("x"))])])
        #expect(try file.read { try DatabaseSchema($0) }.0 == schema)
        let isLog = try Data(contentsOf: URL(filePath: sample.path))[18] == 2
        #expect(isLog == (mode == "wal"))
        #expect(!FileManager.default.fileExists(atPath: sample.path + "-wal"))
    }

    @Test func newValueNeedsTheTypeOfTheColumnOrOfTheOldValue() throws {
        let writer = try TableWriter(file)
        let wrong: [TableChange] = [
            .update("book", RowKey(rowID: 1), [.init("author", .text("Ann"))]),
            .update("book", RowKey(rowID: 1), [.init("title", .null)]),
            .update("book", RowKey(rowID: 1), [.init("price", .blob(Data()))]),
            .update("book", RowKey(rowID: 1), [.init("double_price", .integer(1))]),
            .update("cheap", RowKey(rowID: 1), [.init("title", .text("x"))]),
            .update("words", RowKey(rowID: 1), [.init("text", .text("x"))]),
            .update("sqlite_master", RowKey(rowID: 1), [.init("name", .text("x"))]),
            .update("words_data", RowKey(rowID: 1), [.init("block", .text("x"))]),
        ]
        for change in wrong {
            #expect(throws: TablesError.self, "\(change)") { try writer.apply([change]) }
        }
        _ = try writer.apply([.update("book", RowKey(rowID: 1), [.init("price", .text("7.25"))])])
        #expect(try dump().contains { $0.contains(.real(7.25)) })
    }

    @Test func constraintsOfTheDatabaseApply() throws {
        #expect {
            try TableWriter(file).apply([.insert("book", [.init("author", .integer(99))])])
        } throws: { ($0 as? TablesError)?.code == .refused }
        // The cascade deletes the author's books, and they are counted.
        let outcome = try TableWriter(file).apply([.delete("author", RowKey(rowID: 1))])
        #expect(outcome.furtherChanges == 2)
    }

    private func refusal(_ change: TableChange) -> String? {
        let error = #expect(throws: TablesError.self) { try TableWriter(file).apply([change]) }
        return error?.message
    }

    @Test func failedConstraintIsDescribedInWords() throws {
        try sample.run(
            """
            CREATE TABLE loan (
                id INTEGER PRIMARY KEY, book INTEGER NOT NULL REFERENCES book (id),
                card TEXT UNIQUE, days INT CHECK (days < 30));
            INSERT INTO loan VALUES (1, 3, 'x', 2), (2, 3, 'y', 2);
            """)
        #expect(
            refusal(.delete("book", RowKey(rowID: 3)))
                == "2 rows of loan refer to it by book")
        // The blocking reference is to the book that the cascade would delete.
        #expect(
            refusal(.delete("author", RowKey(rowID: 1)))
                == "a foreign key of the database forbids it")
        #expect(
            refusal(.insert("loan", [.init("book", .integer(99))]))
                == "book refers to a row of book that doesn't exist: id 99")
        #expect(
            refusal(.update("loan", RowKey(rowID: 1), [.init("book", .integer(99))]))
                == "book refers to a row of book that doesn't exist: id 99")
        #expect(
            refusal(.update("book", RowKey(rowID: 3), [.init("id", .integer(50))]))
                == "2 rows of loan refer to it by book")
        #expect(refusal(.insert("loan", [])) == "book of loan needs a value")
        #expect(
            refusal(.insert("loan", [.init("book", .integer(3)), .init("card", .text("x"))]))
                == "another row of loan already has this value: card")
        #expect(
            refusal(.update("loan", RowKey(rowID: 1), [.init("days", .integer(40))]))
                == "a CHECK constraint of the table failed: days < 30")
    }

    @Test func invalidTriggerOrForeignKeyRefusesTheWrite() throws {
        try sample.run(
            """
            CREATE TABLE pair (a, b, PRIMARY KEY (a, b));
            CREATE TABLE part (pair REFERENCES pair (b));
            CREATE TABLE lot (id INTEGER PRIMARY KEY);
            INSERT INTO lot VALUES (1);
            CREATE TRIGGER gone BEFORE DELETE ON lot BEGIN DELETE FROM nowhere; END;
            """)
        for change in [
            TableChange.delete("lot", RowKey(rowID: 1)), .insert("part", [.init("pair", .null)]),
        ] {
            #expect { try TableWriter(file).apply([change]) } throws: { error in
                guard let error = error as? TablesError else { return false }
                return error.code == .refused && error.message.contains(" is invalid: ")
            }
        }
    }

    @Test func writeThatWouldReplaceAnotherRowIsRefused() throws {
        let sample = try SampleDatabase(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY ON CONFLICT REPLACE,
                a UNIQUE ON CONFLICT REPLACE, b NOT NULL ON CONFLICT REPLACE DEFAULT 7);
            INSERT INTO t VALUES (1, 'x', 1), (2, 'y', 2);
            CREATE TABLE seen (a PRIMARY KEY, n) WITHOUT ROWID;
            INSERT INTO seen VALUES ('new', 1);
            CREATE TRIGGER i AFTER INSERT ON t BEGIN
                INSERT OR REPLACE INTO seen VALUES (new.a, 2); END;
            """)
        let file = TableFile(sample.path)
        let before = try count(file)
        let refused: [TableChange] = [
            .insert("t", [.init("a", .text("x"))]),
            .update("t", RowKey(rowID: 1), [.init("a", .text("y"))]),
            .update("t", RowKey(rowID: 1), [.init("id", .integer(2))]),
        ]
        for change in refused {
            #expect { try TableWriter(file).apply([change]) } throws: {
                ($0 as? TablesError)?.code == .refused
            }
        }
        #expect(try count(file) == before)
        // The conflict clauses of triggers and of NOT NULL still apply.
        _ = try TableWriter(file).apply([
            .insert("t", [.init("a", .text("new")), .init("b", .integer(3))])
        ])
        #expect(try count(file) == [3, 1])
    }

    @Test func replacingConstraintIsNamedOnlyIfItWouldDeleteARow() throws {
        try sample.run(
            """
            CREATE TABLE mixed (
                a UNIQUE, b UNIQUE ON CONFLICT REPLACE, c UNIQUE ON CONFLICT IGNORE);
            INSERT INTO mixed VALUES (1, 1, 1);
            """)
        #expect(
            refusal(.insert("mixed", [.init("a", .integer(1))]))
                == "another row of mixed already has this value: a")
        #expect(
            refusal(.insert("mixed", [.init("b", .integer(1))]))
                == "another row of mixed already has this value: b "
                + "(ON CONFLICT REPLACE would delete that row)")
        #expect(
            refusal(.insert("mixed", [.init("c", .integer(1))]))
                == "a constraint of mixed ignored the change (ON CONFLICT IGNORE)")
        _ = try TableWriter(file).apply([.insert("mixed", [.init("b", .integer(2))])])
    }

    private func count(_ file: TableFile) throws -> [Int?] {
        try file.read { db in
            [
                try Int.fetchOne(db, sql: "SELECT count(*) FROM t"),
                try Int.fetchOne(db, sql: "SELECT count(*) FROM seen"),
            ]
        }.0
    }

    @Test func undoRestoresTheRowIDNextToADescendingKey() throws {
        // `DESC` makes the key a column of its own.
        let sample = try SampleDatabase(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY DESC, a);
            INSERT INTO t VALUES (5, 'x'), (3, 'y');
            """)
        let file = TableFile(sample.path)
        let before = try rows(file, "SELECT rowid FROM t ORDER BY rowid")
        let outcome = try TableWriter(file).apply([.delete("t", RowKey(rowID: 1))])
        _ = try TableWriter(file).apply(outcome.undo)
        #expect(try rows(file, "SELECT rowid FROM t ORDER BY rowid") == before)
    }

    @Test func undoOfAnInsertKeepsARowThatChangedSince() throws {
        for cells: [TableChange.Cell] in [[], [.init("a", .integer(1))]] {
            let sample = try SampleDatabase("CREATE TABLE t (a, b)")
            let file = TableFile(sample.path)
            let undo = try TableWriter(file).apply([.insert("t", cells)]).undo
            try sample.run("UPDATE t SET b = 'theirs'")
            #expect { try TableWriter(file).apply(undo) } throws: {
                ($0 as? TablesError)?.code == .moved
            }
            try sample.run("UPDATE t SET b = NULL")
            _ = try TableWriter(file).apply(undo)
        }
    }

    @Test func undoDoesNotChangeARowThatVacuumGaveTheRowid() throws {
        let sample = try SampleDatabase(
            "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 0), (2, 0), (3, 0), (4, 1)")
        let file = TableFile(sample.path)
        let undo = try TableWriter(file).apply([
            .update("t", RowKey(rowID: 3), [.init("b", .integer(1))])
        ]).undo
        try sample.run("DELETE FROM t WHERE a = 1")
        try sample.run("VACUUM")
        #expect { try TableWriter(file).apply(undo) } throws: {
            ($0 as? TablesError)?.code == .moved
        }
    }

    @Test func editOfADeletedRowThrowsMovedIfTheRowWasSeen() throws {
        try sample.run("DELETE FROM book WHERE id = 3")
        let key = RowKey(rowID: 3)
        let seen: [TableChange] = [
            .update(
                "book", key, [.init("title", .text("mine"))],
                expecting: [.init("title", .text("Three"))]),
            .delete("book", key, expecting: [.init("title", .text("Three"))]),
        ]
        for change in seen {
            #expect { try TableWriter(file).apply([change]) } throws: {
                ($0 as? TablesError)?.code == .moved
            }
        }
        #expect { try TableWriter(file).apply([.delete("book", key)]) } throws: {
            ($0 as? TablesError)?.code == .notFound
        }
    }

    private func rows(_ file: TableFile, _ sql: String) throws -> [String] {
        try file.read { try String.fetchAll($0, sql: sql) }.0
    }

    @Test(arguments: ["TEXT UNIQUE", "TEXT NOT NULL UNIQUE", "UNIQUE ON CONFLICT REPLACE"])
    func rowsSwapAndShiftUniqueValues(_ type: String) throws {
        let sample = try SampleDatabase(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, a \(type), b TEXT);
            INSERT INTO t VALUES (1, 'x', 'p'), (2, 'y', 'q'), (3, 'z', 'r'), (4, 'u', 's');
            """)
        let file = TableFile(sample.path)
        let all = "SELECT id || a || b FROM t ORDER BY id"
        func update(_ id: Int64, _ old: String, _ new: String) -> TableChange {
            .update(
                "t", RowKey(rowID: id), [.init("a", .text(new)), .init("b", .text("new"))],
                expecting: [.init("a", .text(old))])
        }
        // Rows 1 and 2 swap values, row 3 gets the value of row 4, and row 5 that of row 3.
        let outcome = try TableWriter(file).apply([
            update(1, "x", "y"), update(2, "y", "x"), update(3, "z", "u"),
            .insert(
                "t",
                [.init("id", .integer(5)), .init("a", .text("z")), .init("b", .text("t"))]),
            .delete("t", RowKey(rowID: 4)),
        ])
        #expect(try rows(file, all) == ["1ynew", "2xnew", "3unew", "5zt"])
        #expect(outcome.keys.count == 5 && outcome.keys[3] == RowKey(rowID: 5))
        #expect(outcome.undo.count == 5)
        _ = try TableWriter(file).apply(outcome.undo)
        #expect(try rows(file, all) == ["1xp", "2yq", "3zr", "4us"])
    }

    @Test func uniqueValueOfAnotherRowStillRefusesAllChanges() throws {
        let sample = try SampleDatabase(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, a UNIQUE);
            INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'z');
            """)
        let file = TableFile(sample.path)
        #expect {
            try TableWriter(file).apply([
                .update("t", RowKey(rowID: 1), [.init("a", .text("z"))]),
                .update("t", RowKey(rowID: 2), [.init("a", .text("x"))]),
            ])
        } throws: { ($0 as? TablesError)?.message == "another row of t already has this value: a" }
        #expect(try rows(file, "SELECT id || a FROM t ORDER BY id") == ["1x", "2y", "3z"])
    }

    @Test func temporaryValueIsNotPassedOnByForeignKeys() throws {
        let sample = try SampleDatabase(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, a UNIQUE);
            CREATE TABLE u (a REFERENCES t (a) ON UPDATE CASCADE);
            INSERT INTO t VALUES (1, 'x'), (2, 'y');
            INSERT INTO u VALUES ('x');
            """)
        let file = TableFile(sample.path)
        #expect {
            try TableWriter(file).apply([
                .update("t", RowKey(rowID: 1), [.init("a", .text("y"))]),
                .update("t", RowKey(rowID: 2), [.init("a", .text("x"))]),
            ])
        } throws: { ($0 as? TablesError)?.code == .refused }
        #expect(try rows(file, "SELECT a FROM u") == ["x"])
    }

    @Test func rowsAreWrittenBeforeTheRowsThatReferToThem() throws {
        let sample = try SampleDatabase(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, parent REFERENCES t (id))")
        let file = TableFile(sample.path)
        let count: Int64 = 50
        let outcome = try TableWriter(file).apply(
            (1...count).map { id in
                .insert(
                    "t",
                    [
                        .init("id", .integer(id)),
                        .init("parent", id < count ? .integer(id + 1) : .null),
                    ])
            })
        #expect(try rows(file, "SELECT count(*) FROM t") == ["\(count)"])
        #expect(outcome.keys == (1...count).map { RowKey(rowID: $0) })
        _ = try TableWriter(file).apply(outcome.undo)
        #expect(try rows(file, "SELECT count(*) FROM t") == ["0"])
    }

    @Test(arguments: [
        ("DELETE FROM other WHERE id = old.id", "SELECT 1", 2),
        ("UPDATE OR IGNORE other SET v = NULL WHERE id = old.id", "SELECT 1", 2),
        ("INSERT INTO other VALUES (old.id, 'DELETE FROM other')", "SELECT 1", 0),
        (#"DELETE FROM "two words" WHERE id = old.id"#, "SELECT 1", 1),
        ("DELETE FROM other WHERE id = old.id", "INSERT INTO other VALUES (new.id, new.a)", 0),
        ("UPDATE other SET v = v - 1", "UPDATE other SET v = v + 1", 0),
        ("REPLACE INTO kept VALUES (old.id, 'gone')", "SELECT 1", 1),
        ("INSERT OR REPLACE INTO kept VALUES (old.id, 'gone')", "SELECT 1", 1),
        ("INSERT INTO kept VALUES (old.id, 'gone')", "SELECT 1", 1),
        ("REPLACE INTO kept VALUES (old.id, 1)", "REPLACE INTO kept VALUES (new.id, 2)", 0),
        (
            "INSERT INTO unique_id VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET v = excluded.v",
            "SELECT 1", 1
        ),
        ("INSERT INTO relay VALUES (old.id)", "SELECT 1", 3),
    ])
    func rowsThatTriggersDoNotRestoreAreCounted(
        _ deletion: String, _ insertion: String, _ count: Int
    ) throws {
        let sample = try SampleDatabase(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, a);
            CREATE TABLE other (id, v);
            CREATE TABLE "two words" (id);
            INSERT INTO t VALUES (1, 'x');
            INSERT INTO other VALUES (1, 1), (1, 2);
            INSERT INTO "two words" VALUES (1);
            CREATE TABLE kept (id UNIQUE ON CONFLICT REPLACE, v);
            INSERT INTO kept VALUES (1, 'precious');
            CREATE TABLE unique_id (id PRIMARY KEY, v);
            INSERT INTO unique_id VALUES (1, 1);
            CREATE TABLE relay (id);
            CREATE TRIGGER relay_i AFTER INSERT ON relay BEGIN
                DELETE FROM other WHERE id = new.id; END;
            CREATE TRIGGER "update" BEFORE DELETE ON t BEGIN \(deletion); END;
            CREATE TRIGGER t_i AFTER INSERT ON t BEGIN \(insertion); END;
            """)
        let outcome = try TableWriter(TableFile(sample.path)).apply([
            .delete("t", RowKey(rowID: 1))
        ])
        #expect(outcome.lastingChanges == count)
    }

    @Test func rowsOfOtherTablesThatAnInsertionUpdatesAreCounted() throws {
        let sample = try SampleDatabase(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, added);
            CREATE TABLE other (id, last);
            INSERT INTO other VALUES (1, NULL);
            CREATE TRIGGER t_i AFTER INSERT ON t BEGIN
                UPDATE t SET added = 'now' WHERE id = new.id;
                UPDATE other SET last = new.id;
            END;
            """)
        let schema = try TableFile(sample.path).read { try DatabaseSchema($0) }.0
        let table = try #require(schema.table("t"))
        #expect(schema.tablesNotRestored(afterUndoing: .insert, on: table) == ["other"])
        let outcome = try TableWriter(TableFile(sample.path)).apply([.insert("t", [])])
        #expect(outcome.lastingChanges == 2)
    }

    @Test func rowsThatForeignKeysDeleteAfterATriggerAreNotRestored() throws {
        let sample = try SampleDatabase(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY);
            CREATE TABLE album (id INTEGER PRIMARY KEY);
            CREATE TABLE photo (album REFERENCES album ON DELETE CASCADE);
            CREATE TRIGGER t_d AFTER DELETE ON t BEGIN DELETE FROM album WHERE id = old.id; END;
            """)
        let schema = try TableFile(sample.path).read { try DatabaseSchema($0) }.0
        let table = try #require(schema.table("t"))
        #expect(
            schema.tablesNotRestored(afterUndoing: .delete, on: table) == ["album", "photo"])
    }

    @Test func lockedDatabaseIsBusy() throws {
        let other = try DatabaseQueue(path: sample.path)
        try other.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN EXCLUSIVE")
            #expect {
                try TableWriter(file, patience: .zero).apply([
                    .delete("author", RowKey(rowID: 1))
                ])
            } throws: { ($0 as? TablesError)?.code == .busy }
            try db.execute(sql: "ROLLBACK")
        }
    }

    @Test func deviceFileInAPackageIsReadOnly() throws {
        let folder = sample.folder.appending("P.store/Devices/one")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: sample.path, toPath: folder + "/Logs.db")
        #expect { try TableWriter(TableFile(folder + "/Logs.db")) } throws: {
            ($0 as? TablesError)?.code == .readOnly
        }
    }
}
