import Foundation
import GRDB
import Replication
import Tables
import TestSupport
import Testing

@testable import TidelineCore

/// The tables of a database in a session.
@Suite struct TablesPaneTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.appending("shop.db")
        try run(
            """
            CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            CREATE TABLE purchase (
                id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customer (id), total REAL,
                note TEXT, created INTEGER);
            CREATE INDEX purchase_customer ON purchase (customer);
            CREATE VIEW large AS SELECT id, total FROM purchase WHERE total > 500;
            CREATE TABLE grdb_migrations (identifier TEXT);
            INSERT INTO customer VALUES (1, 'Ann'), (2, 'Ben');
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 600)
            INSERT INTO purchase SELECT i, i % 2 + 1, i, 'note ' || i, 1760000000 + i FROM n;
            """)
    }

    private func run(_ sql: String) throws {
        try runSQL(sql, at: path, isTransaction: false)
    }

    private func session(isWritable: Bool = false) async throws -> any StoreSession {
        let session = try StoreOpener(device: try DeviceID("desk"), isWritable: isWritable).open(
            path)
        let events = session.events()
        if session.status.phase == .live { return session }
        for await event in events where event.kind == .loaded { break }
        return session
    }

    private func source(_ session: any StoreSession, _ name: String) throws -> any RowSource {
        try #require(session.panes.first { $0.id.name == name }?.source)
    }

    private func rows(_ session: any StoreSession, of table: String) async throws -> any RowSource {
        try #require(
            try await source(session, "tables").open(RowID("table/\(table)"), at: nil))
    }

    private func texts(_ window: RowWindow) -> [[String]] {
        window.rows.map { $0.cells.map(\.text) }
    }

    @Test func tablesAreListedAndInternalOnesAreCollapsed() async throws {
        let session = try await session()
        let window = try await source(session, "tables").window(WindowRequest(count: 20))
        #expect(
            texts(window).map(\.first) == ["customer", "large", "purchase", "▸ GRDB's migrations"])
        await session.close()
    }

    /// Returns the counts in the list of tables once they are `expected`, or after a timeout.
    private func counts(
        _ tables: any RowSource, once expected: [String: String]
    ) async throws -> [String: String] {
        let end = ContinuousClock.now + .seconds(180)
        while true {
            let window = try await tables.window(WindowRequest(count: 20))
            let counts = Dictionary(
                uniqueKeysWithValues: window.rows.map { ($0.cells[0].text, $0.cells[2].text) }
            ).filter { expected.keys.contains($0.key) }
            if counts == expected || .now > end { return counts }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test func rowsAreCountedAgainAfterEveryChange() async throws {
        let session = try await session(isWritable: true)
        let tables = try source(session, "tables")
        var wanted = ["customer": "2", "purchase": "600", "large": "100"]
        #expect(try await counts(tables, once: wanted) == wanted)
        // Another program adds and deletes rows.
        try run(
            "INSERT INTO customer VALUES (3, 'Cy'), (4, 'Di'); DELETE FROM purchase WHERE id > 590")
        wanted = ["customer": "4", "purchase": "590", "large": "90"]
        #expect(try await counts(tables, once: wanted) == wanted)
        // The screen adds a row.
        let rows = try await rows(session, of: "customer")
        let added = try await rows.apply(
            try await rows.preview(.add(name: "name", parent: nil, TypedText(.string, "Ed"))))
        wanted["customer"] = "5"
        #expect(try await counts(tables, once: wanted) == wanted)
        let undo = try #require(added.undo.first)
        _ = try await rows.apply(try await rows.preview(undo))
        wanted["customer"] = "4"
        #expect(try await counts(tables, once: wanted) == wanted)
        await session.close()
    }

    @Test func digitsOfRowCountsAreGrouped() async throws {
        try run(
            """
            WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n LIMIT 1200)
            INSERT INTO customer SELECT i, 'c' FROM n;
            """)
        let session = try await session()
        let wanted = ["customer": "1,202"]
        #expect(try await counts(try source(session, "tables"), once: wanted) == wanted)
        await session.close()
    }

    @Test func tablesAreInNaturalOrder() async throws {
        try run("CREATE TABLE t10 (a); CREATE TABLE t9 (a)")
        let session = try await session()
        let window = try await source(session, "tables").window(WindowRequest(count: 99))
        let names = window.rows.map(\.cells[0].text).filter { ["t9", "t10"].contains($0) }
        #expect(names == ["t9", "t10"])
        await session.close()
    }

    @Test func equallyFrequentTextsAreInNaturalOrder() async throws {
        try run(
            """
            CREATE TABLE tag (name TEXT);
            INSERT INTO tag VALUES ('tag 10'), ('tag 1'), ('tag 9'), ('z'), ('z'), (NULL);
            """)
        let session = try await session()
        let found = try #require(
            try await rows(session, of: "tag").frequencies(
                of: "name", in: RowQuery(), limit: 10))
        #expect(found.items.first?.cell.text == "z")
        #expect(
            found.items.map(\.cell.text).filter { $0.hasPrefix("tag") }
                == ["tag 1", "tag 9", "tag 10"])
        await session.close()
    }

    @Test func lockedTableIsCountedOnceItIsReadable() async throws {
        let database = TableDatabase(path, device: nil, isWritable: false)
        let tables = try database.currentTables()
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        database.counts.look(at: tables.tables, of: database)
        TableDatabase.background.sync {}
        #expect(database.counts["customer"] == nil)
        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        #expect(
            try await counts(TablesSource(database), once: ["customer": "2"]) == ["customer": "2"])
    }

    @Test func internalTablesAreCountedWhenViewed() async throws {
        let session = try await session()
        let tables = try source(session, "tables")
        let kept = try #require(
            try await tables.open(RowID("keeper/GRDB's migrations"), at: nil))
        let wanted = ["grdb_migrations": "0"]
        #expect(try await counts(kept, once: wanted) == wanted)
        await session.close()
    }

    @Test func rowsAreFilteredSortedAndReachedFromTheEnd() async throws {
        let session = try await session()
        let rows = try await rows(session, of: "purchase")
        #expect(rows.info.columns.map(\.id) == ["id", "customer", "total", "note", "created"])
        let end = try await rows.window(WindowRequest(position: .index(.max), count: 2))
        #expect(end.start == 598 && end.total == 600 && end.isTotalExact)
        #expect(texts(end).map { $0[0] } == ["599", "600"])
        // Numbers that are recognized as dates are shown as dates.
        #expect(texts(end)[1][4] == "2025-10-09 09:03:20")
        let query = RowQuery(
            filter: "total>590 -note:*5", sort: .init(column: "total", isDescending: true))
        let found = try await rows.window(WindowRequest(query: query, count: 3))
        #expect(texts(found).map { $0[0] } == ["600", "599", "598"])
        let search = try await rows.window(
            WindowRequest(position: .search("NOTE 33", from: 40, backwards: false), count: 5))
        #expect(search.rows.isEmpty || search.found == nil)
        let next = try await rows.window(
            WindowRequest(position: .search("note 33", from: 40, backwards: false), count: 5))
        #expect(next.found == 329)
        await session.close()
    }

    @Test func epochOfNumbersCanBeChosen() async throws {
        let session = try await session()
        let rows = try await rows(session, of: "purchase")
        #expect(rows.info.formsOfColumns["created"] == "unix")
        #expect(rows.info.formsOfColumns["total"] == "number")
        #expect(rows.info.numberForms.map(\.id).contains("julian"))
        func first() async throws -> [String] {
            texts(try await rows.window(WindowRequest(count: 1)))[0]
        }
        #expect(try await first()[4] == "2025-10-09 08:53:21")
        try await rows.showNumbers(["created": "number"])
        #expect(try await first()[4] == "1760000001")
        #expect(rows.info.formsOfColumns["created"] == "number")
        try await rows.showNumbers(["created": "2001", "total": "unix"])
        #expect(try await first()[2] == "1970-01-01 00:00:01")
        #expect(try await first()[4] == "2056-10-09 08:53:21")
        #expect(rows.info.columns[2].minimumWidth == 14)
        // The inspector and the filter use it, too.
        let detail = try #require(try await rows.detail(of: RowID("purchase/1"), at: nil))
        let lines = detail.sections[0].lines.map(\.text)
        #expect(lines.contains { $0.hasPrefix("1760000001, ") && $0.hasSuffix(" 2001") })
        let query = RowQuery(filter: "created>2056-10-09T09:03:19Z")
        #expect(texts(try await rows.window(WindowRequest(query: query, count: 5))).count == 1)
        // Values offered for a filter match.
        let window = try await rows.window(WindowRequest(count: 3))
        let offered = FilterField.values(in: 4, of: window.rows)
        #expect(offered.count == 3)
        for value in offered {
            let query = RowQuery(filter: "created:\(value)")
            #expect(try await rows.window(WindowRequest(query: query, count: 5)).total == 1)
        }
        // Opening the table again shows it, too.
        let again = try await self.rows(session, of: "purchase")
        #expect(again.info.formsOfColumns["created"] == "2001")
        await session.close()
    }

    @Test func numbersThatAreNotDatesCannotBeComparedWithDates() async throws {
        let session = try await session()
        let rows = try await rows(session, of: "purchase")
        let request = WindowRequest(query: RowQuery(filter: "total>2025-11-01"), count: 5)
        let error = await #expect(throws: FilterError.self) { try await rows.window(request) }
        #expect(error?.message.contains("total is not recognized as a date") == true)
        #expect(error?.range == 6..<16)
        try await rows.showNumbers(["total": "unix"])
        #expect(try await rows.window(request).total == 0)
        await session.close()
    }

    @Test func packageFilesAreReadOnlyTables() async throws {
        let stored = try DocumentPackage()
        let file = stored.path + "/Devices/anna/Documents.db"
        let before = try Data(contentsOf: URL(filePath: file))
        let files = try FileManager.default.subpathsOfDirectory(atPath: stored.path).sorted()
        let session = try StoreOpener(device: try DeviceID("desk"), isWritable: true).open(file)
        let events = session.events()
        if session.status.phase != .live {
            for await event in events where event.kind == .loaded { break }
        }
        let log = try await rows(session, of: "log")
        guard case .unavailable(let reason)? = log.info.edits[.set] else {
            Issue.record("it can be written")
            return
        }
        #expect(reason.contains("package"))
        // Write access can't be unlocked.
        #expect(session.status.ownDevice == nil)
        // The column is recognized as microseconds since 2001.
        #expect(log.info.formsOfColumns["timestamp"] == "2001-us")
        // A document in a cell is shown as its tree.
        let contents = try await rows(session, of: "content")
        let window = try await contents.window(WindowRequest(count: 1))
        let detail = try #require(try await contents.detail(of: window.rows[0].id, at: nil))
        let tree = try #require(detail.sections.first { $0.title == "data: Automerge" })
        let lines = tree.lines.map { "\($0.depth) \($0.label) \($0.text)" }
        #expect(lines.contains("0 nights 7") && lines.contains("0 title \"Trip\""))
        #expect(lines.contains("1 1 \"b\""))
        await session.close()
        #expect(try Data(contentsOf: URL(filePath: file)) == before)
        #expect(
            try FileManager.default.subpathsOfDirectory(atPath: stored.path).sorted() == files)
    }

    @Test func foreignKeyIsFollowedInBothDirections() async throws {
        let session = try await session()
        let purchases = try await rows(session, of: "purchase")
        let relations = try #require(try await purchases.open(RowID("purchase/7"), at: nil))
        let window = try await relations.window(WindowRequest(count: 9))
        #expect(texts(window).map { $0[1] } == ["1"] && texts(window)[0][2].contains("Ben"))
        let customer = try #require(try await relations.open(window.rows[0].id, at: nil))
        let there = try await customer.window(WindowRequest(count: 9))
        #expect(texts(there) == [["2", "Ben"]])
        let back = try #require(try await customer.open(there.rows[0].id, at: nil))
        let incoming = try await back.window(WindowRequest(count: 9))
        #expect(texts(incoming).map { $0[1] } == ["300"])
        let theirs = try #require(try await back.open(incoming.rows[0].id, at: nil))
        #expect(
            try await theirs.window(WindowRequest(position: .index(.max), count: 1)).total == 300)
        await session.close()
    }

    @Test func editIsPreviewedAsSQLAndUndoneAfterARestart() async throws {
        let session = try await session(isWritable: true)
        let rows = try await rows(session, of: "purchase")
        let row = RowID("purchase/3")
        #expect(
            try await rows.editableValue(of: row, field: "note") == TypedText(.string, "note 3"))
        let preview = try await rows.preview(.set(row, field: "note", TypedText(.null, "")))
        #expect(preview.summary == "UPDATE \"purchase\" SET \"note\" = NULL WHERE rowid = 3")
        let applied = try await rows.apply(preview)
        #expect(applied.rows == [row])
        #expect(try await note(3) == nil)
        let entry = JournalEntry(applied, direction: .edit, pane: PaneID.tables.text)
        let kept = try JSONDecoder().decode(
            JournalEntry.self, from: try JSONEncoder().encode(entry))
        await session.close()
        let again = try await self.session(isWritable: true)
        let top = try source(again, "tables")
        let undo = try #require(kept.applied.undo.first)
        let back = try await top.preview(undo)
        _ = try await top.apply(back)
        #expect(try await note(3) == "note 3")
        await again.close()
    }

    private func note(_ id: Int) async throws -> String? {
        let queue = try DatabaseQueue(path: path)
        return try await queue.read { db in
            try String.fetchOne(db, sql: "SELECT note FROM purchase WHERE id = ?", arguments: [id])
        }
    }

    @Test func deletionPreviewWarnsOfReferringRows() async throws {
        let session = try await session(isWritable: true)
        let rows = try await rows(session, of: "customer")
        let preview = try await rows.preview(.remove([RowID("customer/1")], field: nil))
        let obstacle = try #require(preview.warnings.first)
        #expect(obstacle.contains(" by customer"), "\(preview)")
        let error = await #expect(throws: EditError.self) { try await rows.apply(preview) }
        #expect(
            error.map { obstacle.hasPrefix($0.message) } == true, "\(String(describing: error))")
        // No row refers to a purchase.
        let other = try await self.rows(session, of: "purchase")
        #expect(try await other.preview(.remove([RowID("purchase/3")], field: nil)).warnings == [])
        await session.close()
    }

    @Test func rowChangedByAnotherProgramIsNotOverwritten() async throws {
        let session = try await session(isWritable: true)
        let rows = try await rows(session, of: "purchase")
        let edit = Edit.set(RowID("purchase/3"), field: "note", TypedText(.string, "mine"))
        let preview = try await rows.preview(edit)
        try run("UPDATE purchase SET note = 'theirs' WHERE id = 3")
        await #expect {
            try await rows.apply(preview)
        } throws: { ($0 as? EditError)?.code == .moved }
        #expect(try await note(3) == "theirs")
        await session.close()
    }

    @Test func rowsWrittenByAnotherProcessAreMarked() async throws {
        let session = try await session()
        let rows = try await rows(session, of: "customer")
        _ = try await rows.window(WindowRequest(count: 10))
        let events = session.events()
        try run(
            "UPDATE customer SET name = 'Bea' WHERE id = 2; INSERT INTO customer VALUES (3, 'Cy')")
        var marks: [RowID: RowMark] = [:]
        for await event in events {
            if case .changed(.tables, let rows, false) = event.kind { marks.merge(rows) { $1 } }
            if marks.count == 2 { break }
        }
        #expect(marks == [RowID("customer/2"): .changed, RowID("customer/3"): .new])
        await session.close()
    }

    @Test func rejectedWriteIsNotReported() async throws {
        let session = try await session(isWritable: true)
        let rows = try await rows(session, of: "customer")
        _ = try await rows.window(WindowRequest(count: 10))
        let refused = try await rows.preview(.remove([RowID("customer/1")], field: nil))
        // Two writes can occur within one tick of the file clock.
        try await wait { try !FileStamp(ofFileAt: path).isFresh }
        try await session.reload()
        let events = session.events()
        await #expect(throws: EditError.self) { try await rows.apply(refused) }
        try await Task.sleep(for: .milliseconds(200))
        try run("INSERT INTO customer VALUES (3, 'Cy')")
        for await event in events {
            guard case .changed(_, let rows, _) = event.kind else { continue }
            #expect(rows == [RowID("customer/3"): .new])
            break
        }
        await session.close()
    }

    @Test func numbersOfAQueryAreAlignedAsInTables() async throws {
        let session = try await session()
        let queries = try source(session, "queries")
        let (_, result) = try await queries.run(
            "SELECT id, NULL AS missing, 'a' AS text, total FROM large LIMIT 3", of: nil)
        #expect(
            result.info.columns.map(\.alignment) == [.trailing, .leading, .leading, .trailing])
        let (_, empty) = try await queries.run("SELECT id FROM large WHERE id < 0", of: nil)
        #expect(empty.info.columns.map(\.id) == ["id"])
        await session.close()
    }

    @Test func queryRunsAsTypedAndHasItsPlan() async throws {
        let session = try await session()
        let queries = try source(session, "queries")
        let sql = "SELECT name FROM customer WHERE id = 2"
        let (row, result) = try await queries.run(sql, of: nil)
        #expect(result.info.columns.map(\.id) == ["name"])
        #expect(texts(try await result.window(WindowRequest(count: 5))) == [["Ben"]])
        #expect(try await queries.open(row, at: nil)?.info.title == sql)
        let plan = try #require(try await queries.detail(of: row, at: nil)?.sections.last)
        #expect(plan.lines.first?.text.hasPrefix("SEARCH customer") == true)
        // The same text is the same row, and a row keeps its identity when its text changes.
        #expect(try await queries.run(sql, of: nil).row == row)
        #expect(try await queries.run("SELECT 1", of: row).row == row)
        #expect(try await queries.window(WindowRequest(count: 5)).total == 1)
        for wrong in ["", " ", "DELETE FROM customer", "SELEC 1"] {
            await #expect(throws: EditError.self, "\(wrong)") {
                try await queries.run(wrong, of: nil)
            }
        }
        #expect(try await queries.window(WindowRequest(count: 5)).total == 1)
        await session.close()
    }

    @Test func queryIsSavedChangedAndDeleted() async throws {
        let folder = try TemporaryFolder()
        let opener = StoreOpener(
            device: try DeviceID("desk"), isWritable: false,
            state: UserState(environment: ["XDG_STATE_HOME": folder.path]))
        let session = try opener.open(path)
        let queries = try source(session, "queries")
        func state() async throws -> [[String]] {
            texts(try await queries.window(WindowRequest(count: 5)))
        }
        func write(_ edit: Edit) async throws -> AppliedEdit {
            try await queries.apply(try await queries.preview(edit))
        }
        let row = try await queries.run("SELECT 1", of: nil).row
        #expect(try await state() == [["", "SELECT 1", "not saved"]])
        await #expect(throws: EditError.self) {
            try await queries.preview(.rename(row, to: ""))
        }
        let kept = try await write(.rename(row, to: "one"))
        #expect(try await state() == [["one", "SELECT 1", "saved"]])
        await #expect(throws: EditError.self) {
            try await queries.preview(.rename(row, to: "one"))
        }
        _ = try await queries.run("SELECT 2", of: row)
        #expect(try await state() == [["one", "SELECT 2", "changed"]])
        let preview = try await queries.preview(.rename(row, to: "two"))
        #expect(
            preview.changes.map(\.asLines) == [
                .init(subject: "SQL", old: "SELECT 1", new: "SELECT 2")
            ])
        let changed = try await queries.apply(preview)
        #expect(try await state() == [["two", "SELECT 2", "saved"]])
        var redo: [Edit] = []
        for edit in changed.undo { redo += try await write(edit).undo }
        #expect(try await state() == [["one", "SELECT 1", "saved"]])
        for edit in redo { _ = try await write(edit) }
        #expect(try await state() == [["two", "SELECT 2", "saved"]])
        // Undoing leaves a text that was run since.
        _ = try await queries.run("SELECT 3", of: row)
        for edit in changed.undo { _ = try await write(edit) }
        #expect(try await state() == [["one", "SELECT 3", "changed"]])
        for edit in kept.undo { _ = try await write(edit) }
        #expect(try await state() == [["", "SELECT 3", "not saved"]])
        await session.close()
        let again = try opener.open(path)
        #expect(try await source(again, "queries").window(WindowRequest(count: 5)).total == 0)
        await again.close()
    }

    @Test func queriesPersistAndUndoRestoresThem() async throws {
        let folder = try TemporaryFolder()
        let opener = StoreOpener(
            device: try DeviceID("desk"), isWritable: true,
            state: UserState(environment: ["XDG_STATE_HOME": folder.path]))
        let before = try Data(contentsOf: URL(filePath: path))
        func write(_ edit: Edit, _ session: any StoreSession) async throws -> AppliedEdit {
            let queries = try source(session, "queries")
            let preview = try await queries.preview(edit)
            #expect(preview.file?.hasPrefix(folder.path) == true)
            return try await queries.apply(preview)
        }
        func names(_ session: any StoreSession) async throws -> [String] {
            let queries = try source(session, "queries")
            return texts(try await queries.window(WindowRequest(count: 5))).map { $0[0] }
        }
        var session = try opener.open(path)
        for name in ["one", "two"] {
            let sql = TypedText(.string, "SELECT '\(name)'")
            _ = try await write(.add(name: name, parent: nil, sql), session)
        }
        await session.close()
        session = try opener.open(path)
        #expect(try await names(session) == ["one", "two"])
        let rows = try await source(session, "queries").window(WindowRequest(count: 5)).rows
        let forgotten = try await write(.remove([rows[0].id], field: nil), session)
        #expect(try await names(session) == ["two"])
        let back = try await write(try #require(forgotten.undo.first), session)
        await session.close()
        session = try opener.open(path)
        #expect(try await names(session) == ["two", "one"])
        _ = try await write(try #require(back.undo.first), session)
        #expect(try await names(session) == ["two"])
        await session.close()
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test func queryPreviewNamesNoFileAndRowPreviewNamesNoDevice() async throws {
        let session = try await session(isWritable: true)
        let kept = try await source(session, "queries").preview(
            .add(name: "", parent: nil, TypedText(.string, "SELECT 1")))
        #expect(kept.file == nil && kept.device == nil)
        let rows = try await rows(session, of: "customer")
        let written = try await rows.preview(
            .set(RowID("customer/1"), field: FieldPath("name"), TypedText(.string, "Eve")))
        #expect(written.file?.hasSuffix("shop.db") == true && written.device == nil)
        await session.close()
    }

    @Test func columnWidthFitsItsCells() async throws {
        try run("CREATE TABLE wide (name TEXT); INSERT INTO wide VALUES ('川端康成の文学')")
        let session = try await session()
        let column = try #require(try await rows(session, of: "wide").info.columns.last)
        #expect(column.width == 14)
        await session.close()
    }

    @Test func searchingForNULLFindsNullAndText() async throws {
        try run(
            """
            CREATE TABLE n (id INTEGER PRIMARY KEY, t TEXT, i INTEGER);
            INSERT INTO n VALUES (1, NULL, 5), (2, 'null', NULL), (3, 'nullable', 7);
            """)
        let session = try await session()
        let rows = try await rows(session, of: "n")
        func found(_ filter: String) async throws -> [String] {
            let query = RowQuery(filter: filter)
            return texts(try await rows.window(WindowRequest(query: query, count: 9))).map { $0[0] }
        }
        #expect(try await found("t:null") == ["1", "2"])
        #expect(try await found("t:NULL") == ["1"])
        #expect(try await found("i:null") == ["2"])
        #expect(try await found("-i:null") == ["1", "3"])
        #expect(try await found("t:null*") == ["2", "3"])
        await session.close()
    }

    @Test func searchUsesSmartCaseAndIgnoresAccents() async throws {
        let names = ["Zürich", "Zurich", "ZURICH", "Kyoto", "kyoto", "Ærø", "москва"]
        try run(
            "CREATE TABLE city (name TEXT); INSERT INTO city VALUES "
                + names.map { "('\($0)')" }.joined(separator: ", "))
        let session = try await session()
        let rows = try await rows(session, of: "city")
        for filter in [
            "zurich", "zürich", "Zurich", "Zürich", "kyoto", "Kyoto", "KYOTO", "ærø", "aero",
            "Москва", "москва", "z*h", "Z*h",
        ] {
            let pattern = Pattern(filter)
            let found = try await rows.window(
                WindowRequest(query: RowQuery(filter: "name:\(filter)"), count: 9))
            #expect(found.rows.compactMap { $0.cells.last?.text } == names.filter(pattern.matches))
            let words = try await rows.window(
                WindowRequest(query: RowQuery(filter: filter), count: 9))
            #expect(words.rows.count == names.count(where: pattern.isFound), "\(filter)")
        }
        await session.close()
    }

    @Test func deletingOneQueryReportsOne() async throws {
        let session = try await session()
        let queries = try source(session, "queries")
        let kept = try await queries.preview(
            .add(name: "all", parent: nil, TypedText(.string, "SELECT 1")))
        let row = try #require(try await queries.apply(kept).rows.first)
        #expect(try await queries.preview(.remove([row], field: nil)).summary == "delete 1 query")
        await session.close()
    }

    @Test func deletionWarnsOnceOfCascadingRows() async throws {
        try run(
            """
            CREATE TABLE kid (parent INTEGER REFERENCES customer (id) ON DELETE CASCADE);
            INSERT INTO customer VALUES (3, 'Cy');
            INSERT INTO kid VALUES (1), (2);
            """)
        let session = try await session(isWritable: true)
        let rows = try await rows(session, of: "customer")
        let both = try await rows.preview(
            .remove([RowID("customer/1"), RowID("customer/2")], field: nil))
        #expect(both.warnings.count { $0.contains("rows of kid") } == 1)
        let childless = try await rows.preview(.remove([RowID("customer/3")], field: nil))
        #expect(childless.warnings.isEmpty)
        await session.close()
    }

    @Test func deletionWarnsOfRowsThatATriggerDeletes() async throws {
        try run(
            """
            CREATE TABLE kid (parent);
            CREATE TRIGGER customer_d AFTER DELETE ON customer BEGIN
                DELETE FROM kid WHERE parent = old.id;
            END;
            INSERT INTO customer VALUES (3, 'Cy');
            INSERT INTO kid VALUES (3), (3);
            """)
        let session = try await session(isWritable: true)
        let rows = try await rows(session, of: "customer")
        let preview = try await rows.preview(.remove([RowID("customer/3")], field: nil))
        #expect(preview.warnings.count { $0.contains("rows of kid") } == 1)
        #expect(try await rows.apply(preview).lasting.first?.contains("2 rows") == true)
        await session.close()
    }

    @Test func deletionShowsAndExpectsTheRowsValues() async throws {
        let session = try await session(isWritable: true)
        let rows = try await rows(session, of: "customer")
        try run("INSERT INTO customer VALUES (3, 'Cy')")
        let preview = try await rows.preview(.remove([RowID("customer/3")], field: nil))
        #expect(preview.changes.map(\.old?.line) == ["id 3, name Cy"])
        try run("UPDATE customer SET name = 'Cyd' WHERE id = 3")
        await #expect {
            try await rows.apply(preview)
        } throws: { ($0 as? EditError)?.code == .moved }
        _ = try await rows.apply(
            try await rows.preview(.remove([RowID("customer/3")], field: nil)))
        await #expect {
            try await rows.preview(.remove([RowID("customer/3")], field: nil))
        } throws: { ($0 as? EditError)?.code == .notFound }
        await session.close()
    }

    @Test func editOfADeletedRowThrowsMoved() async throws {
        let session = try await session(isWritable: true)
        let rows = try await rows(session, of: "purchase")
        let row = RowID("purchase/3")
        let edits: [Edit] = [
            .set(row, field: "note", TypedText(.string, "mine")), .remove([row], field: "note"),
            .remove([row], field: nil),
        ]
        var previews: [EditPreview] = []
        for edit in edits { previews.append(try await rows.preview(edit)) }
        try run("DELETE FROM purchase WHERE id = 3")
        for preview in previews {
            let error = await #expect(throws: EditError.self) { try await rows.apply(preview) }
            #expect(error?.code == .moved)
            #expect(error?.message.hasPrefix("row 3 of purchase ") == true)
        }
        await session.close()
    }

    @Test func editOfARowThatWasWrittenAgainIsNotUndone() async throws {
        let session = try await session(isWritable: true)
        let rows = try await rows(session, of: "purchase")
        let edit = Edit.set(RowID("purchase/3"), field: "note", TypedText(.string, "mine"))
        let undo = try #require(try await rows.apply(try await rows.preview(edit)).undo.first)
        try run("UPDATE purchase SET note = 'theirs' WHERE id = 3")
        let error = await #expect(throws: EditError.self) { try await rows.preview(undo) }
        #expect(error?.code == .builtOn && error?.message.contains("note of row 3") == true)
        try run("UPDATE purchase SET note = 'mine' WHERE id = 3")
        _ = try await rows.apply(try await rows.preview(undo))
        await session.close()
    }

    @Test func editOfADeletedTableIsNotUndone() async throws {
        let session = try await session(isWritable: true)
        let rows = try await rows(session, of: "purchase")
        let removal = Edit.remove([RowID("purchase/3")], field: nil)
        let undo = try #require(try await rows.apply(try await rows.preview(removal)).undo.first)
        // Two writes can occur within one tick of the file clock.
        try await wait { try !FileStamp(ofFileAt: path).isFresh }
        try run("DROP TABLE purchase")
        try await session.reload()
        let error = await #expect(throws: EditError.self) { try await rows.preview(undo) }
        #expect(error?.code == .notFound && error?.message.contains("purchase") == true)
        await session.close()
    }

    @Test func editOfADeletedRowIsNotUndone() async throws {
        let session = try await session(isWritable: true)
        let rows = try await rows(session, of: "customer")
        let added = try await rows.apply(
            try await rows.preview(.add(name: "name", parent: nil, TypedText(.string, "Cy"))))
        let undo = try #require(added.undo.first)
        _ = try await rows.preview(undo)
        try run("DELETE FROM customer WHERE id = 3")
        let error = await #expect(throws: EditError.self) { try await rows.preview(undo) }
        #expect(error?.code == .notFound && error?.message.contains("row 3 of customer") == true)
        await session.close()
    }

    @Test func titleOfTruncatedChoicesShowsTheLimit() async throws {
        try run(
            """
            WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n LIMIT 199)
            INSERT INTO customer SELECT i, 'Customer ' || i FROM n
            """)
        let session = try await session(isWritable: true)
        let rows = try await rows(session, of: "purchase")
        let cut = try await rows.choices(for: FieldPath("customer"), matching: "", current: nil)
        #expect(cut?.title == "customer: first 200 rows" && cut?.choices.count == 200)
        let last = try await rows.choices(
            for: FieldPath("customer"), matching: "Customer 201", current: nil)
        #expect(last?.title == "customer" && last?.choices.map(\.value.text) == ["201"])
        #expect(cut?.isCut == true && last?.isCut == false)
        let current = try await rows.choices(
            for: FieldPath("customer"), matching: "", current: TypedText(.integer, "201"))
        #expect(current?.choices.count == 201)
        #expect(current?.choices.first?.title == "201  name Customer 201")
        await session.close()
    }

    @Test func rowIsAddedWithValuesOfSeveralColumns() async throws {
        try run(
            "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INT NOT NULL)")
        let session = try await session(isWritable: true)
        let rows = try await rows(session, of: "person")
        func add(_ text: String, as kind: TypedText.Kind = .string) -> Edit {
            .add(name: "", parent: nil, TypedText(kind, text))
        }
        let preview = try await rows.preview(add(#"{"name": "Ann", "age": 3}"#))
        #expect(preview.changes.map(\.subject) == ["name", "age"])
        #expect(preview.changes.map(\.new?.line) == ["Ann", "3"])
        let applied = try await rows.apply(preview)
        #expect(applied.rows == [RowID("person/1")])
        _ = try await rows.apply(try await rows.preview(add(#"{"age":4,"name":"B"}"#, as: .json)))
        let window = try await rows.window(WindowRequest(count: 9))
        #expect(texts(window) == [["1", "Ann", "3"], ["2", "B", "4"]])
        let refused: [(String, String)] = [
            ("Ann", "without a column, the value must be a JSON object: {\"name\": …, \"age\": …}"),
            ("[1]", "without a column, the value must be a JSON object: {\"name\": …, \"age\": …}"),
            (#"{"name": [1]}"#, "name takes a number, a string, null or {\"$data\": \"BASE64\"}"),
            (#"{"name": "Ann", "NAME": "Ben"}"#, "name is set twice"),
            (
                #"{"name": "Ann"}"#,
                "age also needs a value: leave the column empty and type a JSON object: "
                    + "{\"name\": …, \"age\": …}"
            ),
            (#"{"color": "red"}"#, "person has no column \"color\": choose one of id, name, age"),
        ]
        for (text, message) in refused {
            let error = await #expect(throws: EditError.self, "\(text)") {
                try await rows.preview(add(text))
            }
            #expect(error?.message == message)
        }
        await session.close()
    }

    @Test func foreignKeyIsChosenFromTheReferencedRows() async throws {
        let session = try await session(isWritable: true)
        let rows = try await rows(session, of: "purchase")
        let all = try await rows.choices(for: FieldPath("customer"), matching: "", current: nil)
        #expect(all?.title == "customer")
        #expect(all?.choices.map(\.title) == ["1  name Ann", "2  name Ben"])
        #expect(all?.choices.map(\.value) == [.init(.integer, "1"), .init(.integer, "2")])
        let some = try await rows.choices(for: FieldPath("customer"), matching: "be", current: nil)
        #expect(some?.choices.map(\.value.text) == ["2"])
        #expect(try await rows.choices(for: FieldPath("total"), matching: "", current: nil) == nil)
        await session.close()
    }

    @Test func textInAColumnOfBytesIsDuplicatedAndRestored() async throws {
        try run("CREATE TABLE item (id INTEGER PRIMARY KEY, value BLOB)")
        try run("INSERT INTO item VALUES (1, 'text')")
        let session = try await session(isWritable: true)
        let rows = try await rows(session, of: "item")
        let template = try #require(try await rows.template(of: RowID("item/1")))
        _ = try await rows.apply(
            try await rows.preview(.add(name: "", parent: nil, template)))
        let deleted = try await rows.apply(
            try await rows.preview(.remove([RowID("item/1")], field: nil)))
        for edit in deleted.undo { _ = try await rows.apply(try await rows.preview(edit)) }
        let window = try await rows.window(WindowRequest(count: 9))
        #expect(texts(window) == [["1", "text"], ["2", "text"]])
        // A typed text is still most likely a mistake.
        await #expect(throws: EditError.self) {
            try await rows.preview(.add(name: "value", parent: nil, TypedText(.string, "x")))
        }
        await session.close()
    }

    @Test func duplicatedRowGetsAnotherRowID() async throws {
        let session = try await session(isWritable: true)
        let rows = try await rows(session, of: "customer")
        let template = try #require(try await rows.template(of: RowID("customer/2")))
        #expect(template == TypedText(.json, "{\"name\": \"Ben\"}"))
        let preview = try await rows.preview(.add(name: "", parent: nil, template))
        #expect(try await rows.apply(preview).rows == [RowID("customer/3")])
        await session.close()
    }

    @Test func severalRowsAreWrittenTogetherOrNotAtAll() async throws {
        try run("CREATE UNIQUE INDEX one ON customer (name)")
        let session = try await session(isWritable: true)
        let purchases = try await rows(session, of: "purchase")
        func edits(_ table: String, _ column: String, _ text: TypedText) -> [Edit] {
            [1, 2].map { .set(RowID("\(table)/\($0)"), field: FieldPath(column), text) }
        }
        let previews = try await purchases.previews(
            of: edits("purchase", "note", .init(.string, "paid")), typedOver: nil)
        let written = await purchases.apply(previews)
        let (applied, failure) = (written.applied, written.failure)
        #expect(failure == nil && applied.count == 1)
        let window = try await purchases.window(
            WindowRequest(query: RowQuery(filter: "note=paid"), position: .index(0), count: 9))
        #expect(window.total == 2)
        // One entry of the journal undoes both.
        let undo = try #require(applied.first?.undo.first)
        _ = try await purchases.apply(try await purchases.preview(undo))
        let customers = try await rows(session, of: "customer")
        let same = try await customers.previews(
            of: edits("customer", "name", .init(.string, "Cem")), typedOver: nil)
        let refused = await customers.apply(same)
        #expect(refused.applied.isEmpty && refused.left == same)
        #expect((refused.failure as? EditError)?.code == .invalid)
        let names = texts(try await customers.window(WindowRequest(count: 9))).map { $0[1] }
        #expect(names == ["Ann", "Ben"])
        await session.close()
    }

    @Test func onlyWritableColumnsAreFieldsOfARow() async throws {
        try run(
            """
            CREATE TABLE sum (a INTEGER, twice INTEGER AS (a * 2));
            INSERT INTO sum VALUES (4);
            """)
        let session = try await session(isWritable: true)
        let detail = try await rows(session, of: "sum").detail(of: RowID("sum/1"), at: nil)
        let lines = try #require(detail?.sections.first?.lines)
        #expect(lines.first { $0.label == "a" }?.field != nil)
        #expect(lines.contains { $0.label == "twice" && $0.text == "8" && $0.field == nil })
        await session.close()
    }

    @Test func readingTablesCreatesNoFiles() async throws {
        let before = try FolderState(of: folder.path)
        let session = try await session()
        for table in ["customer", "purchase", "large"] {
            let rows = try await rows(session, of: table)
            _ = try await rows.window(WindowRequest(count: 10))
        }
        await session.close()
        #expect(try FolderState(of: folder.path) == before)
    }
}
