import DocumentStore
import EntityStore
import Foundation
import KeyValueStore
import Replication
import Synchronization
import TestSupport
import Testing

@testable import TidelineCore

/// Messages of the Events panel about devices, names and files that appear and disappear.
@Suite(.timeLimit(.minutes(30))) struct EventNewsTests {
    private let shared: SharedPackage

    init() throws { shared = try SharedPackage() }

    private func device(_ event: SessionEvent, _ name: String) -> Bool {
        if case .device = event.kind { event.device?.name == name } else { false }
    }

    /// A complete device folder arrives at once, as if a sync service had renamed it.
    private func bring(_ device: String, _ writes: [Name: PropertyList?]...) throws {
        let elsewhere = try StorePackage(creating: shared.folder.appending("Elsewhere.store"))
        let store = try SharedPackage.store(device, elsewhere, shared.clock)
        try store.load()
        for values in writes {
            try store.set(contentsOf: values)
            try store.save()
        }
        try FileManager.default.moveItem(
            atPath: "\(elsewhere.path)/Devices/\(device)",
            toPath: "\(shared.path)/Devices/\(device)")
    }

    @Test func newDeviceIsReportedAsNew() async throws {
        let pane = try await PaneSession(shared.path)
        let events = EventLog(pane.session)
        try bring("dora", ["a": "1", "b": "2"])
        let event = try #require(await events.next { device($0, "dora") })
        #expect(event.summary == "is new")
        #expect(event.report?.text == "dora is new")
        await pane.close()
    }

    @Test func deviceThatWasNeverCompleteIsNotReportedAsRestored() async throws {
        try bring("dora", ["a": "1", "b": "2"])
        let log = shared.logPath("dora")
        let whole = try Data(contentsOf: URL(filePath: log))
        try FileManager.default.removeItem(atPath: "\(shared.path)/Devices/dora")
        let pane = try await PaneSession(shared.path)
        let events = EventLog(pane.session)
        try FileManager.default.createDirectory(
            atPath: "\(shared.path)/Devices/dora", withIntermediateDirectories: true)
        let half = whole.prefix(whole.count / 2)
        for (bytes, reported) in [
            (half, "is new, and is incomplete"), (whole, "is ok now"), (half, "is incomplete"),
            (whole, "is ok again"),
        ] {
            try bytes.write(to: URL(filePath: log))
            // Changes of its data are reported separately.
            let event = try #require(await events.next { device($0, "dora") })
            #expect(event.summary.hasPrefix(reported), "\(event.summary)")
        }
        await pane.close()
    }

    /// A damaged file is replaced by a different one, and all files are read from scratch.
    @Test(arguments: [DatabaseKind.logs, .entities])
    func repairedFileIsReportedAsComplete(_ kind: DatabaseKind) async throws {
        let ben = try DeviceID("ben")
        let entities = try await EntityStore.open(shared.package, device: ben)
        try await entities.add([(.new("note", identifier: "n"), ["title": "x"])])
        await entities.close()
        let path = try shared.package.device(ben).path(of: kind)
        let pane = try await PaneSession(shared.path)
        let events = EventLog(pane.session)
        var damaged = try Data(contentsOf: URL(filePath: path))
        damaged.replaceSubrange(0..<16, with: Data(repeating: 0, count: 16))
        try damaged.write(to: URL(filePath: path))
        let broken = try #require(await events.next { device($0, "ben") })
        #expect(broken.summary.hasPrefix("is unreadable"), "\(broken.summary)")
        let repairs = try Doctor(shared.path, own: ben).repair().repairs
        #expect(repairs.map(\.isDone) == [true], "\(repairs)")
        let mended = try #require(await events.next { device($0, "ben") })
        #expect(mended.summary == "is ok again")
        await pane.close()
    }

    /// A device that disappeared, with one file back.
    private func withOneFileBack(
        patience: Duration, _ body: (ReportingPart, EventLog) async throws -> Void
    ) async throws {
        let part = ReportingPart()
        let session = ComposedSession(
            path: shared.path, parts: [part], isWritable: false, patience: patience)
        let events = EventLog(session)
        part.report(.ok, .ok, as: .loaded)
        part.report(.absent, .absent)
        #expect(await events.next { device($0, "ben") }?.summary == "is absent: it has gone")
        part.report(.ok, .absent)
        try await body(part, events)
        await session.close()
    }

    @Test func deviceReturningFileByFileIsReportedOnceItIsComplete() async throws {
        try await withOneFileBack(patience: .seconds(3_600)) { part, events in
            part.report(.ok, .ok)
            #expect(await events.next { device($0, "ben") }?.summary == "is ok again")
        }
    }

    @Test func deviceWithFilesStillMissingIsReportedAgain() async throws {
        try await withOneFileBack(patience: .milliseconds(1)) { part, events in
            #expect(await events.next { device($0, "ben") }?.summary == "entities: it has gone")
        }
    }

    /// A store that is reloaded from scratch has no record of the device.
    @Test func forgottenReturningDeviceIsNotPolled() async throws {
        let part = ReportingPart()
        let session = ComposedSession(
            path: shared.path, parts: [part], isWritable: false, patience: .milliseconds(50))
        part.report(.ok, .ok, as: .loaded)
        part.report(.absent, .absent)
        let count = Mutex(0)
        let listening = Task { [events = session.events()] in
            for await _ in events { count.withLock { $0 += 1 } }
        }
        part.report(.ok, .absent)
        part.forget()
        try await Task.sleep(for: .seconds(1))
        // These are the earlier event, the return of a file, and one check of the other files.
        #expect(count.withLock { $0 } < 8)
        listening.cancel()
        await session.close()
    }

    @Test func scriptEventsUseTheWordsOfTheFeed() async throws {
        let pane = try await PaneSession(shared.path)
        let events = EventLog(pane.session)
        // These devices' clocks are years behind the arrival.
        for (value, reported) in [
            (PropertyList.string("x"), "ben: +1 q/1, "), ("y", "ben: ~1 q/1, "),
            (nil, "ben: -1 q/1, "),
        ] {
            try shared.sync("ben")
            try shared.write("ben", ["q/1": value])
            let event = try #require(await events.nextChange(of: .keys))
            let text = try #require(event.report?.text)
            #expect(text.hasPrefix(reported) && text.hasSuffix(" d late"), "\(text)")
        }
        await pane.close()
    }

    @Test func manyRowsOfOneKeyAreCounted() async throws {
        let pane = try await PaneSession(shared.path)
        let events = EventLog(pane.session)
        try bring("dora", ["a": "1"], ["a": "2"], ["a": "3"])
        let event = try #require(
            await events.next { event in
                if case .changed = event.kind { event.device?.name == "dora" } else { false }
            })
        #expect(event.rowCount == 3)
        #expect(event.summary == "+3 a")
        await pane.close()
    }

    @Test func deviceRenameIsReportedWithTheOldName() async throws {
        let pane = try await PaneSession(shared.path)
        let events = EventLog(pane.session)
        let name: PropertyList = ["deviceName": "Ben's tablet"]
        try shared.package.blobs.put(name.binary(), at: "info/ben.plist")
        let event = try #require(await events.next { device($0, "ben") })
        #expect(event.summary == "was renamed: Ben's iPad → Ben's tablet")
        await pane.close()
    }

    @Test func syncServiceFilesAreReportedByKind() async throws {
        let pane = try await PaneSession(shared.path)
        let events = EventLog(pane.session)
        try FileManager.default.copyItem(
            atPath: shared.logPath("ben"),
            toPath: "\(shared.path)/Devices/ben/Logs (conflicted copy 2026-01-01).db")
        let event = try #require(await events.next { device($0, "ben") })
        #expect(event.summary.hasPrefix("\"Logs (conflicted copy 2026-01-01).db\" is "))
        await pane.close()
    }

    @Test func copyWithAnApostropheInItsNameIsReportedOnce() async throws {
        let name = "Logs (Ben's conflicted copy 2026-01-01).db"
        try FileManager.default.copyItem(
            atPath: shared.logPath("ben"), toPath: "\(shared.path)/Devices/ben/\(name)")
        let pane = try await PaneSession(shared.path)
        let reported = pane.session.status.problems.filter { $0.contains("conflicted copy") }
        #expect(
            reported.count == 1 && reported.first?.contains("\"\(name)\" is ") == true,
            "\(reported)")
        await pane.close()
    }

    @Test func keyRenameIsReportedWithBothNames() async throws {
        let pane = try await PaneSession(shared.path)
        let events = EventLog(pane.session)
        try shared.sync("cleo")
        try shared.write("cleo", ["note/4/new": nil, "note/4/old": "x"])
        let event = try #require(await events.nextChange(of: .keys))
        #expect(event.summary == "deleted note/4/new, set note/4/old")
        await pane.close()
    }

    @Test func workspaceRenameIsReportedWithBothNames() async throws {
        let store = try DocumentPackage.open(shared.package, "ben")
        let workspace = try store.newWorkspace(named: "Shopping")
        try store.save()
        let pane = try await PaneSession(shared.path)
        let events = EventLog(pane.session)
        try await wait { pane.session.status.counts[.documents] == 1 }
        try store.renameWorkspace(workspace.id, to: "Groceries")
        let event = try #require(await events.nextChange(of: .documents))
        #expect(event.summary == "~1 document: Shopping → Groceries")
        await pane.close()
    }

    @Test func onlyChangedBlobsAreReportedWhenThePackageReturns() async throws {
        for number in 1...5 {
            try shared.package.blobs.put(Data("\(number)".utf8), at: "photos/\(number).txt")
        }
        let pane = try await PaneSession(shared.path)
        let events = EventLog(pane.session)
        try await wait { pane.session.status.counts[.blobs] == 6 }
        let away = shared.folder.appending("away")
        try FileManager.default.moveItem(atPath: shared.path, toPath: away)
        #expect(await events.next { $0.kind == .deleted } != nil)
        let elsewhere = try StorePackage(opening: away)
        try elsewhere.blobs.put(Data("new".utf8), at: "photos/new.txt")
        try elsewhere.blobs.put(Data("3, longer".utf8), at: "photos/3.txt")
        try FileManager.default.moveItem(atPath: away, toPath: shared.path)
        var reported: [String] = []
        while reported.last != "photos/new.txt" {
            let event = try #require(
                await events.next { if case .blob = $0.kind { true } else { false } })
            if case .blob(let path) = event.kind { reported.append(path) }
        }
        #expect(reported == ["photos/3.txt", "photos/new.txt"])
        await pane.close()
    }

    @Test func propertiesAreReportedByTitleAndEntitiesByTypeAndName() async throws {
        let store = try await EntityStore.open(shared.package, device: DeviceID("ben"))
        try await store.add([
            (.new("person", identifier: "a"), ["name": "Anna", "age": 21]),
            (.new("book", identifier: "m"), ["title": "Moby-Dick"]),
        ])
        let pane = try await PaneSession(shared.path)
        let events = EventLog(pane.session)
        try await wait { pane.session.status.counts[.entities] == 2 }
        try await store.set([(.identifier("a"), ["age": 20])])
        let brief = try #require(await events.nextChange(of: .entities))
        #expect(brief.parts.isEmpty)
        pane.session.setReadsParts(true)
        try await store.set([(.identifier("a"), ["age": 22])])
        let one = try #require(await events.nextChange(of: .entities))
        #expect(one.summary == "~1 Anna › age")
        #expect(one.parts.map(\.subject) == ["Anna › age"])
        #expect(one.parts.map { [$0.old?.line, $0.new?.line] } == [["20", "22"]])
        try await store.remove(["age"], of: [.identifier("a")])
        let unset = try #require(await events.nextChange(of: .entities))
        #expect(unset.summary == "~1 Anna › -age")
        try await store.add([
            (.new("person", identifier: "b"), ["name": "Ben"]),
            (.new("person", identifier: "c"), ["name": "Cleo"]),
            (.new("person", identifier: "d"), ["name": "Dora"]),
            (.new("person", identifier: "e"), ["name": "Emil"]),
        ])
        let many = try #require(await events.nextChange(of: .entities))
        #expect(many.summary.hasPrefix("+4 entities (person Ben, person Cleo, person Dora, …)"))
        await store.close()
        await pane.close()
    }

    @Test func deletedEntitiesAreReportedFirst() async throws {
        let store = try await EntityStore.open(shared.package, device: DeviceID("ben"))
        try await store.add(
            ["a", "b", "c", "d"].map { (.new("person", identifier: $0), ["age": 21]) })
        // The deleted entity has relationships from others, which change with it.
        try await store.set([(.identifier("a"), ["friend": .relationship(.identifier("d"))])])
        try await store.set([(.identifier("b"), ["friend": .relationship(.identifier("d"))])])
        let pane = try await PaneSession(shared.path)
        let events = EventLog(pane.session)
        try await wait { pane.session.status.counts[.entities] == 4 }
        try await store.delete([.identifier("d")])
        let event = try #require(await events.nextChange(of: .entities))
        #expect(
            event.summary.hasPrefix("-1 d, ~2 entities (person "), "\(event.summary)")
        await store.close()
        await pane.close()
    }

    @Test func lastWriteOfADeviceIsKeptWhileItsLogIsIncomplete() async throws {
        let pane = try await PaneSession(shared.path)
        let events = EventLog(pane.session)
        let ben = try DeviceID("ben")
        let before = try await pane.session.timeline(buckets: 10)
        #expect(before.activity[ben]?.contains { $0 > 0 } == true)
        let whole = try Data(contentsOf: URL(filePath: shared.logPath("ben")))
        try whole.prefix(whole.count / 2).write(to: URL(filePath: shared.logPath("ben")))
        _ = await events.next { device($0, "ben") }
        let half = try await pane.session.timeline(buckets: 10)
        #expect(half.activity[ben] == before.activity[ben])
        await pane.close()
    }
}

/// Reports the states that a test sets for one device in two stores.
private final class ReportingPart: SessionPart {
    let panes: [Pane] = []
    private let state = Mutex(PartStatus(phase: .live))
    private let emit = Mutex<(@Sendable (SessionEvent) -> Void)?>(nil)

    var status: PartStatus { state.withLock { $0 } }
    func start(emit: @escaping @Sendable (SessionEvent) -> Void) {
        self.emit.withLock { $0 = emit }
    }
    func reload() async {}
    func close() async {}
    func forget() { state.withLock { $0.devices = [] } }

    func report(
        _ keys: DeviceReport.State, _ entities: DeviceReport.State,
        as kind: SessionEvent.Kind = .devices
    ) {
        guard let device = try? DeviceID("ben") else { return }
        let states = [(PaneID.keys, keys), (.entities, entities)]
        state.withLock { status in
            status.devices = states.map { pane, state in
                var report = DeviceReport(
                    device, in: pane.part, state: state,
                    problem: state == .ok ? nil : "it has gone")
                report.isPlain = pane == .keys
                return report
            }
        }
        emit.withLock { $0 }?(SessionEvent(kind, date: Date()))
    }
}
