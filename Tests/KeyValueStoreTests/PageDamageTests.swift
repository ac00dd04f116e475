import Foundation
import GRDB
import KeyValueStore
import Replication
import TestSupport
import Testing

/// Data rule 4, for every page of a log: other devices' rows are complete, problems are reported,
/// and writing continues according to data rules 6 to 9.
@Suite struct PageDamageTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let format: LogFormat
        let pageSize: Int
        let damage: PageDamage
        var testDescription: String { "\(format.rawValue), \(pageSize) bytes, \(damage.rawValue)" }
    }

    static let cases: [Case] = [LogFormat.tideline2, .parstore1].flatMap { format in
        [512, 4_096].flatMap { size in
            PageDamage.allCases.map { Case(format: format, pageSize: size, damage: $0) }
        }
    }

    /// A package in which `a`, `b`, and `o` wrote and saw each other's rows.
    private struct Scene {
        let fixture: StoreFixture
        let pageSize: Int
        /// The undamaged logs.
        let files: [String: Data]
        /// The merged values of all logs, and those without each log.
        let whole: [Name: PropertyList]
        let without: [String: [Name: PropertyList]]
        let rows: [LogRow]

        init(_ scene: Case) throws {
            fixture = try StoreFixture()
            pageSize = scene.pageSize
            let fixture = fixture
            if scene.format == .parstore1 {
                _ = try ParstoreFile(at: fixture.logPath("a"))
            }
            func write(_ device: String, _ keys: [String], _ round: Int) throws {
                fixture.clock.advance(microseconds: 1_000_000)
                let store = try fixture.store(device) { configuration in
                    if device != "a" { configuration.format = .tideline2 }
                }
                for key in keys {
                    try store.set(.string("\(device) \(key) \(round), some more"), forKey: key)
                }
                try store.close()
            }
            let shared = (0..<6).map { "shared/\($0)" }
            for round in 0..<3 {
                try write("a", (0..<12).map { "a/\($0)" } + shared, round)
                try write("o", (0..<4).map { "o/\($0)" } + shared.dropFirst(2), round)
                try write("b", (0..<4).map { "b/\($0)" } + shared.dropFirst(4), round)
            }
            try write("a", [shared[3], shared[5]], 3)
            var files: [String: Data] = [:]
            for device in ["a", "b", "o"] {
                try fixture.vacuum(device, pageSize: scene.pageSize)
                files[device] = try Data(contentsOf: fixture.url(device))
            }
            self.files = files
            let reader = try fixture.store(nil)
            whole = reader.everything
            rows = try reader.rows(since: nil)
            var without: [String: [Name: PropertyList]] = [:]
            for device in ["a", "b"] {
                try FileManager.default.removeItem(at: fixture.url(device))
                without[device] = try fixture.store(nil).everything
                try files[device]?.write(to: fixture.url(device))
            }
            self.without = without
        }

        func heal() throws {
            for (device, file) in files { try file.write(to: fixture.url(device)) }
        }

        /// Runs `body` with each page of a device's log damaged in turn.
        func forEachPage(
            of device: String, _ damage: PageDamage, quick: Int, _ body: (String) throws -> Void
        ) throws {
            let file = try #require(files[device])
            let count = file.count / pageSize
            var random = SeededRandom(seed: UInt64(pageSize))
            for page in PageDamage.pages(of: count, quick: quick) {
                let damaged = damage.applied(to: file, page: page, of: pageSize, using: &random)
                try damaged.write(to: fixture.url(device))
                try body("page \(page) of \(count)")
                try heal()
            }
        }

        /// Expects that a store's values are correct, or that the device's problem is reported.
        func check(
            _ store: KeyValueStore, damaged: String, _ page: String,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let status = try #require(store.devices.first { $0.device.name == damaged })
            let shown = store.everything
            if status.state == .ok {
                #expect(shown == whole, "\(page)", sourceLocation: sourceLocation)
            } else {
                #expect(status.problem?.isEmpty == false, "\(page)", sourceLocation: sourceLocation)
                let rest = try #require(without[damaged])
                if status.rows == 0 {
                    #expect(shown == rest, "\(page)", sourceLocation: sourceLocation)
                }
                for (key, value) in rest {
                    #expect(
                        shown[key] == value || shown[key] == whole[key], "\(key), \(page)",
                        sourceLocation: sourceLocation)
                }
                for (key, value) in shown {
                    #expect(
                        value == rest[key] || value == whole[key]
                            || value.description.hasPrefix("\"\(damaged) "), "\(key), \(page)",
                        sourceLocation: sourceLocation)
                }
            }
            for other in store.devices where other.device.name != damaged {
                #expect(
                    other.state == .ok || other.state == .absent, "\(page)",
                    sourceLocation: sourceLocation)
            }
        }

        /// Expects that the past is complete as far as other devices wrote it.
        func checkPast(_ store: KeyValueStore, damaged: String, _ page: String) throws {
            let others = rows.filter { $0.device.name != damaged }
            let listed = try store.rows(limit: 10_000)
            #expect(
                listed.rows.filter { $0.device.name != damaged }.map(\.position)
                    == others.map(\.position), "\(page)")
            let middle = others[others.count / 2].timestamp
            let past = try store.readableRows(at: middle)
            let newest = Dictionary(
                others.filter { $0.timestamp <= middle }.map { ($0.key, $0) },
                uniquingKeysWith: { $1 })
            for (key, row) in newest {
                let found = try #require(past.rows[key], "\(key), \(page)")
                #expect(found.timestamp >= row.timestamp, "\(key), \(page)")
            }
            #expect(try store.rank(through: .distantFuture) >= others.count, "\(page)")
            let timeline = try store.timeline()
            #expect(timeline.samples.keys.contains { $0.name == "o" }, "\(page)")
            _ = try store.conflicts()
            _ = try store.conflicts(at: middle)
        }
    }

    @Test(arguments: cases)
    func damageInAForeignLogDoesNotHideOtherDevices(_ scene: Case) throws {
        let world = try Scene(scene)
        try world.forEachPage(of: "a", scene.damage, quick: 20) { page in
            let store = try world.fixture.store("b")
            try world.check(store, damaged: "a", page)
            try world.checkPast(store, damaged: "a", page)
        }
    }

    @Test(arguments: cases)
    func writesNextToADamagedLogWinAfterRecovery(_ scene: Case) throws {
        let world = try Scene(scene)
        let last = try #require(world.rows.last)
        try world.forEachPage(of: "a", scene.damage, quick: 5) { page in
            let store = try world.fixture.store("b")
            // For these keys, this device has rows that had seen those of the damaged log.
            for key in ["shared/4", "shared/5", "b/0"] { try store.set("new", forKey: key) }
            try store.close()
            let written =
                try world.fixture.query(
                    "b", "SELECT timestamp FROM log ORDER BY id") as [Int64?]
            #expect(written.compactMap { $0 } == written.compactMap { $0 }.sorted(), "\(page)")
            try #require(world.files["a"]).write(to: world.fixture.url("a"))
            let healed = try world.fixture.store(nil)
            #expect(healed["shared/4"] == "new", "\(page)")
            #expect(healed["b/0"] == "new", "\(page)")
            #expect(healed.conflict(about: "shared/4") == false, "\(page)")
            #expect(last.timestamp < healed.timestamp(of: "b/0"), "\(page)")
        }
    }

    @Test(arguments: cases)
    func knownRowsStayWhileALogIsDamaged(_ scene: Case) throws {
        let world = try Scene(scene)
        try world.forEachPage(of: "a", scene.damage, quick: 5) { page in
            try #require(world.files["a"]).write(to: world.fixture.url("a"))
            let store = try world.fixture.store("b")
            var random = SeededRandom(seed: 7)
            let file = try #require(world.files["a"])
            let number = Int(page.split(separator: " ")[1]) ?? 0
            try scene.damage.applied(
                to: file, page: number, of: scene.pageSize, using: &random
            ).write(to: world.fixture.url("a"))
            try store.sync()
            #expect(store.everything == world.whole, "\(page)")
            // Another log is restored from an older copy. All logs are read again, and the known
            // rows of this one stay.
            try world.fixture.execute(
                "o", "UPDATE meta SET value = '\(UUID().uuidString)' WHERE key = 'identity'")
            try store.sync()
            #expect(store.everything == world.whole, "\(page)")
            // New rows have all known rows as ancestors.
            for key in ["a/1", "shared/0", "shared/3"] { try store.set("new", forKey: key) }
            try store.save()
            try file.write(to: world.fixture.url("a"))
            try store.sync()
            #expect(store.devices.allSatisfy { $0.state == .ok }, "\(page)")
            let healed = try world.fixture.store(nil)
            for key in ["a/1", "shared/0", "shared/3"] {
                #expect(healed[key] == "new", "\(key), \(page)")
                #expect(!healed.conflict(about: key), "\(key), \(page)")
            }
            #expect(store.everything == healed.everything, "\(page)")
            #expect(store.conflictKeys == healed.conflictKeys, "\(page)")
            try store.close()
        }
    }

    @Test(arguments: cases)
    func incompletelyReadLogIsNotAppendedTo(_ scene: Case) throws {
        let world = try Scene(scene)
        let last = try #require(world.rows.last { $0.device.name == "a" })
        try world.forEachPage(of: "a", scene.damage, quick: 12) { page in
            let before = try Data(contentsOf: world.fixture.url("a"))
            let store = try world.fixture.store("a")
            try world.check(store, damaged: "a", page)
            do {
                try store.set("new", forKey: "a/1")
                try store.save()
            } catch {
                #expect(
                    try Data(contentsOf: world.fixture.url("a")) == before || before.isEmpty,
                    "\(page)")
                return
            }
            // In an empty file, the first transaction did not complete.
            if before.isEmpty { return }
            #expect(store.timestamp(of: "a/1") > last.timestamp, "\(page)")
            let again = try world.fixture.store(nil)
            let status = try #require(again.devices.first { $0.device.name == "a" })
            if status.state == .ok { #expect(again["a/1"] == "new", "\(page)") }
        }
    }
}

extension StoreFixture {
    fileprivate func url(_ device: String) -> URL { URL(fileURLWithPath: logPath(device)) }

    /// Changes the page size of a log.
    fileprivate func vacuum(_ device: String, pageSize: Int) throws {
        try runSQL(
            "PRAGMA page_size = \(pageSize); VACUUM", at: logPath(device), isTransaction: false)
    }
}

extension KeyValueStore {
    fileprivate func conflict(about key: String) -> Bool { conflictKeys.contains(key) }

    fileprivate func timestamp(of key: String) -> Timestamp {
        entry(forKey: key)?.timestamp ?? .distantPast
    }
}
