import Foundation
import KeyValueStore
import Replication
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct EventTests {
    static func synced(_ kind: KeyValueStore.Event.Kind) -> KeyValueStore.Sync? {
        if case .synced(let sync) = kind { sync } else { nil }
    }

    @Test func loadedEventComesWhenTheStoreIsReadable() async throws {
        let fixture = try StoreFixture()
        let writer = try fixture.store("a")
        try writer.set(1, forKey: "k")
        try await writer.save()
        let store = try fixture.unloaded("b")
        var events = store.events().makeAsyncIterator()
        try await store.load()
        let counts = await next(&events) { kind in
            if case .loaded(let devices, let keys, let rows) = kind {
                [devices, keys, rows, store.count]
            } else {
                nil
            }
        }
        #expect(counts == [2, 1, 1, 1])
    }

    /// Cancellation handlers run under a lock of the task, which resuming the task needs.
    @Test func canceledTaskCanReadTheStoreDuringAWrite() async throws {
        let store = KeyValueStore(inMemory: .init())
        try await OwnThreads.run { threads in
            let isEnded = Atomic(false)
            let writing = Task.detached(executorPreference: threads) {
                while !isEnded.load(ordering: .relaxed) {
                    for number in Int64(0)..<100 { try store.set(.integer(number), forKey: "k") }
                    await Task.yield()
                }
            }
            for round in 0..<1_000 {
                let listening = Task.detached(executorPreference: threads) {
                    await withTaskCancellationHandler {
                        for await _ in store.events() {}
                    } onCancel: {
                        _ = store["k"]
                    }
                }
                if round.isMultiple(of: 3) { await Task.yield() }
                listening.cancel()
                await listening.value
            }
            isEnded.store(true, ordering: .relaxed)
            try await writing.value
        }
        #expect(store["k"] == 99)
    }

    @Test func rowIsCountedWhenItsValueIsVisible() async throws {
        let fixture = try StoreFixture()
        let writer = try fixture.store("a")
        try writer.set(0, forKey: "k")
        try await writer.save()
        let store = try fixture.store("b")
        let before = store.rowCount
        for number in 1...200 {
            try writer.set(.integer(Int64(number)), forKey: "k")
            try await writer.save()
            let syncing = Task.detached { try await store.sync() }
            // Read without pauses, to see the value before the rest of the sync.
            let deadline = ContinuousClock.now + .seconds(180)
            while store["k"] != .integer(Int64(number)), ContinuousClock.now < deadline {
                await Task.yield()
            }
            let counted = store.rowCount
            try await syncing.value
            #expect(counted == before + number)
        }
    }

    @Test func watchedStoreShowsWritesOfAnotherDevice() async throws {
        let fixture = try StoreFixture()
        let reader = try fixture.store("b", watches: true)
        var events = reader.events().makeAsyncIterator()
        let writer = try fixture.store("a")
        try writer.set("hello", forKey: "k")
        try await writer.save()
        let sync = try #require(await next(&events, Self.synced))
        #expect(sync.device.name == "a")
        #expect(sync.rows == 1)
        #expect(sync.keys == ["k"])
        #expect(sync.changes["k"]?.value == "hello")
        #expect(sync.latency != nil)
        #expect(reader["k"] == "hello")
        try writer.removeValue(forKey: "k")
        try await writer.save()
        let second = try #require(await next(&events, Self.synced))
        #expect(second.changes["k"] != nil)
        #expect(second.changes["k"]?.bytes == nil)
        #expect(reader["k"] == nil)
        try reader.close()
    }

    @Test func allSubscribersReceiveOwnChangesInOrder() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        var first = store.events().makeAsyncIterator()
        var second = store.events().makeAsyncIterator()
        for number in 0..<3 { try store.set(.integer(Int64(number)), forKey: "k") }
        for number in 0..<3 {
            for changes in [await next(&first, Self.changed), await next(&second, Self.changed)] {
                #expect(changes?["k"]?.value == .integer(Int64(number)))
            }
        }
    }

    static func changed(_ kind: KeyValueStore.Event.Kind) -> KeyValueStore.Changes? {
        if case .changed(let changes) = kind { changes } else { nil }
    }

    @Test func conflictsAreReportedWhenTheyStartAndEnd() async throws {
        let fixture = try StoreFixture()
        let a = try fixture.store("a")
        let b = try fixture.store("b")
        try a.set("from a", forKey: "k")
        try b.set("from b", forKey: "k")
        try await a.save()
        try await b.save()
        var events = a.events().makeAsyncIterator()
        try await a.sync()
        let devices = await next(&events) { kind in
            if case .conflict("k", let devices, _) = kind { devices.map(\.name) } else { nil }
        }
        #expect(devices == ["b", "a"])
        try await b.sync()
        try b.resolve("k", with: "both")
        try await b.save()
        try await a.sync()
        let key = await next(&events) { kind in
            if case .resolved(let key) = kind { key } else { nil }
        }
        #expect(key == "k")
    }

    @Test func equalValuesAreNotAConflict() throws {
        let fixture = try StoreFixture()
        let a = try fixture.store("a")
        let b = try fixture.store("b")
        try a.set(["same": [1, 2]], forKey: "k")
        try b.set(["same": [1, 2]], forKey: "k")
        try a.save()
        try b.save()
        try a.sync()
        #expect(a.conflictCount == 0)
        #expect(try fixture.store(nil).conflictCount == 0)
    }

    @Test func deletedPackageIsReported() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a", watches: true)
        var events = store.events().makeAsyncIterator()
        try FileManager.default.removeItem(atPath: fixture.package.path)
        let reported = await next(&events) { kind in
            if case .deleted = kind { true } else { nil }
        }
        #expect(reported == true)
        #expect(store.isDeleted)
    }

    @Test func packageMovedAwayAndBackContinues() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a", watches: true)
        try store.set("1", forKey: "k")
        try await store.save()
        let path = fixture.package.path
        for place in [path, path + "/Devices"] {
            var events = store.events().makeAsyncIterator()
            let away = path + ".away"
            try FileManager.default.moveItem(atPath: place, toPath: away)
            #expect(
                await next(&events) { kind in
                    if case .deleted = kind { true } else { nil }
                } == true)
            #expect(store.isDeleted && store.value(forKey: "k") != nil)
            try FileManager.default.moveItem(atPath: away, toPath: place)
            #expect(
                await next(&events) { kind in
                    if case .returned = kind { true } else { nil }
                } == true)
            #expect(!store.isDeleted)
            let other = try fixture.store("b")
            try other.set(.string(place), forKey: "k")
            try await other.save()
            #expect(
                await next(&events) { kind in
                    if case .synced(let sync) = kind { sync.keys } else { nil }
                } == ["k"])
            #expect(store.value(forKey: "k") == .string(place))
            try store.set("own", forKey: "k")
            try await store.save()
            #expect(try fixture.store(nil).value(forKey: "k") == "own")
        }
    }

    @Test func blobsAreReported() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a", watches: true)
        var events = store.events().makeAsyncIterator()
        try store.blobs.put(Data("x".utf8), at: "notes/one.txt")
        let reported = await next(&events) { kind in
            if case .blob("notes/one.txt") = kind { true } else { nil }
        }
        #expect(reported == true)
        try store.close()
    }

    /// Independent of when the watcher sees the folders, which arrive with their content.
    @Test func blobsThatArriveWithTheirFoldersAreReported() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a", watches: true)
        var events = store.events().makeAsyncIterator()
        let made = fixture.package.path + ".new"
        try FileManager.default.createDirectory(
            atPath: made + "/deep", withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(fileURLWithPath: made + "/deep/one"))
        try FileManager.default.moveItem(atPath: made, toPath: fixture.package.path + "/Blobs")
        let reported = await next(&events) { kind in
            if case .blob("deep/one") = kind { true } else { nil }
        }
        #expect(reported == true)
        try store.close()
    }

    @Test func brokenDeviceAndItsRecoveryAreReported() async throws {
        let fixture = try StoreFixture()
        let writer = try fixture.store("a")
        try writer.set(1, forKey: "k")
        try writer.close()
        let store = try fixture.store("b")
        var events = store.events().makeAsyncIterator()
        let path = fixture.logPath("a")
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: path), options: .atomic)
        func state(_ kind: KeyValueStore.Event.Kind) -> DeviceStatus.State? {
            if case .device(let status) = kind { status.state } else { nil }
        }
        try await store.sync()
        #expect(store.devices.first { $0.device.name == "a" }?.state == .incomplete)
        // An incomplete file is reported if a second reading confirms it.
        #expect(await next(&events, state) == .incomplete)
        try whole.write(to: URL(fileURLWithPath: path), options: .atomic)
        try await store.sync()
        #expect(await next(&events, state) == .ok)
        #expect(store["k"] == 1)
    }

    @Test func completedFileIsReportedToObservers() async throws {
        let fixture = try StoreFixture()
        let writer = try fixture.store("a")
        try writer.set(1, forKey: "k")
        try writer.close()
        let scheduler = TestScheduler().scheduler
        let store = try fixture.store("b") { $0.scheduler = scheduler }
        var events = store.events().makeAsyncIterator()
        let path = fixture.logPath("a")
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        // The second reading, after a pause, would report it; the file is complete before that.
        for _ in 0..<2 {
            try whole.prefix(whole.count / 2)
                .write(to: URL(fileURLWithPath: path), options: .atomic)
            try await store.sync()
            let early = store.devices.first { $0.device.name == "a" }
            #expect(early?.state == .incomplete && early?.isEarly == true)
            try whole.write(to: URL(fileURLWithPath: path), options: .atomic)
            try await store.sync()
            let reported = await next(&events) { kind in
                if case .device(let status) = kind { status.state } else { nil }
            }
            #expect(reported == .ok)
        }
        try store.close()
    }

    @Test func hookRunsBeforeASyncAndCanWrite() throws {
        let fixture = try StoreFixture()
        let writer = try fixture.store("a")
        let store = try fixture.store("b") { configuration in
            configuration.willSync = { pending in
                pending.rows.contains { $0.key == "question" } ? ["answer": 42] : [:]
            }
        }
        try writer.set("?", forKey: "question")
        try writer.save()
        try store.sync()
        #expect(store.everything == ["question": "?", "answer": 42])
        try store.save()
        try writer.sync()
        #expect(writer["answer"] == 42)
    }

    @Test func clockFarAheadIsShown() throws {
        let fixture = try StoreFixture()
        let writer = try fixture.store("a")
        fixture.clock.advance(microseconds: 3 * 86_400 * 1_000_000)
        try writer.set(1, forKey: "k")
        try writer.save()
        fixture.clock.advance(microseconds: -3 * 86_400 * 1_000_000)
        let store = try fixture.store("b")
        #expect(store.devices.first { $0.device.name == "a" }?.hasClockProblem == true)
        // A write made after seeing that value still wins.
        try store.set(2, forKey: "k")
        try store.save()
        try writer.sync()
        #expect(writer["k"] == 2)
    }

    @Test func deviceNamesAreReadFromBlobs() throws {
        let fixture = try StoreFixture()
        let writer = try fixture.store("a")
        try writer.set(1, forKey: "k")
        try writer.save()
        let info: PropertyList = ["deviceName": "Anna's phone"]
        try writer.blobs.put(info.binary(), at: "info/a.plist")
        #expect(try fixture.store(nil).devices.map(\.name) == ["Anna's phone"])
    }
}
