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

    @Test(arguments: Form.allCases) func mergedStoresHaveNewestRowsOfBoth(_ form: Form) async throws
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

    @Test(arguments: Form.allCases) func unsafeLogsStayUnchanged(_ form: Form) throws {
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

    @Test func incompleteLogsGetNoRows() throws {
        let (here, there) = try pair(.tideline2)
        let other = try there.store("b")
        for key in ["x", "y", "z"] { try other.set("b went on", forKey: key) }
        try other.close()
        let log = URL(fileURLWithPath: here.logPath("b"))
        try FileManager.default.removeItem(at: log)
        try FileManager.default.copyItem(atPath: there.logPath("b"), toPath: log.path)
        try here.execute("b", "DELETE FROM log WHERE id = 3")
        let untouched = try Data(contentsOf: log)
        let mine = try here.store("a")
        let error = #expect(throws: ReplicationError.self) { try mine.merge(there.store("a")) }
        #expect(error?.code == .unreadable)
        #expect(throws: ReplicationError.self) { try mine.previewMerge(there.store("a")) }
        #expect(try Data(contentsOf: log) == untouched)
    }

    @Test func blobThatIsNotDownloadedDoesNotPreventMergingTheRest() throws {
        let (here, there) = try pair(.tideline2)
        for path in ["a.txt", "b.txt"] {
            try there.package.blobs.put(Data("there".utf8), at: path)
        }
        try here.package.blobs.put(Data("here".utf8), at: "a.txt")
        let blobs = here.package.path + "/Blobs"
        try FileManager.default.moveItem(
            atPath: blobs + "/a.txt", toPath: blobs + "/.a.txt.icloud")
        let theirs = try there.store("a")
        try theirs.set("only there", forKey: "x")
        let mine = try here.store("a")
        let error = #expect(throws: ReplicationError.self) { try mine.merge(theirs) }
        #expect(error?.code == .incomplete)
        #expect(mine["x"] == "only there")
        #expect(try here.package.blobs.entry("a.txt") == nil)
        #expect(try here.package.blobs.entry("b.txt") != nil)
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

    @Test func mergingKeepsAllVersionsOfBlobs() throws {
        let (here, there) = try pair(.tideline2)
        let mine = try here.store("a")
        let theirs = try there.store("a")
        let early = Timestamp(microseconds: 700_000_000_000_000)
        let late = Timestamp(microseconds: 710_000_000_000_000)
        try here.package.blobs.put(Data("mine".utf8), at: "one/x.txt", modified: late)
        try there.package.blobs.put(Data("theirs".utf8), at: "one/x.txt", modified: early)
        try here.package.blobs.put(Data("mine".utf8), at: "y", modified: early)
        try there.package.blobs.put(Data("theirs".utf8), at: "y", modified: late)
        try there.package.blobs.put(Data("theirs".utf8), at: "deep/er/z", modified: early)
        try here.package.blobs.put(Data("same".utf8), at: "same", modified: early)
        try there.package.blobs.put(Data("same".utf8), at: "same", modified: late)
        let copies = ["one/x (conflicted copy).txt", "y (conflicted copy)"]
        let preview = try mine.previewMerge(theirs)
        #expect(preview.blobs == ["deep/er/z", "y"])
        #expect(preview.conflictCopies == copies)
        #expect(try here.package.blobs.entry("deep/er/z") == nil)
        // Merging again adds nothing.
        for _ in 1...2 {
            try mine.merge(theirs)
            #expect(try mine.blobs.data(at: "one/x.txt") == Data("mine".utf8))
            #expect(try mine.blobs.data(at: copies[0]) == Data("theirs".utf8))
            #expect(try mine.blobs.data(at: "y") == Data("theirs".utf8))
            #expect(try mine.blobs.data(at: copies[1]) == Data("mine".utf8))
            #expect(try mine.blobs.data(at: "deep/er/z") == Data("theirs".utf8))
            let conflicts = try here.package.blobs.survey().conflicts
            #expect(conflicts.map(\.path) == ["one/x.txt", "y"])
            #expect(conflicts.flatMap { $0.versions.map(\.path) }.count == 4)
        }
        let after = try mine.previewMerge(theirs)
        #expect(after.blobs.isEmpty && after.conflictCopies.isEmpty)
    }

    @Test func conflictCopiesOfBlobsAreMerged() throws {
        let (here, there) = try pair(.tideline2)
        let mine = try here.store("a")
        let theirs = try there.store("a")
        for package in [here.package, there.package] {
            try package.blobs.put(Data("blob".utf8), at: "x).b)c")
        }
        // The second copy has the name of another version, and the last one is the blob.
        for (name, text) in [("1", "one"), ("2", "two"), ("3", "blob")] {
            try Data(text.utf8).write(
                to: URL(filePath: there.package.path + "/Blobs/x).b)c (conflicted copy \(name))"))
        }
        try Data("other".utf8).write(
            to: URL(filePath: here.package.path + "/Blobs/x).b)c (conflicted copy 2)"))
        try mine.merge(theirs)
        let conflict = try #require(try here.package.blobs.conflict(at: "x).b)c"))
        let texts = try conflict.versions.map {
            String(decoding: try here.package.blobs.data(at: $0.path), as: UTF8.self)
        }
        #expect(texts.sorted() == ["blob", "one", "other", "two"])
    }

    @Test func previewCountsTheCopiesThatItLists() throws {
        let (here, there) = try pair(.tideline2)
        let mine = try here.store("a")
        let theirs = try there.store("a")
        let early = Timestamp(microseconds: 700_000_000_000_000)
        let late = Timestamp(microseconds: 710_000_000_000_000)
        try here.package.blobs.put(Data("mine".utf8), at: "x", modified: late)
        try there.package.blobs.put(Data("theirs".utf8), at: "x", modified: early)
        try here.package.blobs.put(Data("mine".utf8), at: "y", modified: early)
        try there.package.blobs.put(Data("theirs".utf8), at: "y", modified: late)
        // The first copy has the name that the older blob would get. The other one is the newer
        // blob.
        for (name, text) in [("x (conflicted copy)", "third"), ("y (conflicted copy)", "theirs")] {
            try Data(text.utf8).write(
                to: URL(filePath: there.package.path + "/Blobs/" + name))
        }
        let preview = try mine.previewMerge(theirs)
        let copies = ["x (conflicted copy)", "y (conflicted copy)", "x (conflicted copy) (1)"]
        #expect(preview.conflictCopies == copies)
        try mine.merge(theirs)
        let written = try zip(copies, ["theirs", "mine", "third"]).map {
            try mine.blobs.data(at: $0) == Data($1.utf8)
        }
        #expect(written == [true, true, true])
        #expect(try here.package.blobs.survey().syncServiceFiles.count == 3)
    }

    @Test func conflictCopyOfALongNameGetsAShorterName() throws {
        let (here, there) = try pair(.tideline2)
        let mine = try here.store("a")
        let theirs = try there.store("a")
        // Names of up to 255 bytes that start with the same 244 bytes.
        let names = ["1.txt", "2.txt", "", "é.xxxxxxxx", "3.md"].map {
            "d/" + String(repeating: "日本", count: 40) + String(repeating: "a", count: 4) + $0
        }
        let long = "d/a." + String(repeating: "b", count: 251)
        for name in names + [long] {
            try here.package.blobs.put(Data("mine \(name)".utf8), at: name)
            try there.package.blobs.put(Data("theirs \(name)".utf8), at: name)
        }
        for _ in 1...2 {
            try mine.merge(theirs)
            let survey = try here.package.blobs.survey()
            #expect(survey.entries.count == 6)
            #expect(survey.conflicts.count == 6)
            let contents = try (survey.entries.map(\.path) + survey.syncServiceFiles.map(\.name))
                .map { try mine.blobs.data(at: $0) }
            #expect(!contents.contains(nil))
            #expect(Set(contents).count == 12 && contents.count == 12)
        }
    }

    @Test func folderInPlaceOfABlobDoesNotPreventMergingTheRest() throws {
        let (here, there) = try pair(.tideline2)
        let mine = try here.store("a")
        let theirs = try there.store("a")
        try here.package.blobs.put(Data("here".utf8), at: "a/inside")
        for path in ["a", "b"] { try there.package.blobs.put(Data("there".utf8), at: path) }
        try theirs.set("only there", forKey: "x")
        let error = #expect(throws: ReplicationError.self) { try mine.merge(theirs) }
        #expect(error?.code == .cannotCreate)
        #expect(mine["x"] == "only there")
        #expect(try mine.blobs.data(at: "b") == Data("there".utf8))
    }

    @Test func unsavedChangesSurviveAMerge() throws {
        let (here, there) = try pair(.tideline2)
        let theirs = try there.store("a")
        try theirs.set("theirs", forKey: "k")
        let mine = try here.store("a")
        here.clock.advance(microseconds: 1_000_000)
        try mine.set("mine, later", forKey: "k")
        try mine.merge(theirs)
        #expect(mine["k"] == "mine, later")
    }

    @Test func logThatIsNotDownloadedIsIncompleteDespiteAConflictCopy() throws {
        let (here, _) = try pair(.tideline2)
        let open = try here.store("a")
        let folder = "\(here.package.path)/Devices/b"
        let files = FileManager.default
        try files.copyItem(
            atPath: here.logPath("b"), toPath: "\(folder)/Logs (conflicted copy).db")
        try files.moveItem(atPath: here.logPath("b"), toPath: "\(folder)/.Logs.db.icloud")
        try open.sync()
        for store in [open, try here.store("a")] {
            let status = try #require(store.devices.first { $0.device.name == "b" })
            #expect(status.state == .incomplete)
            #expect(status.problem?.contains(".Logs.db.icloud") == true)
            #expect(status.suggestion == nil)
        }
    }

    /// Writes `k=base` as `a`, copies the package, and writes more as `a` in the copy.
    private func clones() throws -> (StoreFixture, StoreFixture) {
        let here = try StoreFixture()
        let a = try here.store("a")
        try a.set("base", forKey: "k")
        try a.close()
        let there = try StoreFixture()
        try FileManager.default.removeItem(atPath: there.package.path)
        try FileManager.default.copyItem(atPath: here.package.path, toPath: there.package.path)
        there.clock.advance(microseconds: 100)
        let copy = try there.store("a")
        try copy.set("two", forKey: "k")
        try copy.close()
        return (here, there)
    }

    @Test func copiedRowDoesNotConflictWithItsParent() throws {
        let (here, there) = try clones()
        let mine = try here.store("b")
        try mine.merge(there.store("b"), unsafeDevices: [DeviceID("a")])
        for store in [mine, try here.store("b"), try here.store(nil)] {
            #expect(store["k"] == "two")
            #expect(try store.conflicts().isEmpty)
            let rows = try store.rows(forKey: "k")
            #expect(rows.map(\.device.name) == ["a", "b|a"])
            #expect(rows.last?.parents == [rows[0].reference])
        }
    }

    @Test func deviceThatWroteInTwoCopiesConflictsAfterASafeMerge() throws {
        let (here, there) = try clones()
        let mine = try here.store("a")
        here.clock.advance(microseconds: 50)
        try mine.set("one", forKey: "k")
        try mine.save()
        let live = try here.store("c")
        try mine.merge(there.store("a"))
        try live.sync()
        for store in [mine, live, try here.store("a"), try here.store(nil)] {
            let conflict = try #require(try store.conflicts().first)
            #expect(try conflict.winner.value() == "two")
            #expect(try conflict.others.map { try $0.value() } == ["one"])
            #expect(try conflict.base?.value() == "base")
        }
        try mine.resolve("k", with: "both")
        try mine.save()
        try live.sync()
        for store in [mine, live, try here.store("a"), try here.store(nil)] {
            #expect(store.conflictCount == 0)
            #expect(store["k"] == "both")
        }
    }

    @Test(arguments: ["Logs.sync-conflict-20261121-101010-ABCDEFG.db", "Logs (conflicted copy).db"])
    func conflictCopyIsExplainedAndMerged(_ name: String) throws {
        let (here, there) = try clones()
        let mine = try here.store("a")
        here.clock.advance(microseconds: 50)
        try mine.set("one", forKey: "k")
        try mine.save()
        let copy = "\(here.package.path)/Devices/a/\(name)"
        try FileManager.default.copyItem(atPath: there.logPath("a"), toPath: copy)
        try mine.load()
        let status = try #require(mine.devices.first)
        #expect(status.suggestion?.action == .mergeCopy)
        #expect(status.suggestion?.paths == [here.package.path, copy])
        #expect(status.problem?.contains(name) == true)
        #expect(mine.conflictCount == 0)
        #expect(try mine.merge(logAt: copy) == 1)
        #expect(try mine.merge(logAt: copy) == 0)
        #expect(mine.conflictKeys == ["k"])
        // Another device's copy doesn't change its log.
        let untouched = try Data(contentsOf: URL(filePath: here.logPath("a")))
        let other = try here.store("b")
        try other.merge(logAt: copy)
        #expect(try Data(contentsOf: URL(filePath: here.logPath("a"))) == untouched)
        #expect(other.conflictKeys == ["k"])
    }
}
