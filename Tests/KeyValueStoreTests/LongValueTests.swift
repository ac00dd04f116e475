import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

/// Values above the length limit, which stay in their logs.
@Suite struct LongValueTests {
    static let bound = 1_000
    static let formats: [LogFormat] = [.tideline2, .parstore1]

    let fixture: StoreFixture
    let long = PropertyList.string(String(repeating: "long ", count: 1_000))
    let other = PropertyList.string(String(repeating: "else ", count: 1_000))

    init() throws { fixture = try StoreFixture() }

    private func store(
        _ device: String?, _ format: LogFormat = .tideline2, longest: Int = bound
    ) throws -> KeyValueStore {
        try fixture.store(device) {
            $0.format = format
            $0.longestValue = longest
        }
    }

    private func write(
        _ device: String, _ values: [Name: PropertyList?], _ format: LogFormat = .tideline2
    ) throws {
        if format == .parstore1, !FileManager.default.fileExists(atPath: fixture.logPath(device)) {
            _ = try ParstoreFile(at: fixture.logPath(device))
        }
        fixture.clock.advance(microseconds: 1_000_000)
        let store = try store(device, format)
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            try store.set(value, forKey: key.text)
        }
        try store.close()
    }

    @Test(arguments: formats)
    func openingLeavesALongValueInItsLogAndShowsItsLength(_ format: LogFormat) throws {
        try write("a", ["long": long, "short": "s"], format)
        let store = try store("b", format)
        let entry = try #require(store.entry(forKey: "long"))
        #expect(entry.bytes == nil)
        #expect(!entry.isRemoved)
        #expect(entry.byteCount > 5_000)
        #expect(throws: PropertyListError.self) { try entry.value() }
        #expect(try store.entry(forKey: "short")?.value() == "s")
        #expect(store.count == 2)
        #expect(store.keys == ["long", "short"])
        #expect(store.devices.allSatisfy { $0.problem == nil })
    }

    @Test(arguments: formats)
    func longValueIsReadOnRequest(_ format: LogFormat) throws {
        try write("a", ["long": long, "short": "s"], format)
        let store = try store("b", format)
        #expect(store["long"] == long)
        #expect(store.dictionary() == ["long": long, "short": "s"])
        let entry = try #require(store.entry(forKey: "long"))
        #expect(try store.value(of: entry) == long)
        let row = try #require(try store.rows(limit: 10).rows.first { $0.key == "long" })
        #expect(row.isLeftInLog)
        #expect(!row.isDeletion)
        #expect(row.byteCount == entry.byteCount)
        #expect(throws: PropertyListError.self) { try row.value() }
        #expect(try store.value(of: row) == long)
        fixture.clock.advance(microseconds: 1_000_000)
        let instant = fixture.clock.now
        #expect(try store.value(forKey: "long", at: instant) == long)
        #expect(try store.dictionary(at: instant) == ["long": long, "short": "s"])
    }

    @Test func ownLongValuesStayInMemory() throws {
        let store = try store("a")
        try store.set(long, forKey: "long")
        #expect(try store.entry(forKey: "long")?.value() == long)
        #expect(store["long"] == long)
    }

    @Test(arguments: formats)
    func longValueThatArrivesLaterStaysInItsLog(_ format: LogFormat) throws {
        try write("a", ["short": "s"], format)
        let store = try store("b", format)
        try write("a", ["long": long], format)
        try store.sync()
        #expect(store.entry(forKey: "long")?.bytes == nil)
        #expect(store["long"] == long)
        try write("a", ["long": "short now"], format)
        try store.sync()
        #expect(try store.entry(forKey: "long")?.value() == "short now")
        try write("a", ["long": nil], format)
        try store.sync()
        #expect(store.entry(forKey: "long")?.isRemoved == true)
        #expect(store.count == 1)
    }

    @Test func missingLongValueIsReportedWithoutTrapping() throws {
        try write("a", ["long": long])
        let store = try store("b")
        let row = try #require(try store.rows(limit: 1).rows.first)
        try FileManager.default.removeItem(atPath: fixture.logPath("a"))
        #expect(store["long"] == nil)
        #expect(throws: ReplicationError.self) { try store.bytes(of: row) }
    }

    @Test func longValuesOfSeveralDevicesAreInConflictUntilOneIsTaken() throws {
        try write("a", ["k": long])
        let aside = fixture.folder.appending("aside.db")
        try FileManager.default.moveItem(atPath: fixture.logPath("a"), toPath: aside)
        try write("b", ["k": other])
        try FileManager.default.moveItem(atPath: aside, toPath: fixture.logPath("a"))
        let store = try store("c")
        #expect(store.conflictKeys == ["k"])
        let conflict = try #require(try store.conflict(forKey: "k"))
        let values = try conflict.rows.map { try store.bytes(of: $0) }
        #expect(values.count == 2 && values[0] != nil && values[0] != values[1])
        try store.resolve("k", taking: DeviceID("a"))
        try store.close()
        let after = try self.store("b")
        #expect(after.conflictKeys.isEmpty)
        #expect(after["k"] == long)
    }

    @Test func mergingAndInsertingPreserveLongValues() throws {
        try write("a", ["long": long])
        let path = fixture.folder.appending("Copy.store")
        try FileManager.default.copyItem(atPath: fixture.package.path, toPath: path)
        let copy = try StorePackage(opening: path)
        try write("a", ["more": other])
        var configuration = KeyValueStore.Configuration()
        configuration.watchesFolder = false
        configuration.longestValue = Self.bound
        configuration.clock = fixture.clock.hybrid
        let target = KeyValueStore(
            package: copy, device: try DeviceID("own"), configuration: configuration)
        try target.load()
        let source = try store("own")
        #expect(try target.merge(source) == 1)
        #expect(target["more"] == other)
        #expect(target["long"] == long)
        // A row without its value would remove the key that it sets.
        let row = try #require(try source.rows(forKey: "more").first)
        #expect(throws: KeyValueError.self) {
            try target.insertChanges([Change(row)], into: try DeviceID("own"), appendOnly: false)
        }
        #expect(target["more"] == other)
    }

    @Test func pageOfRowsEndsAtItsByteLimit() throws {
        for round in 0..<10 {
            try write("a", ["a": .string(String(repeating: "\(round)", count: 500))])
            try write("b", ["b": .string(String(repeating: "\(round)", count: 500))])
        }
        let store = try store(nil)
        let all = try store.rows(limit: 100).rows
        #expect(all.count == 20)
        for (start, next) in [
            (KeyValueStore.PageStart.oldest, { KeyValueStore.PageStart.after($0) }),
            (.newest, { .before($0) }),
        ] {
            var found: [LogRow] = []
            var page = try store.rows(.init(), start, limit: 100, byteLimit: 1_200)
            let isForward = start == .oldest
            while true {
                #expect(page.rows.count < 8)
                if isForward { found += page.rows } else { found = page.rows + found }
                guard page.hasMore else { break }
                let edge = try #require(isForward ? page.rows.last : page.rows.first)
                page = try store.rows(.init(), next(edge.position), limit: 100, byteLimit: 1_200)
            }
            #expect(found.map(\.position) == all.map(\.position))
        }
    }

    @Test func longKeyIsRefusedWithItsDevice() throws {
        try write("a", ["k": "v"])
        try write("b", ["other": "w"])
        try fixture.execute("a", "UPDATE log SET key = printf('%.*c', 3000000, 'k')")
        try fixture.execute("a", "UPDATE latest SET key = printf('%.*c', 3000000, 'k')")
        let store = try store(nil)
        #expect(store.dictionary() == ["other": "w"])
        let status = try #require(store.devices.first { $0.device.name == "a" })
        #expect(status.state == .unreadable)
    }

    @Test func invalidPropertyListIsReportedWithItsDevice() throws {
        try write("a", ["broken": "some text that is longer", "sound": "s"])
        try fixture.execute("a", "UPDATE log SET value = zeroblob(length(value)) WHERE id = 1")
        let store = try store("b")
        let status = try #require(store.devices.first { $0.device.name == "a" })
        #expect(status.state == .ok)
        #expect(status.problem?.contains("\"broken\"") == true)
        #expect(store["broken"] == nil)
        #expect(store["sound"] == "s")
        // A new value ends the problem.
        try write("a", ["broken": "whole"])
        try store.sync()
        #expect(store.devices.allSatisfy { $0.problem == nil })
    }
}
