import AutoModel
import Foundation
import GRDB
import TestSupport
import Testing

@Suite struct MigrationTests {
    /// Creates a file with the old declarations and opens it with the new ones.
    private func migrate<Result>(
        _ old: [any AutoRecord.Type], _ fill: String, to new: [any AutoRecord.Type],
        configure: (inout AutoDatabase.Configuration) -> Void = { _ in },
        _ body: (AutoDatabase) throws -> Result
    ) throws -> Result {
        let folder = try TemporaryFolder()
        let path = folder.appending("models.db")
        let before = try opened(path, old)
        for sql in fill.split(separator: ";") { try before.execute(String(sql)) }
        try before.close()
        var configuration = AutoDatabase.Configuration()
        configure(&configuration)
        let after = try opened(path, new, configuration)
        defer { try? after.close() }
        // Opening matching tables changes nothing.
        let version = try after.rows("PRAGMA schema_version")
        let again = try opened(path, new)
        #expect(try again.rows("PRAGMA schema_version") == version)
        try again.close()
        return try after.use { try body(after) }
    }

    private let rows = "INSERT INTO Item (id, name, size) VALUES (1, 'one', 11), (2, 'two', 22)"

    @Test func columnsAreAddedWithTheirDefaults() throws {
        try migrate([V1.Item.self], rows, to: [Added.Item.self]) { database in
            try database.expect(
                "SELECT name, size, note, level FROM Item",
                [["one", 11, nil, 3], ["two", 22, nil, 3]])
            let stamps = try database.rows("SELECT DISTINCT stamp FROM Item")
            #expect(stamps.count == 2)
        }
    }

    @Test func columnsAreRenamedThroughChainsOfNames() throws {
        for old in [[V1.Item.self] as [any AutoRecord.Type], [Renamed1.Item.self]] {
            let sql =
                old[0] == V1.Item.self
                ? rows : rows.replacingOccurrences(of: "size", with: "amount")
            try migrate(old, sql, to: [Renamed2.Item.self]) { database in
                try database.expect("SELECT name, number FROM Item", [["one", 11], ["two", 22]])
            }
        }
    }

    @Test func renamedTableKeepsIndexesAndRelations() throws {
        try migrate(
            [V1.Shelf.self, V1.Item.self],
            rows + "; INSERT INTO Shelf (id) VALUES (9); "
                + "INSERT INTO Shelf_items (id, owner, place, target) VALUES (1, 9, 0, 2)",
            to: [Moved.Rack.self, V1.Item.self]
        ) { database in
            let rack = try #require(try Moved.Rack.fetch(9))
            #expect(try rack.items.objects().map(\.name) == ["two"])
            #expect(
                try database.rows("SELECT 1 FROM sqlite_master WHERE name LIKE 'Shelf%'").isEmpty)
        }
    }

    @Test func columnWithValuesIsDroppedOnlyIfAllowed() throws {
        let error = #expect(throws: AutoModelError.self) {
            try migrate([V1.Item.self], rows, to: [Dropped.Item.self]) { _ in }
        }
        #expect(error?.code == .wouldLoseData && error?.ids == [1, 2])
        try migrate([V1.Item.self], rows, to: [Dropped.Said.self]) { database in
            try database.expect("SELECT * FROM Item", [[1, "one"], [2, "two"]])
        }
        let asked = Asked()
        try migrate(
            [V1.Item.self], rows, to: [Dropped.Item.self],
            configure: { $0.onDataLoss = asked.allow }
        ) { database in
            try database.expect("SELECT * FROM Item", [[1, "one"], [2, "two"]])
        }
        let loss = try #require(asked.losses.first)
        #expect(asked.losses.count == 1 && loss.kind == .column && loss.column == "size")
        #expect(loss.table == "Item" && loss.count == 2 && loss.ids == [1, 2])
        // A column that never had values isn't data.
        try migrate(
            [V1.Item.self], "INSERT INTO Item (id, name) VALUES (1, 'one')", to: [Dropped.Item.self]
        ) { try $0.expect("SELECT * FROM Item", [[1, "one"]]) }
    }

    @Test func losslessTypeChangesConvertValues() throws {
        try migrate([V1.Item.self], rows, to: [Typed.Text.self]) { database in
            try database.expect("SELECT size FROM Item", [["11"], ["22"]])
        }
        try migrate(
            [Typed.Text.self], "INSERT INTO Item (id, size) VALUES (1, '5'), (2, '-7')",
            to: [V1.Item.self]
        ) { try $0.expect("SELECT size FROM Item", [[5], [-7]]) }
    }

    @Test func narrowerTypeNeedsPermission() throws {
        let old: [any AutoRecord.Type] = [Typed.Text.self]
        let fill = "INSERT INTO Item (id, size) VALUES (1, '5'), (2, '5 kg')"
        let error = #expect(throws: AutoModelError.self) {
            try migrate(old, fill, to: [V1.Item.self]) { _ in }
        }
        #expect(error?.code == .wouldLoseData && error?.ids == [2])
        try migrate(old, fill, to: [V1.Item.self], configure: { $0.onDataLoss = { _ in .allow } }) {
            try $0.expect("SELECT size FROM Item", [[5], [0]])
        }
        try migrate(old, fill, to: [Typed.Converted.self]) {
            try $0.expect("SELECT size FROM Item", [[1], [4]])
        }
    }

    @Test func missingValuesOfRequiredColumnsAreRefused() throws {
        let fill = "INSERT INTO Item (id, size) VALUES (1, 5), (2, NULL)"
        let error = #expect(throws: AutoModelError.self) {
            try migrate([Typed.Optional.self], fill, to: [V1.Item.self]) { _ in }
        }
        #expect(error?.code == .wouldLoseData && error?.ids == [2])
        try migrate([V1.Item.self], rows, to: [Typed.Optional.self]) {
            try $0.expect("SELECT size FROM Item", [[11], [22]])
        }
    }

    @Test func indexesFollowTheDeclaration() throws {
        let indices = "SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        try migrate([V1.Item.self], rows, to: [Indexed.Item.self]) { database in
            let sql = try database.rows(indices).map { "\($0[0])" }.joined(separator: "\n")
            #expect(
                sql.contains("(\\\"size\\\", \\\"name\\\")") || sql.contains("(\"size\", \"name\")")
            )
            #expect(sql.contains("lower(name)") && sql.contains("WHERE size > 3"))
            let error = #expect(throws: AutoModelError.self) {
                try database.execute("INSERT INTO Item (id, name) VALUES (3, 'one')")
            }
            #expect(error?.code == .notUnique)
        }
        try migrate([Indexed.Item.self], rows, to: [V1.Item.self]) {
            try $0.expect(indices, [])
        }
    }

    @Test func uniqueIndexOverDuplicatesNeedsPermission() throws {
        let fill = rows + "; INSERT INTO Item (id, name, size) VALUES (3, 'one', 33)"
        let error = #expect(throws: AutoModelError.self) {
            try migrate([V1.Item.self], fill, to: [Indexed.Item.self]) { _ in }
        }
        #expect(error?.code == .wouldLoseData && error?.ids == [3])
        let allow: (inout AutoDatabase.Configuration) -> Void = { $0.onDataLoss = { _ in .allow } }
        try migrate([V1.Item.self], fill, to: [Indexed.Item.self], configure: allow) {
            try $0.expect("SELECT id FROM Item", [[1], [2]])
        }
    }

    @Test func tableIsDeletedOnlyIfNamed() throws {
        let left = "SELECT count(*) FROM sqlite_master WHERE name = 'Item'"
        try migrate([V1.Item.self], rows, to: [Visit.self]) { try $0.expect(left, [[1]]) }
        try migrate(
            [V1.Item.self], rows, to: [Visit.self], configure: { $0.deletedTables = ["Item"] }
        ) { try $0.expect(left, [[0]]) }
    }

    @Test func fullTextIndexFollowsTheDeclaration() throws {
        try migrate([V1.Item.self], rows, to: [Searched.Item.self]) { _ in
            let found = try Searched.Item.search("tw").fetch()
            #expect(found.map(\.name) == ["two"])
        }
        try migrate([Searched.Item.self], rows, to: [V1.Item.self]) {
            try $0.expect("SELECT name FROM sqlite_master WHERE name LIKE 'Item%'", [["Item"]])
        }
    }

    @Test func tableMovesToAnotherFileAndBack() throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("models.db")
        var configuration = AutoDatabase.Configuration()
        configuration.files = ["cache": folder.appending("cache.db")]
        let first = try opened(path, [V1.Item.self], configuration)
        for sql in [rows] { try first.execute(sql) }
        try first.close()
        let second = try opened(path, [Moved.Item.self], configuration)
        #expect(try second.rows("SELECT 1 FROM sqlite_master WHERE name = 'Item'").isEmpty)
        try second.use {
            #expect(try Moved.Item.all.values { $0.name } == ["one", "two"])
            try Moved.Item.create { $0.name = "three" }.save()
        }
        try second.close()
        let third = try opened(path, [V1.Item.self], configuration)
        defer { try? third.close() }
        #expect(try third.rows("SELECT count(*) FROM Item") == [[3]])
    }

    @Test func eventsNameTheChangedTables() throws {
        let events = Asked()
        try migrate(
            [V1.Item.self], rows, to: [Typed.Text.self, Visit.self],
            configure: { $0.onMigration = events.note }
        ) { database in
            #expect(
                events.events == [
                    .willMigrate(file: database.path, tables: ["Item"]),
                    .progress(table: "Item", 1),
                    .didMigrate(file: database.path, tables: ["Item"]),
                ])
        }
    }

    @Test func conversionRunsForEveryValueWhoseTypeChanged() throws {
        let fill = """
            INSERT INTO Event (id, at, count, kind, tags, ratio)
            VALUES (1, 1700000000123, 3, 'a', 'x,y', 0.5), (2, 0, 0, 'b', '', 1.0)
            """
        try migrate([Retyped.Old.self], fill, to: [Retyped.New.self]) { _ in
            let events = try Retyped.New.all.order { [$0.id.ascending] }.fetch()
            #expect(events[0].at == Date(timeIntervalSince1970: 1_700_000_000.123))
            #expect(events[1].at == Date(timeIntervalSince1970: 0))
            #expect(events.map(\.count) == [.many, .none])
            #expect(events.map(\.kind) == [.first, .second])
            #expect(events.map(\.tags) == [["x", "y"], []])
            #expect(events.map(\.ratio) == [50, 100])
        }
    }

    @Test func valuesOfATypeThatBecomesOptionalAreNotConverted() throws {
        let fill = """
            INSERT INTO Event (id, at, count, kind, tags, ratio)
            VALUES (1, 1700000000123, 3, 'a', 'x,y', 0.5)
            """
        try migrate([Retyped.Old.self], fill, to: [Retyped.Loose.self]) {
            try $0.expect("SELECT at, ratio FROM Event", [[1_700_000_000_123, 0.5]])
        }
        // Only a missing value is asked for on the way back.
        try migrate(
            [Retyped.Loose.self],
            fill.replacingOccurrences(of: "0.5)", with: "NULL)"), to: [Retyped.Strict.self]
        ) { try $0.expect("SELECT at, ratio FROM Event", [[1_700_000_000_123, -1.0]]) }
    }

    @Test func valuesThatTheNewTypeCannotReadAreRefused() throws {
        let fill = "INSERT INTO Event (id, kind, tags) VALUES (1, 'a', '[]'), (2, 'c', 'x')"
        for (models, column) in [
            ([Retyped.Enumerated.self] as [any AutoRecord.Type], "kind"),
            ([Retyped.Coded.self], "tags"),
        ] {
            let asked = Asked()
            try migrate(
                [Retyped.Old.self], fill, to: models, configure: { $0.onDataLoss = asked.allow }
            ) { _ in }
            #expect(asked.losses.map(\.column) == [column] && asked.losses.first?.ids == [2])
            #expect(asked.losses.first?.kind == .narrowing)
        }
    }

    @Test func conversionThatGivesAnUnreadableValueIsRefused() throws {
        let error = #expect(throws: AutoModelError.self) {
            try migrate(
                [Retyped.Old.self], "INSERT INTO Event (id, kind) VALUES (1, 'a')",
                to: [Retyped.Wrong.self]
            ) { _ in }
        }
        #expect(error?.code == .invalidValue)
        #expect(error?.message.contains("'Event.kind'") == true)
    }

    @Test func movedAndDeletedTablesAreReported() throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("models.db")
        let cache = folder.appending("cache.db")
        let before = try opened(path, [V1.Item.self, Visit.self])
        try before.execute(rows)
        try before.close()
        let events = Asked()
        var configuration = AutoDatabase.Configuration()
        configuration.files = ["cache": cache]
        configuration.onMigration = events.note
        configuration.deletedTables = ["Visit"]
        try opened(path, [Moved.Item.self], configuration).close()
        #expect(
            events.events == [
                .willMigrate(file: cache, tables: ["Item"]),
                .didMigrate(file: cache, tables: ["Item"]),
                .willMigrate(file: path, tables: ["Item"]),
                .didMigrate(file: path, tables: ["Item"]),
                .willMigrate(file: path, tables: ["Visit"]),
                .didMigrate(file: path, tables: ["Visit"]),
            ])
        try opened(path, [Moved.Item.self], configuration).close()
        #expect(events.events.count == 6)
    }

    @Test func refusedMigrationLeavesTheFileUnchanged() throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("models.db")
        let before = try opened(path, [V1.Item.self])
        try before.execute(rows)
        let schema = "SELECT type, name, sql FROM sqlite_master ORDER BY name"
        let was = try before.rows(schema)
        try before.close()
        #expect(throws: AutoModelError.self) {
            try opened(path, [Added.Other.self, Dropped.Item.self])
        }
        let after = try opened(path, [V1.Item.self])
        defer { try? after.close() }
        #expect(try after.rows(schema) == was)
        #expect(try after.rows("SELECT count(*) FROM Item") == [[2]])
    }

    @Test func indexesAndTriggersOfOthersStay() throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("models.db")
        let before = try opened(path, [V1.Item.self])
        try before.execute(rows)
        try before.execute("CREATE INDEX theirs ON Item (name)")
        try before.execute("CREATE VIEW seen AS SELECT name FROM Item")
        try before.execute(
            "CREATE TRIGGER told AFTER INSERT ON Item BEGIN UPDATE Item SET name = 'x'; END")
        try before.close()
        let after = try opened(path, [Typed.Text.self])
        defer { try? after.close() }
        let names = "SELECT name FROM sqlite_master WHERE type <> 'table' ORDER BY name"
        #expect(try after.rows(names) == [["seen"], ["theirs"], ["told"]])
        #expect(try after.rows("SELECT name FROM seen") == [["one"], ["two"]])
    }

    @Test func tableWithoutIntegerIDIsRefused() throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("models.db")
        try DatabaseQueue(path: path).write {
            try $0.execute(sql: "CREATE TABLE Item (key TEXT PRIMARY KEY)")
        }
        let error = #expect(throws: AutoModelError.self) { try opened(path, [V1.Item.self]) }
        #expect(error?.code == .declaration)
    }
}

/// Collects the questions and events of a migration.
final class Asked: @unchecked Sendable {
    private let lock = NSLock()
    private var _losses: [DataLoss] = []
    private var _events: [MigrationEvent] = []
    var losses: [DataLoss] { lock.withLock { _losses } }
    var events: [MigrationEvent] { lock.withLock { _events } }

    @Sendable func allow(_ loss: DataLoss) -> DataLossAnswer {
        lock.withLock { _losses.append(loss) }
        return .allow
    }
    @Sendable func note(_ event: MigrationEvent) { lock.withLock { _events.append(event) } }
}
