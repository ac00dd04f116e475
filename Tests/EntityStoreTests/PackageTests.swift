import Foundation
import GRDB
import Replication
import TestSupport
import Testing

@testable import EntityStore

@Suite struct PackageTests {
    private let folder: TemporaryFolder
    private let package: StorePackage

    init() throws {
        folder = try TemporaryFolder()
        package = try StorePackage(creating: folder.appending("Notes.store"))
    }

    private func open(_ device: String?) async throws -> EntityStore {
        try await EntityStore.open(package, device: device.map { try DeviceID($0) })
    }

    private func path(_ device: String) throws -> String {
        try package.device(DeviceID(device)).path(of: .entities)
    }

    @Test func readingCreatesNothing() async throws {
        let store = try await open("anna")
        #expect(try await store.count() == 0)
        let devices = package.path + "/Devices"
        #expect(try FileManager.default.contentsOfDirectory(atPath: devices).isEmpty)
        _ = try await store.make("t", "x")
        #expect(try FileManager.default.contentsOfDirectory(atPath: devices) == ["anna"])
    }

    @Test func reopenedStoreHasTheWrittenContent() async throws {
        let first = try await open("anna")
        let made = try await first.make("person", "p", "q")
        try await first.add([(made[0], everyKind)])
        try await first.relate([(made[0], made[1])], key: "knows", type: "well")
        try await first.set([(made[0], ["name": "new"])])
        try await first.delete([made[1]])
        await first.close()
        let second = try await open(nil)
        #expect(try await second.records() == first.records())
        #expect(try await second.entries(of: [made[0]]) == first.entries(of: [made[0]]))
        #expect(second.isWritable == false)
        _ = await expectError(.readOnly) { try await second.delete([made[0]]) }
    }

    @Test func entityThatAnotherProcessHasCreatedIsNotCreatedAgain() async throws {
        var configuration = EntityStore.Configuration()
        configuration.watchesFolder = false
        let anna = try DeviceID("anna")
        let first = try await EntityStore.open(
            package, device: anna, configuration: configuration)
        let second = try await EntityStore.open(
            package, device: anna, configuration: configuration)
        _ = try await first.make("person", "p", "q")
        try await first.delete([.identifier("q")])
        _ = await expectError(.exists) { _ = try await second.make("book", "p") }
        _ = try await second.make("book", "q")
        _ = try await first.make("person", "r")
        _ = try await second.resolve([.identifier("r").orCreate("person")])
        #expect(try await second.identifiers().sorted() == ["p", "q", "r"])
        await first.close()
        await second.close()
    }

    @Test func fileIsReadableWithPlainSQLite() async throws {
        let store = try await open("anna")
        let made = try await store.make("person", "p", "q")
        try await store.relate([(made[0], made[1])], key: "knows")
        try await store.remove(["name"], of: [made[1]])
        await store.close()
        let rows = try await DatabaseQueue(path: path("anna")).read { db in
            try Row.fetchAll(
                db, sql: "SELECT id, operation, entity, key, value FROM readable ORDER BY id"
            ).map { row in
                row.map { "\($0.1.storage.value ?? "-")" }.joined(separator: " ")
            }
        }
        #expect(
            rows == [
                "1 creation p - -", "2 entry p name p", "3 creation q - -", "4 entry q name q",
                "5 entry p knows q", #"6 removal q name {"upTo":{"anna":4}}"#,
            ])
    }

    @Test func foreignWritesAppear() async throws {
        let anna = try await open("anna")
        let ben = try await open("ben")
        var events = anna.events().makeAsyncIterator()
        let made = try await ben.make("person", "p")
        let changes = try #require(await nextChange(&events))
        #expect(changes.origin == .device(try DeviceID("ben")))
        #expect(changes.added == made)
        #expect(try await anna.value("name", of: made[0]) == "p")
        try await ben.add([(made[0], ["age": 3])])
        #expect(await nextChange(&events)?.keys == ["age"])
        #expect(await anna.devices.map(\.rows) == [3])
        await anna.close()
        await ben.close()
    }

    @Test func twoProcessesOfOneDeviceShareItsLog() async throws {
        let first = try await open("anna")
        let second = try await open("anna")
        for number in 0..<5 {
            _ = try await first.make("t", "first-\(number)")
            _ = try await second.make("t", "second-\(number)")
        }
        try await first.sync()
        try await second.sync()
        #expect(try await first.count() == 10)
        #expect(try await first.records() == second.records())
        let third = try await open(nil)
        #expect(try await third.records() == first.records())
        #expect(await third.devices.map(\.state) == [.ok])
        await first.close()
        await second.close()
    }

    @Test func readingStopsBeforeAGap() async throws {
        let ben = try await open("ben")
        let made = try await ben.make("t", "a", "b")
        await ben.close()
        let queue = try DatabaseQueue(path: path("ben"))
        try await queue.write { try $0.execute(sql: "DELETE FROM log WHERE id = 3") }
        let anna = try await open("anna")
        #expect(try await anna.entities() == [made[0]])
        let status = try #require(await anna.devices.first)
        #expect(status.state == .incomplete)
        #expect(status.problem?.contains("row 3") == true)
        // The rest of the copy arrives.
        try await queue.write { db in
            try db.execute(
                sql: """
                    INSERT INTO log SELECT 3, timestamp, 1, 4, NULL, 2, NULL, NULL, NULL
                    FROM log WHERE id = 4
                    """)
        }
        try queue.close()
        try await anna.sync()
        #expect(try await anna.entities() == made)
        #expect(await anna.devices.first?.state == .ok)
        await anna.close()
    }

    private struct Damage: Sendable, CustomTestStringConvertible {
        let sql: String
        let says: String
        var testDescription: String { says }
    }

    @Test(arguments: [
        Damage(sql: "UPDATE log SET operation = 9 WHERE id = 2", says: "operation"),
        Damage(sql: "UPDATE log SET operation = 256 WHERE id = 2", says: "operation"),
        Damage(sql: "UPDATE log SET entity = 99 WHERE id = 2", says: "doesn't name an entity"),
        Damage(sql: "UPDATE log SET key = -1 WHERE id = 2", says: "doesn't name a key"),
        Damage(sql: "UPDATE log SET kind = 10 WHERE id = 2", says: "kind that this program"),
        Damage(sql: "UPDATE log SET value = 7 WHERE id = 2", says: "match its kind"),
        Damage(sql: "UPDATE log SET kind = 7, value = 70 WHERE id = 2", says: "match its kind"),
        Damage(sql: "UPDATE log SET operation = 3 WHERE id = 2", says: "entries that it removes"),
        Damage(sql: "UPDATE meta SET value = 'tideline-3' WHERE key = 'format'", says: "form"),
        Damage(sql: "UPDATE meta SET value = 'zoe' WHERE key = 'device'", says: "zoe"),
        Damage(sql: "DROP TABLE names", says: "not an entity log"),
        Damage(
            sql: "ALTER TABLE names RENAME TO n; CREATE VIEW names AS SELECT * FROM n",
            says: "not an ordinary table"),
    ])
    private func damagedDeviceIsNamedAndDoesNotHideOthers(_ damage: Damage) async throws {
        let ben = try await open("ben")
        _ = try await ben.make("t", "a", "b")
        await ben.close()
        let cleo = try await open("cleo")
        _ = try await cleo.make("t", "c")
        await cleo.close()
        let queue = try DatabaseQueue(path: path("ben"))
        try await queue.write { try $0.execute(sql: damage.sql) }
        try queue.close()
        let anna = try await open("anna")
        #expect(try await anna.identifiers().contains("c"))
        #expect(try await anna.identifiers().contains("b") == false)
        let status = try #require(await anna.devices.first)
        #expect(status.state == .unreadable)
        #expect(status.problem?.contains(damage.says) == true, "\(status.problem ?? "")")
        await anna.close()
    }

    @Test func truncatedFileIsIncompleteAndRecovers() async throws {
        let ben = try await open("ben")
        _ = try await ben.make("t", "a", "b")
        await ben.close()
        let url = URL(fileURLWithPath: try path("ben"))
        let whole = try Data(contentsOf: url)
        for length in [0, 10, 100, 4096, whole.count - 1] {
            try whole.prefix(length).write(to: url)
            let anna = try await open("anna")
            #expect(try await anna.count() == 0)
            #expect(await anna.devices.first?.state != .ok, "\(length) bytes")
            try whole.write(to: url)
            try await anna.sync()
            #expect(try await anna.count() == 2)
            #expect(await anna.devices.first?.state == .ok)
            await anna.close()
        }
    }

    @Test func entityWithoutItsCreationHasNoType() async throws {
        let ben = try await open("ben")
        let made = try await ben.make("person", "x")
        await ben.close()
        let cleo = try await open("cleo")
        try await cleo.add([(made[0], ["age": 3])])
        await cleo.close()
        let away = folder.appending("ben")
        let place = package.path + "/Devices/ben"
        try FileManager.default.moveItem(atPath: place, toPath: away)
        let anna = try await open("anna")
        let record = try #require(try await anna.records(of: made)[0])
        #expect(record.type == "")
        #expect(record.properties.keys == ["age"])
        #expect(try await anna.count(EntityQuery(types: [""])) == 1)
        let text = try await anna.export()
        let other = try EntityStore.inMemory()
        try await other.importInterchange(text)
        #expect(try await other.export() == text)
        try FileManager.default.moveItem(atPath: away, toPath: place)
        try await anna.sync()
        #expect(try await anna.records(of: made)[0]?.type == "person")
        #expect(try await anna.properties(of: made)[0]?.keys == ["age", "name"])
        await anna.close()
    }

    @Test func replacedFileIsReread() async throws {
        let ben = try await open("ben")
        let made = try await ben.make("t", "a")
        await ben.close()
        let anna = try await open("anna")
        _ = try await anna.make("t", "mine")
        let url = URL(fileURLWithPath: try path("ben"))
        try FileManager.default.removeItem(at: url)
        let again = try await open("ben")
        try await again.add([(.new("t", identifier: "other"), ["x": 1])])
        await again.close()
        try await anna.sync()
        #expect(try await anna.identifiers().sorted() == ["mine", "other"])
        #expect(try await anna.resolve(made) == [nil])
        _ = try await anna.make("t", "more")
        #expect(try await anna.count() == 3)
        await anna.close()
    }

    @Test func failedWriteChangesNothing() async throws {
        let anna = try await open("anna")
        let made = try await anna.make("t", "a")
        let queue = try DatabaseQueue(path: path("anna"))
        try await queue.write {
            try $0.execute(
                sql: """
                    CREATE TRIGGER refuse BEFORE INSERT ON log BEGIN
                        SELECT raise(ABORT, 'refused');
                    END
                    """)
        }
        await #expect(throws: (any Error).self) {
            try await anna.add([(made[0], ["new key": "x"])])
        }
        try await queue.write { try $0.execute(sql: "DROP TRIGGER refuse") }
        try queue.close()
        try await anna.add([(made[0], ["another": "y"])])
        let again = try await open(nil)
        #expect(try await again.properties(of: made)[0]?.keys == ["another", "name"])
        #expect(try await again.records() == anna.records())
        await anna.close()
    }

    @Test func removalOfThePackageIsReported() async throws {
        let anna = try await open("anna")
        _ = try await anna.make("t", "a")
        var events = anna.events().makeAsyncIterator()
        try FileManager.default.moveItem(
            atPath: package.path, toPath: folder.appending("Moved.store"))
        await #expect(throws: ReplicationError.self) { try await anna.sync() }
        var isGone = false
        while !isGone, let event = await events.next() { isGone = event.kind == .deleted }
        #expect(isGone)
        #expect(try await anna.count() == 1)
        await anna.close()
    }

    @Test func returnedPackageIsReadAgain() async throws {
        let anna = try await open("anna")
        let made = try await anna.make("t", "a")[0]
        var events = anna.events().makeAsyncIterator()
        let away = folder.appending("Moved.store")
        try FileManager.default.moveItem(atPath: package.path, toPath: away)
        while let event = await events.next(), event.kind != .deleted {}
        try FileManager.default.moveItem(atPath: away, toPath: package.path)
        while let event = await events.next(), event.kind != .returned {}
        let ben = try await open("ben")
        try await ben.set([(made, ["name": "new"])])
        while let event = await events.next() {
            if case .changed(let changes) = event.kind, changes.changed == [made] { break }
        }
        #expect(try await anna.properties(of: [made])[0]?[value: "name"] == "new")
        await anna.close()
        await ben.close()
    }

    @Test func devicesThatExchangeFilesAgree() async throws {
        for seed in 0..<UInt64(min(runCount(8), 40)) {
            var random = SeededRandom(seed: seed)
            let names = ["anna", "ben", "cleo"]
            var folders: [TemporaryFolder] = []
            var stores: [EntityStore] = []
            for name in names {
                let folder = try TemporaryFolder()
                folders.append(folder)
                let package = try StorePackage(creating: folder.appending("S.store"))
                stores.append(try await EntityStore.open(package, device: DeviceID(name)))
            }
            func carry(_ from: Int, _ to: Int) throws {
                let place = "S.store/Devices/\(names[from])"
                let source = folders[from].appending(place) + "/Entities.db"
                guard FileManager.default.fileExists(atPath: source) else { return }
                let target = folders[to].appending(place)
                try FileManager.default.createDirectory(
                    atPath: target, withIntermediateDirectories: true)
                // Like a sync service, write a temporary file and then rename it.
                let part = target + "/.Entities.db.part"
                try? FileManager.default.removeItem(atPath: part)
                try FileManager.default.copyItem(atPath: source, toPath: part)
                _ = rename(part, target + "/Entities.db")
            }
            for _ in 0..<20 {
                let who = Int.random(in: 0..<3, using: &random)
                let name = ["x", "y", "z"].randomElement(using: &random) ?? "x"
                let entity = EntityReference.identifier(name)
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1: _ = try await stores[who].resolve([entity.orCreate("t")])
                case 2 where try await stores[who].resolve([entity]) != [nil]:
                    try await stores[who].add([(entity, ["k": .integer(Int64(who))])])
                case 3 where try await stores[who].resolve([entity]) != [nil]:
                    try await stores[who].remove(["k"], of: [entity])
                case 4: try await stores[who].delete([entity])
                default:
                    let other = Int.random(in: 0..<3, using: &random)
                    if other != who {
                        try carry(other, who)
                        try await stores[who].sync()
                    }
                }
            }
            for to in 0..<3 {
                for from in 0..<3 where from != to { try carry(from, to) }
                try await stores[to].sync()
            }
            let expected = try await stores[0].export()
            for store in stores {
                #expect(try await store.export() == expected, "seed \(seed)")
                await store.close()
            }
        }
    }

    @Test(arguments: [Int64.min, -63_113_904_000_000_001, 252_423_993_600_000_000, .max / 2, .max])
    func rowWithAnImpossibleTimeDoesNotHideOthers(_ time: Int64) async throws {
        let ben = try await open("ben")
        let made = try await ben.make("t", "kept", "gone")
        try await ben.delete([made[1]])
        await ben.close()
        let queue = try DatabaseQueue(path: path("ben"))
        try await queue.write { db in
            let gone = try Int64.fetchOne(db, sql: "SELECT id FROM names WHERE name = 'gone'") ?? 0
            for column in ["timestamp", "date"] {
                let key = try Int64.fetchOne(db, sql: "SELECT id FROM names WHERE name = 'name'")
                try db.execute(
                    sql: """
                        INSERT INTO log (timestamp, operation, entity, tag)
                        SELECT timestamp, 1, \(gone), tag FROM log WHERE operation = 1 LIMIT 1;
                        INSERT INTO log (timestamp, operation, entity, key, kind, value)
                        SELECT timestamp, 2, \(gone), \(key ?? 0), 1, 'poison'
                        FROM log WHERE operation = 2 LIMIT 1;
                        UPDATE log SET \(column) = \(time)
                        WHERE id > (SELECT max(id) FROM log) - 2;
                        """)
            }
        }
        try queue.close()
        let anna = try await open("anna")
        #expect(try await anna.identifiers() == ["kept"])
        let problem = await anna.devices.first { $0.device.name == "ben" }
        #expect(problem?.problem == Timestamp.unrecordableProblem)
        #expect(problem?.last?.isRecordable == true)
        try await anna.set([(.identifier("kept"), ["name": "by anna"])])
        _ = try await anna.make("t", "gone")
        #expect(try await anna.identifiers().sorted() == ["gone", "kept"])
        await anna.close()
        // A device's own log with such rows is still appended to.
        let again = try await open("ben")
        try await again.set([(.identifier("kept"), ["name": "by ben"])])
        #expect(try await again.value("name", of: .identifier("kept")) == .string("by ben"))
        await again.close()
        let reader = try await open(nil)
        #expect(try await reader.value("name", of: .identifier("kept")) == .string("by ben"))
        #expect(try await reader.identifiers().sorted() == ["gone", "kept"])
    }

    @Test func rowsAtTheEndOfTimeDoNotPreventWrites() async throws {
        let ben = try await open("ben")
        let made = try await ben.make("t", "x")
        await ben.close()
        let queue = try DatabaseQueue(path: path("ben"))
        try await queue.write { db in
            try db.execute(
                sql: "UPDATE log SET timestamp = ?", arguments: [Timestamp.latest.microseconds])
        }
        try queue.close()
        for name in ["anna", "ben", "anna"] {
            let store = try await open(name)
            try await store.set([(made[0], ["name": .string(name)])])
            #expect(try await store.value("name", of: made[0]) == .string(name))
            await store.close()
            let reader = try await open(nil)
            #expect(try await reader.value("name", of: made[0]) == .string(name))
            await reader.close()
        }
    }
}
