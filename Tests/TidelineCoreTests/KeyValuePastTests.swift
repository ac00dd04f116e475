import Foundation
import Replication
import Synchronization
import TestSupport
import Testing

@testable import KeyValueStore
@testable import TidelineCore

/// Time travel in the panes of a package.
@Suite struct KeyValuePastTests {
    @Test func everyInstantShowsItsDictionary() async throws {
        let shared = try SharedPackage()
        let store = try SharedPackage.store("reader", shared.package, shared.clock)
        try await store.load()
        let pane = try await PaneSession(shared.path)
        for (number, instant) in shared.instants.enumerated() {
            for at in [instant, Timestamp(microseconds: instant.microseconds - 1)] {
                let rows = try await pane.rows(.keys, RowQuery(instant: at))
                let past = try store.dictionary(at: at)
                #expect(
                    Dictionary(
                        uniqueKeysWithValues: rows.map { (Name($0.id.name), $0.cells[1].text) })
                        == past.mapValues(\.line), "step \(number + 1)")
                let log = try await pane.rows(.log, RowQuery(instant: at))
                #expect(log.count == (try store.rowCount(.init(through: at))))
                #expect(
                    try await pane.names(.keys, "conflict:yes", at: at)
                        == rows.filter(\.isConflict).map(\.id.name))
                #expect(
                    try await pane.names(.conflicts, at: at)
                        == rows.filter(\.isConflict).map(\.id.name))
            }
        }
        #expect(try await pane.names(.keys, at: .distantPast).isEmpty)
        #expect(try await pane.names(.keys, at: .distantFuture) == SharedPackage.keys)
        await pane.close()
    }

    @Test func timelineIncludesNewRows() async throws {
        let shared = try SharedPackage()
        let pane = try await PaneSession(shared.path)
        let before = try await pane.session.timeline(buckets: 40)
        #expect(try await pane.session.timeline(buckets: 40) == before)
        for device in ["ben", "cleo"] {
            try shared.write(device, ["late": .string(device)])
            try await pane.session.reload()
            let other = try await PaneSession(shared.path)
            let after = try await pane.session.timeline(buckets: 40)
            #expect(after == (try await other.session.timeline(buckets: 40)))
            #expect(after != before)
            await other.close()
        }
        await pane.close()
    }

    @Test func historyIndexIsReleased() async throws {
        let shared = try SharedPackage()
        try shared.sync("anna")
        let instant = try #require(try shared.rows("anna").map(\.timestamp).max())
        // With this many keys, they aren't searched one by one.
        let number = 1_001
        for text in ["first", "second"] {
            let values = (0..<number).map { (Name("many/\($0)"), PropertyList.string(text)) }
            try shared.write("anna", Dictionary(uniqueKeysWithValues: values))
        }
        let pane = try await PaneSession(shared.path)
        let keys = try #require(try pane.source(.keys) as? KeysSource)
        func isHeld() -> Bool { keys.context.store.pastIndex.withLock { $0.index != nil } }
        let known = try await pane.names(.keys, at: instant)
        let conflicts = try await pane.names(.conflicts, at: instant)
        #expect(isHeld())
        for id in [PaneID.keys, .conflicts, .log] { try pane.source(id).forgetPast() }
        #expect(!isHeld())
        #expect(try await pane.names(.keys, at: instant) == known)
        #expect(try await pane.names(.conflicts, at: instant) == conflicts)
        await pane.close()
    }

    @Test func writesOfAnInstantShowThePreviousValue() async throws {
        let shared = try SharedPackage()
        try shared.sync("anna")
        try shared.write("anna", ["list": "one"])
        let first = try #require(try shared.rows("anna").max { $0.timestamp < $1.timestamp })
        try shared.write("anna", ["list": "two"])
        try shared.write("anna", ["list": nil])
        try shared.write("anna", ["list": "three"])
        try shared.write("anna", ["list": "three"])
        let later = try shared.rows("anna").filter { $0.timestamp > first.timestamp }
            .sorted { $0.timestamp < $1.timestamp }
        let pane = try await PaneSession(shared.path)
        let link = Detail.Link(pane: .keys, row: RowID("list"))
        let author = Author.device(try DeviceID("anna"))
        #expect(
            try await pane.session.writes(at: first.timestamp, device: nil)
                == [PastWrite(author, "set list: ", values: ["\"one\""], link: link)])
        #expect(
            try await pane.session.writes(at: later[0].timestamp, device: nil)
                == [
                    PastWrite(author, "set list: ", values: ["\"one\"", "\"two\""], link: link)
                ])
        #expect(
            try await pane.session.writes(at: later[1].timestamp, device: nil)
                == [PastWrite(author, "deleted list: ", values: ["\"two\""])])
        #expect(
            try await pane.session.writes(at: later[3].timestamp, device: nil)
                == [
                    PastWrite(author, "set list again: ", values: ["\"three\""], link: link)
                ])
        let ben = try DeviceID("ben")
        #expect(try await pane.session.writes(at: first.timestamp, device: ben).isEmpty)
        let between = Timestamp(microseconds: first.timestamp.microseconds + 1)
        #expect(try await pane.session.writes(at: between, device: nil).isEmpty)
        await pane.close()
    }

    @Test func timeTravelShowsTheConflictsOfTheInstant() async throws {
        let shared = try SharedPackage()
        let conflict = RowID("note/1/due")
        try shared.sync("anna")
        try shared.write("anna", ["note/1/due": "settled"])
        let pane = try await PaneSession(shared.path)
        #expect(try await pane.names(.conflicts).isEmpty)
        let (before, during) = (shared.instants[2], shared.instants[3])
        #expect(try await pane.names(.conflicts, at: before).isEmpty)
        #expect(try await pane.source(.keys).conflict(of: conflict, at: before) == nil)
        let rows = try await pane.rows(.conflicts, RowQuery(instant: during))
        #expect(rows.map { $0.cells[2].text } == ["1970-01-03T00:00:00Z"])
        #expect(rows.map { $0.cells[4].text } == ["1970-01-02T00:00:00Z cleo"])
        let sides = try #require(
            try await pane.source(.conflicts).conflict(of: conflict, at: during))
        #expect(sides.sides.map(\.author.name) == ["ben", "cleo"])
        #expect(sides.base?.author.name == "anna")
        let detail = try await pane.detail(.keys, "note/1/due", at: during)
        #expect(detail.lines("Conflict").count == 2)
        #expect(detail.lines("Value").first == "1970-01-03T00:00:00Z")
        let marked = try await pane.rows(.keys, RowQuery(instant: during)).filter(\.isConflict)
        #expect(marked.map(\.id) == [conflict])
        await pane.close()
    }

    @Test func timeTravelShowsTheDetailsOfTheInstant() async throws {
        let shared = try SharedPackage()
        let pane = try await PaneSession(shared.path)
        let title = try await pane.detail(.keys, "note/1/title", at: shared.instants[0])
        #expect(title.lines("Value").first == "Groceries")
        #expect(title.lines("History (1)").count == 1)
        #expect(
            try await pane.source(.keys).detail(of: RowID("note/4/new"), at: shared.instants[0])
                == nil)
        let ratio = try await pane.detail(.keys, "note/2/ratio", at: shared.instants[3])
        #expect(ratio.lines("Value").first == "1.5")
        await pane.close()
    }

    @Test func lateRowsUpdateTheDisplayedPast() async throws {
        let shared = try SharedPackage()
        let late = try SharedPackage.store("late", shared.package, TestClock(shared.instants[1]))
        let pane = try await PaneSession(shared.path)
        let instant = shared.instants[4]
        #expect(try await pane.names(.keys, at: instant).contains("late") == false)
        #expect(try await pane.names(.conflicts, at: instant) == ["note/1/due"])
        try await late.load()
        try late.set(contentsOf: ["late": "x"])
        try late.close()
        try await pane.session.reload()
        let written = try #require(try shared.rows("late").first).timestamp
        #expect(try await pane.names(.keys, at: written).contains("late"))
        #expect(try await pane.names(.keys, at: max(instant, written)).contains("late"))
        await pane.close()
    }

    @Test func stepsAndTimelineFollowTheRows() async throws {
        let shared = try SharedPackage()
        let pane = try await PaneSession(shared.path)
        var steps: [Timestamp] = []
        var at = Timestamp.distantPast
        while let next = try await pane.session.step(from: at, backwards: false, device: nil) {
            steps.append(next)
            at = next
        }
        #expect(steps == shared.instants)
        let ben = try DeviceID("ben")
        #expect(
            try await pane.session.step(from: .distantFuture, backwards: true, device: ben)
                == shared.instants[3])
        let timeline = try await pane.session.timeline(buckets: 6)
        #expect(timeline.first == shared.instants[0])
        #expect(timeline.last == shared.instants[5])
        #expect(timeline.activity[ben]?.reduce(0, +) == 2)
        await pane.close()
    }
}
