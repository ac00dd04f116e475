import Foundation
import GRDB
import KeyValueStore
import Replication
import TestSupport
import Testing

@Suite struct ParstoreLogTests {
    /// Rows of several devices according to PARStore's rules, whose clocks may go back.
    static func randomRows(
        _ random: inout SeededRandom, devices: Int, count: Int, keys: Int
    ) -> [[ParstoreFile.Row]] {
        var logs: [[ParstoreFile.Row]] = Array(repeating: [], count: devices)
        var newest: [String: Int64] = [:]
        var clock: Int64 = 400_000_000_000_000
        for _ in 0..<count {
            clock += Int64.random(in: -3...20, using: &random)
            let key = "key/\(Int.random(in: 0..<keys, using: &random))"
            let isDeletion = Int.random(in: 0..<8, using: &random) == 0
            logs[Int.random(in: 0..<devices, using: &random)].append(
                ParstoreFile.Row(
                    timestamp: clock, parent: newest[key], key: key,
                    value: isDeletion ? nil : .integer(Int64.random(in: 0..<1_000, using: &random)))
            )
            newest[key] = max(newest[key] ?? .min, clock)
        }
        return logs
    }

    /// The dictionary by the definition of last writer wins. If timestamps are equal, the greater
    /// device wins, then the later row.
    static func dictionary(
        _ logs: [[ParstoreFile.Row]], at instant: Int64 = .max
    ) -> [Name: PropertyList] {
        var winners: [Name: (Int64, Int, Int, PropertyList?)] = [:]
        for (device, rows) in logs.enumerated() {
            for (index, row) in rows.enumerated() where row.timestamp <= instant {
                if let known = winners[row.key],
                    (known.0, known.1, known.2) > (row.timestamp, device, index)
                {
                    continue
                }
                winners[row.key] = (row.timestamp, device, index, row.value)
            }
        }
        return winners.compactMapValues { $0.3 }
    }

    @Test(arguments: [Int64.max, Int64.max - 1, 1 << 62, 1 << 32])
    func hugeRowNumbersAreNotMistakenForCounts(_ last: Int64) throws {
        let fixture = try StoreFixture()
        let file = try ParstoreFile(at: fixture.logPath("mac"))
        try file.write { db in
            for (id, number) in zip([1, 2, 3, last], 1...4) {
                let row = ParstoreFile.Row(
                    timestamp: 800_000_000_000_000 + Int64(number), key: "k", value: .integer(1))
                try file.insert(row, id: id, into: db)
            }
        }
        let store = try fixture.store(nil)
        let timeline = try store.timeline()
        #expect(timeline.total == 4)
        #expect(timeline.rank(of: .distantFuture) == 4)
        #expect(try store.rank(through: .distantFuture) == 4)
        #expect(try store.rows(limit: 10).rows.map(\.id) == [1, 2, 3, last])
    }

    @Test func packageOfThreeDevicesReadsAsLastWriterWinsAtAnyInstant() throws {
        var random = SeededRandom(seed: 41)
        let logs = Self.randomRows(&random, devices: 3, count: 3_000, keys: 150)
        let fixture = try StoreFixture()
        for (index, name) in ["A", "B", "C"].enumerated() {
            _ = try ParstoreFile(at: fixture.logPath(name), rows: logs[index])
        }
        let before = try Snapshot(of: fixture.package.path)
        let store = try fixture.store(nil)
        #expect(store.everything == Self.dictionary(logs))
        #expect(store.rowCount == 3_000)
        let instants = logs.flatMap { $0.map(\.timestamp) }
        for _ in 0..<20 {
            let instant = try #require(instants.randomElement(using: &random))
            let expected = Self.dictionary(logs, at: instant)
            #expect(try store.dictionary(at: Timestamp(microseconds: instant)) == expected)
            let key = "key/\(Int.random(in: 0..<150, using: &random))"
            #expect(
                try store.value(forKey: key, at: Timestamp(microseconds: instant)) == expected[key])
        }
        #expect(try store.dictionary(at: .distantPast) == [:])
        // Reading changed no bytes, names, or times.
        #expect(try Snapshot(of: fixture.package.path) == before)
    }

    @Test func existingLogIsContinuedInItsFormat() throws {
        let fixture = try StoreFixture()
        let old = fixture.clock.now.microseconds - 1_000
        let rows = [
            ParstoreFile.Row(timestamp: old, parent: nil, key: "title", value: "old"),
            ParstoreFile.Row(timestamp: old + 1, parent: nil, key: "gone", value: "x"),
        ]
        _ = try ParstoreFile(at: fixture.logPath("A"), rows: rows)
        let other = try ParstoreFile(
            at: fixture.logPath("B"),
            rows: [.init(timestamp: old + 5, parent: old, key: "title", value: "newer")])
        let untouched = try Data(contentsOf: URL(fileURLWithPath: other.path))
        let store = try fixture.store("A")
        try store.set("newest", forKey: "title")
        try store.removeValue(forKey: "gone")
        try store.set(1, forKey: "first")
        try store.save()
        #expect(
            try fixture.query("A", "SELECT Z_PK FROM ZLOG ORDER BY Z_PK") == [1, 2, 3, 4, 5])
        #expect(
            try fixture.query("A", "SELECT DISTINCT Z_ENT || '/' || Z_OPT FROM ZLOG") == ["1/1"])
        #expect(try fixture.query("A", "SELECT Z_MAX FROM Z_PRIMARYKEY") == [5])
        #expect(
            try fixture.query("A", "SELECT ZPARENTTIMESTAMP FROM ZLOG WHERE Z_PK > 2 ORDER BY Z_PK")
                == [old + 5, old + 1, nil])
        #expect(try fixture.query("A", "SELECT length(ZBLOB) FROM ZLOG WHERE Z_PK = 4") == [0])
        #expect(try Data(contentsOf: URL(fileURLWithPath: other.path)) == untouched)
        #expect(try fixture.store("B").everything == ["title": "newest", "first": 1])
    }

    @Test func newDeviceCopiesItsTablesFromAnotherDevice() throws {
        let fixture = try StoreFixture()
        let uuid = UUID()
        let sibling = try ParstoreFile(
            at: fixture.logPath("A"),
            rows: [.init(timestamp: 5, parent: nil, key: "k", value: "v")], uuid: uuid)
        let untouched = try Data(contentsOf: URL(fileURLWithPath: sibling.path))
        let store = try fixture.store("B")
        try store.set("w", forKey: "k")
        try store.save()
        for sql in [
            "SELECT Z_PLIST FROM Z_METADATA", "SELECT Z_VERSION FROM Z_METADATA",
            "SELECT Z_NAME FROM Z_PRIMARYKEY", "SELECT Z_ENT FROM Z_PRIMARYKEY",
            "SELECT name FROM sqlite_master ORDER BY name",
            "SELECT group_concat(name || type) FROM pragma_table_info('ZLOG')",
        ] {
            let own: [DatabaseValue?] = try fixture.query("B", sql)
            let theirs: [DatabaseValue?] = try fixture.query("A", sql)
            #expect(own == theirs, "\(sql)")
        }
        #expect(try fixture.query("B", "SELECT Z_MAX FROM Z_PRIMARYKEY") == [1])
        #expect(try fixture.query("B", "SELECT ZPARENTTIMESTAMP FROM ZLOG") == [5])
        let own: [String?] = try fixture.query("B", "SELECT Z_UUID FROM Z_METADATA")
        #expect(own.first.flatMap { $0 }.flatMap(UUID.init(uuidString:)) != nil)
        #expect(own != [uuid.uuidString])
        #expect(try Data(contentsOf: URL(fileURLWithPath: sibling.path)) == untouched)
        #expect(try fixture.store(nil).everything == ["k": "w"])
    }

    @Test func rowsAnywhereInAChangedLogAreFound() async throws {
        let fixture = try StoreFixture()
        let file = try ParstoreFile(
            at: fixture.logPath("A"),
            rows: [
                .init(timestamp: 100, parent: nil, key: "a", value: 1),
                .init(timestamp: 110, parent: nil, key: "b", value: 1),
            ])
        let store = try fixture.store(nil)
        var events = store.events().makeAsyncIterator()
        // After the others, as Core Data appends.
        try file.append([.init(timestamp: 120, parent: 110, key: "b", value: 2)])
        try await store.sync()
        #expect(store.everything == ["a": 1, "b": 2])
        #expect(try #require(await next(&events, EventTests.synced)).newest.map(\.id) == [3])
        // These rows have smaller ids than the others. The first is also older than all of them.
        try file.write { db in
            try file.insert(.init(timestamp: 90, parent: nil, key: "c", value: 3), id: 0, into: db)
            try file.insert(
                .init(timestamp: 130, parent: nil, key: "a", value: 4), id: -5, into: db)
        }
        try await store.sync()
        #expect(store.everything == ["a": 4, "b": 2, "c": 3])
        #expect(store.rowCount == 5)
        let sync = try #require(await next(&events, EventTests.synced))
        #expect(sync.newest.map(\.id) == [-5, 0])
        #expect(sync.newest.map(\.timestamp.microseconds).sorted() == [90, 130])
    }

    @Test func logThatLostRowsIsReadFromTheStart() throws {
        let fixture = try StoreFixture()
        let file = try ParstoreFile(
            at: fixture.logPath("A"),
            rows: (0..<5).map { .init(timestamp: 100 + $0, parent: nil, key: "k\($0)", value: 1) })
        let store = try fixture.store(nil)
        try file.write { try $0.execute(sql: "DELETE FROM ZLOG WHERE Z_PK > 2") }
        try store.sync()
        #expect(store.keys == ["k0", "k1"])
    }

    @Test func invalidRowsAreSkipped() throws {
        let fixture = try StoreFixture()
        let file = try ParstoreFile(
            at: fixture.logPath("A"),
            rows: [.init(timestamp: 100, parent: nil, key: "k", value: "good")])
        try file.write { db in
            try db.execute(
                sql: """
                    INSERT INTO ZLOG (ZTIMESTAMP, ZKEY, ZBLOB) VALUES
                        (200, NULL, x'01'), (201, 'k', x'0102'), (NULL, 'k', NULL),
                        ('soon', 'k', NULL), (202, x'6B', NULL), (203, 'k', 'text')
                    """)
        }
        let store = try fixture.store(nil)
        #expect(store.everything == ["k": "good"])
        #expect(try store.value(forKey: "k", at: Timestamp(microseconds: 300)) == "good")
    }

    @Test func olderSpellingsAreReadAndContinued() throws {
        let fixture = try StoreFixture()
        let root = fixture.folder.appending("Old.parstore")
        _ = try ParstoreFile(
            at: "\(root)/devices/A/logs.db",
            rows: [.init(timestamp: 5, parent: nil, key: "k", value: "v")])
        var configuration = KeyValueStore.Configuration()
        configuration.watchesFolder = false
        let store = KeyValueStore(
            package: try StorePackage(opening: root), device: try DeviceID("B"),
            configuration: configuration)
        try store.load()
        try store.set("w", forKey: "k")
        try store.close()
        #expect(FileManager.default.fileExists(atPath: "\(root)/devices/B/logs.db"))
        #expect(!FileManager.default.fileExists(atPath: "\(root)/Devices"))
    }

    @Test func concurrentRowsArePossibleConflictsAndCanBeResolved() throws {
        let fixture = try StoreFixture()
        let base: Int64 = 500
        for (index, name) in ["A", "B", "C"].enumerated() {
            var rows = [
                ParstoreFile.Row(
                    timestamp: 600 + Int64(index), parent: base, key: "k", value: .string(name))
            ]
            if name == "A" {
                rows.insert(.init(timestamp: base, parent: nil, key: "k", value: "base"), at: 0)
            }
            _ = try ParstoreFile(at: fixture.logPath(name), rows: rows)
        }
        let store = try fixture.store("D")
        let conflict = try #require(try store.conflict(forKey: "k"))
        #expect(conflict.isPossible)
        #expect(conflict.devices.map(\.name) == ["C", "B", "A"])
        #expect(try conflict.base?.value() == "base")
        try store.resolve("k", taking: DeviceID("B"))
        #expect(store.conflictCount == 0)
        try store.save()
        let other = try fixture.store(nil)
        #expect(other["k"] == "B")
        #expect(other.conflictCount == 0)
    }

    @Test func packageCanContainBothLogFormats() throws {
        let fixture = try StoreFixture()
        let now = fixture.clock.now.microseconds
        _ = try ParstoreFile(
            at: fixture.logPath("A"),
            rows: [.init(timestamp: now - 10, parent: nil, key: "k", value: "p1")])
        let store = try fixture.store("T") { $0.format = .tideline2 }
        try store.set("t2", forKey: "k")
        try store.save()
        let fresh = try fixture.store("A")
        #expect(fresh["k"] == "t2")
        #expect(fresh.conflictCount == 0)
        #expect(Set(fresh.devices.map(\.format)) == [.parstore1, .tideline2])
        try fresh.set("back", forKey: "k")
        try fresh.save()
        try store.sync()
        #expect(store["k"] == "back")
        #expect(store.conflictCount == 0)
    }
}

/// The names, bytes, and times of all items in a folder.
struct Snapshot: Equatable {
    struct File: Equatable {
        let content: Data?
        let modified: Date?
    }

    let files: [String: File]

    init(of path: String) throws {
        var files: [String: File] = [:]
        let manager = FileManager.default
        for name in try manager.subpathsOfDirectory(atPath: path) + [""] {
            let full = "\(path)/\(name)"
            files[name] = File(
                content: manager.contents(atPath: full),
                modified: try manager.attributesOfItem(atPath: full)[.modificationDate] as? Date)
        }
        self.files = files
    }
}
