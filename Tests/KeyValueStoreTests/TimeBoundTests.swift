import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

/// Times that are invalid for rows: outside the years 1 to 9999.
@Suite struct TimeBoundTests {
    enum Place: String, CaseIterable {
        case tideline2, parstore1
    }

    static let nonsense: [Int64] = [
        .min, .min + 1, -63_113_904_000_000_001, 252_423_993_600_000_000, .max / 2, .max - 1, .max,
    ]

    /// A package in which `a` wrote `k` and `other`, and `b` wrote `k` before that.
    private func package(_ place: Place) throws -> StoreFixture {
        let fixture = try StoreFixture()
        let now = fixture.clock.now.microseconds
        let b = try fixture.store("b") { $0.format = .tideline2 }
        try b.set("b's", forKey: "k")
        try b.set("b's", forKey: "mine")
        try b.close()
        if place == .parstore1 {
            _ = try ParstoreFile(
                at: fixture.logPath("a"),
                rows: [
                    .init(timestamp: now + 10, parent: nil, key: "k", value: "a's"),
                    .init(timestamp: now + 11, parent: nil, key: "other", value: "a's"),
                ])
        }
        if place == .tideline2 {
            let a = try fixture.unloaded("a")
            fixture.clock.advance(microseconds: 10)
            try a.load()
            try a.set("a's", forKey: "k")
            try a.set("a's", forKey: "other")
            try a.close()
        }
        return fixture
    }

    private func insertRow(
        _ fixture: StoreFixture, _ place: Place, _ device: String, key: String, at time: Int64
    ) throws {
        if !FileManager.default.fileExists(atPath: fixture.logPath(device)) {
            let store = try fixture.store(device)
            try store.set("made", forKey: "made by \(device)")
            try store.close()
        }
        let value = try PropertyList.string("poison").binary()
        let hex = value.map { String(format: "%02X", $0) }.joined()
        let sql =
            switch place {
            case .tideline2:
                """
                INSERT INTO log (timestamp, key, value) VALUES (\(time), '\(key)', X'\(hex)');
                INSERT INTO latest (key, id, timestamp)
                SELECT '\(key)', max(id), \(time) FROM log WHERE true
                ON CONFLICT (key) DO UPDATE SET id = excluded.id, timestamp = excluded.timestamp;
                """
            case .parstore1:
                """
                INSERT INTO ZLOG (Z_ENT, Z_OPT, ZTIMESTAMP, ZKEY, ZBLOB)
                VALUES (1, 1, \(time), '\(key)', X'\(hex)');
                """
            }
        try fixture.execute(device, sql)
    }

    private func problem(_ store: KeyValueStore, of device: String) -> String? {
        store.devices.first { $0.device.name == device }?.problem
    }

    @Test(arguments: Place.allCases, nonsense)
    func rowWithAnInvalidTimeIsNotMerged(_ place: Place, _ time: Int64) throws {
        let fixture = try package(place)
        let live = try fixture.store("b")
        try insertRow(fixture, place, "a", key: "k", at: time)
        try insertRow(fixture, place, "a", key: "only", at: time)
        try live.sync()
        for store in [live, try fixture.store("b"), try fixture.store(nil)] {
            #expect(store.everything == ["k": "a's", "other": "a's", "mine": "b's"])
            #expect(problem(store, of: "a") == Timestamp.unrecordableProblem)
            #expect(problem(store, of: "b") == nil)
            #expect(try store.rows(limit: 100).rows.count == 4)
            #expect(try store.rows(.init(), .newest, limit: 2).rows.count == 2)
            #expect(store.rowCount == 4)
            #expect(try store.rank(through: .distantFuture) == 4)
            #expect(try store.dictionary(at: .distantFuture) == store.everything)
            #expect(store.devices.allSatisfy { $0.last?.isRecordable ?? true })
        }
        // All devices can read this device's next writes.
        try live.set("later", forKey: "k")
        try live.set(contentsOf: ["only": "later", "new": "later"])
        try live.close()
        let again = try fixture.store("b")
        #expect(again["k"] == "later")
        #expect(again["only"] == "later")
        #expect(problem(again, of: "b") == nil)
    }

    @Test(arguments: nonsense) func parentsWithInvalidTimesAreIgnored(
        _ time: Int64
    ) throws {
        let fixture = try package(.tideline2)
        let bytes = withUnsafeBytes(of: time.bigEndian) { [UInt8](arrayLiteral: 1) + $0 }
        let list = bytes.map { String(format: "%02X", $0) }.joined()
        try fixture.execute(
            "a",
            """
            INSERT OR IGNORE INTO writer (ref, name) VALUES (1, 'b');
            UPDATE log SET parents = X'\(list)', parentTimestamp = \(time);
            UPDATE latest SET known = X'\(list)';
            """)
        let parstore = try ParstoreFile(
            at: fixture.logPath("p"),
            rows: [.init(timestamp: 5, parent: time, key: "k", value: "p's")])
        #expect(parstore.path == fixture.logPath("p"))
        let store = try fixture.store("b")
        #expect(problem(store, of: "a") == Timestamp.unrecordableProblem)
        #expect(problem(store, of: "p") == Timestamp.unrecordableProblem)
        for row in try store.rows(since: nil) {
            #expect(row.parentTimestamp?.isRecordable ?? true)
            #expect((row.parents ?? []).allSatisfy { $0.timestamp.isRecordable })
        }
        for key in ["k", "other", "mine"] { try store.set("later", forKey: key) }
        try store.close()
        let again = try fixture.store("b")
        #expect(again.everything == ["k": "later", "other": "later", "mine": "later"])
        #expect(try again.rows(forKey: "k", device: DeviceID("b")).count == 2)
    }

    @Test(arguments: Place.allCases)
    func ownLogWithInvalidTimesIsReportedAndWritable(_ place: Place) throws {
        let fixture = try package(place)
        for time in [Int64.max, .min] {
            try insertRow(fixture, place, "a", key: "k", at: time)
        }
        let store = try fixture.store("a")
        #expect(store["k"] == "a's")
        #expect(problem(store, of: "a") == Timestamp.unrecordableProblem)
        fixture.clock.advance(microseconds: 1_000)
        try store.set("new", forKey: "k")
        try store.set("new", forKey: "other")
        try store.close()
        let again = try fixture.store("a")
        #expect(again.everything == ["k": "new", "other": "new", "mine": "b's"])
        #expect(try fixture.store("b").everything == again.everything)
    }

    @Test(arguments: [Timestamp.latest.microseconds, Timestamp.latest.microseconds - 9_999])
    func rowAtTheEndOfTimeDoesNotPreventWrites(_ time: Int64) throws {
        let fixture = try package(.tideline2)
        try insertRow(fixture, .tideline2, "z", key: "k", at: time)
        let live = try fixture.store("a")
        // Each device sees the other's row and writes after it.
        for round in 0..<6 {
            for device in ["a", "b"] {
                let store = try fixture.store(device)
                try store.set(.string("\(device) \(round)"), forKey: "k")
                try store.transaction { transaction in
                    try transaction.set("first", forKey: "k")
                    try transaction.set(.string("\(device) \(round)"), forKey: "k")
                }
                try store.set(contentsOf: ["new": "n", "other": .string("\(round)")])
                #expect(store["k"] == .string("\(device) \(round)"))
                let other = try #require(store.newestTimestamp(forKey: "other"))
                #expect(other < .lastDay)
                try store.close()
                for reader in [try fixture.store(nil), try fixture.store("a")] {
                    #expect(reader["k"] == .string("\(device) \(round)"))
                    #expect(try reader.conflicts().isEmpty)
                    #expect(reader.devices.allSatisfy { $0.problem == nil })
                }
            }
        }
        try live.sync()
        #expect(live["k"] == "b 5")
    }

    @Test func ownRowAtTheEndOfTimeDoesNotPreventWrites() throws {
        let fixture = try package(.tideline2)
        try insertRow(fixture, .tideline2, "a", key: "k", at: Timestamp.latest.microseconds)
        for round in 0..<3 {
            let store = try fixture.store("a")
            try store.set(.integer(Int64(round)), forKey: "k")
            try store.set(.integer(Int64(round)), forKey: "other")
            #expect(try #require(store.newestTimestamp(forKey: "other")) < .lastDay)
            try store.close()
            let reader = try fixture.store("b")
            #expect(reader["k"] == .integer(Int64(round)))
            #expect(reader["other"] == .integer(Int64(round)))
        }
    }

    @Test(arguments: LogFormat.allCases)
    func clockSetBackWithinADayContinuesAfterTheOwnNewestRow(_ format: LogFormat) throws {
        let fixture = try StoreFixture()
        let hour: Int64 = 3_600_000_000
        let before = try fixture.store("a") { $0.format = format }
        try before.set(1, forKey: "k")
        let newest = try #require(before.newestTimestamp(forKey: "k"))
        try before.close()
        // A new process knows the newest time from the log.
        fixture.clock.advance(microseconds: -23 * hour)
        let within = try fixture.store("a")
        try within.set(2, forKey: "other")
        try within.set(contentsOf: ["third": 3])
        try within.close()
        let reader = try fixture.store("b")
        let other = try #require(reader.newestTimestamp(forKey: "other"))
        let third = try #require(reader.newestTimestamp(forKey: "third"))
        #expect(newest < other && other < third)
        // The newest row is now more than a day ahead, so the clock was wrong.
        fixture.clock.advance(microseconds: -2 * hour)
        let beyond = try fixture.store("a")
        try beyond.set(4, forKey: "fourth")
        #expect(beyond.newestTimestamp(forKey: "fourth") == fixture.clock.now)
        try beyond.set(5, forKey: "k")
        #expect(try #require(beyond.newestTimestamp(forKey: "k")) == newest.successor)
    }

    @Test func rowWithFutureParentsDoesNotPreventWrites() throws {
        let fixture = try package(.tideline2)
        let end = Timestamp.latest.microseconds
        let bytes = withUnsafeBytes(of: end.bigEndian) { [UInt8](arrayLiteral: 1) + $0 }
        let list = bytes.map { String(format: "%02X", $0) }.joined()
        try fixture.execute(
            "a",
            """
            INSERT OR REPLACE INTO writer (ref, name) VALUES (1, 'b');
            UPDATE log SET parents = X'\(list)' WHERE key = 'k';
            UPDATE latest SET known = X'\(list)' WHERE key = 'k';
            """)
        let store = try fixture.store("b")
        for round in 0..<3 {
            try store.set(.integer(Int64(round)), forKey: "k")
            #expect(try #require(store.newestTimestamp(forKey: "k")) < .lastDay)
        }
        try store.close()
        #expect(try fixture.store("a")["k"] == 2)
    }

    @Test func changesWithInvalidTimesAreRefused() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        for time in Self.nonsense.map(Timestamp.init(microseconds:)) {
            for change in [
                try Change(timestamp: time, key: "k", value: 1),
                try Change(
                    timestamp: fixture.clock.now, parentTimestamp: time, key: "k", value: 1),
            ] {
                #expect(throws: KeyValueError.self) {
                    try store.insertChanges([change], into: DeviceID("b"), appendOnly: false)
                }
            }
        }
        #expect(!FileManager.default.fileExists(atPath: fixture.logPath("b")))
    }
}
