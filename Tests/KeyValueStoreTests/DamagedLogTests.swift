import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

/// The state of a damaged log is the same for every reader at any time.
@Suite struct DamagedLogTests {
    /// A package in which `a` and `b` wrote some hundred rows.
    private static func package() throws -> (StoreFixture, Data) {
        let fixture = try StoreFixture()
        for round in 0..<4 {
            for device in ["a", "b"] {
                fixture.clock.advance(microseconds: 1_000_000)
                let store = try fixture.store(device)
                for key in 0..<40 {
                    let value = String(repeating: "\(device)\(round)", count: key)
                    try store.set(.string(value), forKey: "\(key % 3 == 0 ? "" : device)/\(key)")
                }
                try store.close()
            }
        }
        return (fixture, try Data(contentsOf: URL(fileURLWithPath: fixture.logPath("a"))))
    }

    private struct Answer: Equatable {
        let state: DeviceStatus.State
        let rows: Int
        let keys: Int
        let problem: String?
        let values: [Name: PropertyList]
        let conflicts: [String]

        init(_ store: KeyValueStore) throws {
            let status = try #require(store.devices.first { $0.device.name == "a" })
            (state, rows, keys) = (status.state, status.rows, status.keys)
            problem = status.problem
            values = store.everything
            conflicts = store.conflictKeys.map { "\($0)" }.sorted()
        }
    }

    /// Damages 2,000 bytes, at as many places as there are seeds.
    private static func damages(of whole: Data) -> [(place: Int, file: Data)] {
        (0..<runCount(60)).map { seed in
            var random = SeededRandom(seed: UInt64(seed))
            let place = Int.random(in: 4_096..<whole.count - 2_000, using: &random)
            var file = whole
            for index in place..<place + 2_000 {
                file[index] = UInt8.random(in: 0...255, using: &random)
            }
            return (place, file)
        }
    }

    @Test func damagedLogIsReadIdenticallyOnLoadAndSync() throws {
        let (fixture, whole) = try Self.package()
        let url = URL(fileURLWithPath: fixture.logPath("a"))
        var partly = 0
        for (place, file) in Self.damages(of: whole) {
            try FileManager.default.removeItem(at: url)
            let before = try fixture.store("b")
            try file.write(to: url)
            let store = try fixture.store("b")
            let first = try Answer(store)
            if first.state == .unreadable {
                #expect(first.problem?.isEmpty == false, "\(place)")
                partly += first.rows > 0 ? 1 : 0
            }
            try store.sync()
            #expect(try Answer(store) == first, "the next look, \(place)")
            // Write the same file again, as a sync service may do.
            try file.write(to: url)
            try store.sync()
            #expect(try Answer(store) == first, "when it came again, \(place)")
            try store.load()
            #expect(try Answer(store) == first, "read again, \(place)")
            try before.sync()
            #expect(try Answer(before) == first, "arrived later, \(place)")
            try whole.write(to: url)
            try store.sync()
            #expect(try Answer(store) == Answer(fixture.store("b")), "whole again, \(place)")
            #expect(try Answer(store).state == .ok, "\(place)")
        }
        #expect(partly > 5)
    }

    @Test func knownRowsOfADamagedLogSurviveAReload() throws {
        let (fixture, whole) = try Self.package()
        let url = URL(fileURLWithPath: fixture.logPath("a"))
        for (place, file) in Self.damages(of: whole) {
            try whole.write(to: url)
            let store = try fixture.store("b")
            let known = store.everything
            let conflicts = store.conflictKeys
            try file.write(to: url)
            try store.load()
            let isDamaged = try Answer(store).state == .unreadable
            #expect(isDamaged == (try Answer(fixture.store("b")).state == .unreadable), "\(place)")
            #expect(store.everything == known, "\(place)")
            #expect(store.conflictKeys == conflicts, "\(place)")
            #expect(try Answer(store).rows == 160, "\(place)")
            try store.sync()
            #expect(store.everything == known, "\(place)")
            #expect(try Answer(store).state == (isDamaged ? .unreadable : .ok), "\(place)")
        }
    }

    @Test func logWithADamagedIndexIsReadCompletely() throws {
        let (fixture, whole) = try Self.package()
        let root = try #require(
            try fixture.query(
                "a", "SELECT rootpage FROM sqlite_master WHERE name = 'latest'") as [Int?])
        let page = try #require(root.first ?? nil)
        let expected = try fixture.store("b").everything
        var file = whole
        for index in (page - 1) * 4_096..<(page - 1) * 4_096 + 2_000 { file[index] = 0x5A }
        try file.write(to: URL(fileURLWithPath: fixture.logPath("a")))
        let store = try fixture.store("b")
        let status = try #require(store.devices.first { $0.device.name == "a" })
        #expect(store.everything == expected)
        #expect(status.state == .unreadable)
        #expect(status.rows == 160)
        #expect(status.problem?.contains("it is damaged") == true)
        #expect(status.problem?.contains("rows 1 to 160 can be read") == true)
    }
}
