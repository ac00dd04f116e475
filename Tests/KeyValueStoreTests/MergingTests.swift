import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@Suite struct MergingTests {
    enum Form: CaseIterable { case tideline2, parstore1 }

    /// A package with rows of `a` and `b`, and a copy of it.
    func pair(_ form: Form) throws -> (StoreFixture, StoreFixture) {
        let fixture = try StoreFixture()
        if form == .parstore1 {
            for name in ["a", "b"] { _ = try ParstoreFile(at: fixture.logPath(name)) }
        }
        for name in ["a", "b"] {
            let store = try fixture.store(name)
            try store.set(.string("old of \(name)"), forKey: name)
            try store.close()
        }
        let copy = try StoreFixture()
        copy.clock.set(Timestamp(microseconds: fixture.clock.now.microseconds + 50))
        try FileManager.default.removeItem(atPath: copy.package.path)
        try FileManager.default.copyItem(atPath: fixture.package.path, toPath: copy.package.path)
        return (fixture, copy)
    }

    @Test(arguments: Form.allCases) func mergedStoresHaveTheNewestOfBoth(_ form: Form) async throws
    {
        let (here, there) = try pair(form)
        let mine = try here.store("a")
        try mine.set("new here", forKey: "a")
        let theirs = try there.store("a")
        try theirs.set("newer there", forKey: "a")
        try theirs.set("only there", forKey: "x")
        let other = try there.store("b")
        try other.set("b went on", forKey: "b")
        try other.close()
        try await theirs.load()
        var events = mine.events().makeAsyncIterator()
        #expect(try mine.merge(theirs) == 3)
        let expected: [Name: PropertyList] = [
            "a": "newer there", "b": "b went on", "x": "only there",
        ]
        #expect(mine.everything == expected)
        #expect(try here.store("c").everything == expected)
        var loaded = false
        while !loaded, let event = await events.next() {
            if case .loaded = event.kind { loaded = true }
        }
        #expect(loaded)
        #expect(try mine.merge(theirs) == 0)
    }

    @Test(arguments: Form.allCases) func unsafeLogsStayAsTheyAre(_ form: Form) throws {
        let (here, there) = try pair(form)
        let other = try there.store("b")
        try other.set("b elsewhere", forKey: "b")
        try other.close()
        let mine = try here.store("a")
        let theirs = try there.store("a")
        let log = URL(fileURLWithPath: here.logPath("b"))
        let untouched = try Data(contentsOf: log)
        try mine.merge(theirs, unsafeDevices: [DeviceID("b")])
        #expect(try Data(contentsOf: log) == untouched)
        #expect(mine["b"] == "b elsewhere")
        #expect(mine.devices.map(\.device.name) == ["a", "a|b", "b"])
        #expect(try here.store(nil)["b"] == "b elsewhere")
        #expect(try mine.merge(theirs, unsafeDevices: [DeviceID("b")]) == 0)
    }

    @Test func storesOfDifferentDevicesAreRefused() throws {
        let (here, there) = try pair(.tideline2)
        let mine = try here.store("a")
        #expect(throws: KeyValueError.self) { try mine.merge(there.store("b")) }
        #expect(throws: KeyValueError.self) { try mine.merge(there.store(nil)) }
        #expect(throws: KeyValueError.self) {
            try mine.merge(there.store("a"), unsafeDevices: [DeviceID("a")])
        }
    }

    @Test func newerBlobsStay() throws {
        let (here, there) = try pair(.tideline2)
        let mine = try here.store("a")
        let theirs = try there.store("a")
        let early = Timestamp(microseconds: 700_000_000_000_000)
        let late = Timestamp(microseconds: 710_000_000_000_000)
        try here.package.blobs.put(Data("mine".utf8), at: "one/x", modified: late)
        try there.package.blobs.put(Data("theirs".utf8), at: "one/x", modified: early)
        try here.package.blobs.put(Data("mine".utf8), at: "y", modified: early)
        try there.package.blobs.put(Data("theirs".utf8), at: "y", modified: late)
        try there.package.blobs.put(Data("theirs".utf8), at: "deep/er/z", modified: early)
        try mine.merge(theirs)
        #expect(try mine.blobs.data(at: "one/x") == Data("mine".utf8))
        #expect(try mine.blobs.data(at: "y") == Data("theirs".utf8))
        #expect(try mine.blobs.data(at: "deep/er/z") == Data("theirs".utf8))
    }

    @Test func changesThatAreNotSavedSurviveAMerge() throws {
        let (here, there) = try pair(.tideline2)
        let theirs = try there.store("a")
        try theirs.set("theirs", forKey: "k")
        let mine = try here.store("a")
        here.clock.advance(microseconds: 1_000_000)
        try mine.set("mine, later", forKey: "k")
        try mine.merge(theirs)
        #expect(mine["k"] == "mine, later")
    }
}
