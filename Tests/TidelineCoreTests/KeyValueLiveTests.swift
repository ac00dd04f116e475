import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// Writes of other devices to an open store, and incomplete packages.
@Suite(.timeLimit(.minutes(30))) struct KeyValueLiveTests {
    private let shared: SharedPackage

    init() throws { shared = try SharedPackage() }

    @Test func rowsOfAnotherDeviceArriveWithTheirMarks() async throws {
        let pane = try await PaneSession(shared.path)
        let events = EventLog(pane.session)
        try shared.sync("ben")
        try shared.write(
            "ben", ["note/1/count": .integer(4), "note/0": "first", "note/4/new": nil])
        let event = try #require(await events.nextChange(of: .keys))
        #expect(
            event.kind
                == .changed(
                    .keys,
                    rows: [
                        RowID("note/0"): .new, RowID("note/1/count"): .changed,
                        RowID("note/4/new"): .deleted,
                    ], isOwn: false))
        #expect(event.device?.name == "ben")
        #expect(event.summary == "+1 ~1 -1 note/…")
        let newest = try await pane.rows(.log).prefix(3)
        #expect(
            event.elsewhere[.log]
                == Dictionary(uniqueKeysWithValues: newest.map { ($0.id, RowMark.new) }))
        // The selected row has moved, and is found.
        let window = try await pane.source(.keys).window(
            WindowRequest(position: .row(RowID("note/1/count"), offset: 0, fallback: 0), count: 3))
        #expect(window.found == 1)
        #expect(window.rows.first?.cells[1].text == "4")
        await pane.close()
    }

    @Test func deviceNameIsShownInEveryRow() async throws {
        let pane = try await PaneSession(shared.path)
        let events = EventLog(pane.session)
        func rows() async throws -> [Row] {
            try await pane.rows(.keys).filter { $0.device?.name == "anna" }
        }
        #expect(try await rows().contains { $0.cells.contains { $0.text == "anna" } })
        let info: PropertyList = ["deviceName": "Anna's phone"]
        try shared.package.blobs.put(info.binary(), at: "info/anna.plist")
        _ = try #require(await events.next { $0.kind == .blob("info/anna.plist") })
        #expect(
            try await rows().allSatisfy { $0.cells.contains { $0.text == "Anna's phone" } })
        await pane.close()
    }

    @Test func keyIsNewIfItHadNoValue() async throws {
        let pane = try await PaneSession(shared.path)
        let events = EventLog(pane.session)
        for (key, mark) in [("note/2/ratio", RowMark.new), ("b", .new), ("b", .changed)] {
            // The filtered list is the most recently created one.
            _ = try await pane.names(.keys, "key:x*")
            try shared.sync("cleo")
            try shared.write("cleo", [Name(key): .integer(shared.clock.now.microseconds)])
            let event = try #require(await events.nextChange(of: .keys))
            #expect(event.kind == .changed(.keys, rows: [RowID(key): mark], isOwn: false))
        }
        await pane.close()
    }

    @Test func newAndResolvedConflictsAreReported() async throws {
        let pane = try await PaneSession(shared.path)
        let events = EventLog(pane.session)
        try shared.write("cleo", ["note/1/title": "cleo's"])
        let row = RowID("note/1/title")
        let event = try #require(await events.next { $0.kind == .conflict(.conflicts, row) })
        #expect(event.device?.name == "cleo")
        #expect(event.summary == "≠ note/1/title: cleo, Ben's iPad")
        #expect(pane.session.status.conflictCount == 2)
        #expect(try await pane.names(.conflicts) == ["note/1/due", "note/1/title"])
        try shared.sync("cleo")
        try shared.write("cleo", ["note/1/title": "both"])
        #expect(await events.next { $0.kind == .resolved(.keys, row) } != nil)
        #expect(try await pane.names(.conflicts) == ["note/1/due"])
        await pane.close()
    }

    @Test func ownEditIsReportedAsOwn() async throws {
        let pane = try await PaneSession(shared.path)
        let events = EventLog(pane.session)
        try await pane.perform(.add(name: "mine", parent: nil, TypedText(.string, "x")))
        let event = try #require(await events.nextChange(of: .keys))
        #expect(event.kind == .changed(.keys, rows: [RowID("mine"): .new], isOwn: true))
        #expect(event.summary == "+1 mine")
        #expect(try await pane.names(.devices) == ["anna", "ben", "cleo", "desk"])
        await pane.close()
    }

    @Test func blobCountFollowsAdditionsAndDeletions() async throws {
        let pane = try await PaneSession(shared.path)
        let events = EventLog(pane.session)
        func isCounted(_ count: Int) async -> Bool {
            if pane.session.status.counts[.blobs] == count { return true }
            return await events.next { _ in pane.session.status.counts[.blobs] == count } != nil
        }
        #expect(await isCounted(1))
        try shared.package.blobs.put(Data("x".utf8), at: "a/b")
        try shared.package.blobs.put(Data("x".utf8), at: "a/c")
        #expect(await isCounted(3))
        try shared.package.blobs.delete("a/b")
        #expect(await isCounted(2))
        await pane.close()
    }

    @Test func blobAndDeviceNameChangesAreReported() async throws {
        let pane = try await PaneSession(shared.path)
        let events = EventLog(pane.session)
        try shared.package.blobs.put(Data("x".utf8), at: "a/b")
        #expect(await events.next { $0.kind == .blob("a/b") } != nil)
        #expect(try await pane.names(.blobs) == ["a/b", "info/ben.plist"])
        await pane.close()
    }

    /// Panes must stay complete if one device's file is incomplete.
    private func expectRestStays(_ pane: PaneSession, winner: String) async throws {
        #expect(try await pane.names(.keys) == SharedPackage.keys)
        #expect(try await pane.rows(.keys)[1].cells[1].text == winner)
        #expect(try await pane.names(.conflicts) == ["note/1/due"])
        for key in SharedPackage.keys {
            #expect(try await pane.source(.keys).detail(of: RowID(key), at: nil) != nil, "\(key)")
        }
    }

    @Test func unreadableLogIsReportedAndOthersStay() async throws {
        let pane = try await PaneSession(shared.path)
        try await expectRestStays(pane, winner: "1970-01-03T00:00:00Z")
        let events = EventLog(pane.session)
        let log = try Data(contentsOf: URL(filePath: shared.logPath("ben")))
        try Data(repeating: 0x41, count: 5000).write(to: URL(filePath: shared.logPath("ben")))
        let event = try #require(
            await events.next {
                if case .device("unreadable", _) = $0.kind { true } else { false }
            })
        #expect(event.device?.name == "ben")
        let status = pane.session.status
        #expect(status.devices.map(\.state) == ["ok", "unreadable", "ok"])
        #expect(status.problems.count == 1)
        #expect(status.problems[0].hasPrefix("Ben's iPad: "))
        #expect(try await pane.names(.devices, "-state:ok") == ["ben"])
        #expect(try await pane.detail(.devices, "ben").lines("Problems").count == 1)
        // Rows that were already read are still shown. If the file itself is needed, its problem is
        // reported.
        try await expectRestStays(pane, winner: "1970-01-03T00:00:00Z")
        let detail = try await pane.detail(.keys, "note/1/due")
        #expect(detail.lines("Value").first == "1970-01-03T00:00:00Z")
        #expect(detail.lines("Unreadable").count == 1)
        let conflict = try #require(
            try await pane.source(.conflicts).conflict(of: RowID("note/1/due"), at: nil))
        #expect(conflict.sides.map(\.author.name) == ["ben", "cleo"])
        #expect(conflict.notes.count == 1)
        #expect(
            try await pane.names(.keys, at: shared.instants[0]).count == 7, "anna's rows stay")
        #expect(try await pane.rows(.log).count == 10)
        let window = try await pane.source(.log).window(
            WindowRequest(position: .index(0), count: 20))
        #expect(window.total == 10, "only readable rows are listed")
        try log.write(to: URL(filePath: shared.logPath("ben")))
        _ = await events.next {
            if case .device("ok", _) = $0.kind { true } else { false }
        }
        #expect(pane.session.status.problems.isEmpty)
        #expect(try await pane.rows(.log).count == 12)
        await pane.close()
    }

    @Test func problemsFollowDeviceFiles() async throws {
        let pane = try await PaneSession(shared.path)
        func named() async throws -> Set<String> {
            Set(try await pane.rows(.problems).compactMap { $0.device?.name })
        }
        #expect(try await !named().contains("ben"))
        let events = EventLog(pane.session)
        let log = try Data(contentsOf: URL(filePath: shared.logPath("ben")))
        for (bytes, state) in [(Data(repeating: 0x41, count: 5000), "unreadable"), (log, "ok")] {
            try bytes.write(to: URL(filePath: shared.logPath("ben")))
            _ = await events.next {
                if case .device(state, _) = $0.kind { true } else { false }
            }
            #expect(try await named().contains("ben") == (state != "ok"), "\(state)")
        }
        await pane.close()
    }

    @Test func unreadableLosingValueDoesNotHideTheConflict() async throws {
        let pane = try await PaneSession(shared.path)
        try Data(repeating: 0x41, count: 5000).write(to: URL(filePath: shared.logPath("cleo")))
        try await pane.session.reload()
        let rows = try await pane.rows(.conflicts)
        #expect(rows.map { $0.cells[4].text } == ["(unreadable) cleo"])
        #expect(
            try await pane.detail(.keys, "note/1/due").lines("Conflict").last
                == "cleo unreadable now")
        await #expect(throws: (any Error).self) {
            try await pane.perform(
                .resolve(RowID("note/1/due"), .take(.init(.device(DeviceID("cleo"))))))
        }
        try await pane.perform(
            .resolve(RowID("note/1/due"), .take(.init(.device(DeviceID("ben"))))))
        #expect(try await pane.names(.conflicts).isEmpty)
        await pane.close()
    }

    @Test func conflictOfAMissingStoreFailsWithAReason() async throws {
        let pane = try await PaneSession(shared.path)
        let due = RowID("note/1/due")
        func notes() async throws -> [String] {
            try await pane.source(.keys).conflict(of: due, at: nil)?.notes ?? []
        }
        try FileManager.default.removeItem(atPath: shared.path + "/Devices/cleo")
        #expect(try await notes().contains { $0.contains("cleo") && $0.contains("its log") })
        try FileManager.default.removeItem(atPath: shared.path)
        let gone = try await notes()
        #expect(gone.count == 2)
        #expect(gone.allSatisfy { $0.contains("the store") })
        await pane.close()
    }

    @Test func unreadableDeviceIsListedWithItsProblem() async throws {
        try FileManager.default.createDirectory(
            atPath: shared.path + "/Devices/zoe", withIntermediateDirectories: true)
        try Data(repeating: 0x41, count: 5000).write(to: URL(filePath: shared.logPath("zoe")))
        let pane = try await PaneSession(shared.path)
        let rows = try await pane.rows(.devices)
        #expect(rows.map(\.id.name) == ["anna", "ben", "cleo", "zoe"])
        #expect(rows.last?.cells[1] == RowCell("unreadable", .problem))
        #expect(rows.last?.cells[6].text.isEmpty == false)
        try await expectRestStays(pane, winner: "1970-01-03T00:00:00Z")
        await pane.close()
    }

    @Test func messagesNameFilesRelativeToTheStore() async throws {
        try FileManager.default.createDirectory(
            atPath: shared.path + "/Devices/zoe", withIntermediateDirectories: true)
        try Data(repeating: 0x41, count: 5000).write(to: URL(filePath: shared.logPath("zoe")))
        let pane = try await PaneSession(shared.path)
        let devices = try await pane.rows(.devices).flatMap { $0.cells.map(\.text) }
        let problems = try await pane.rows(.problems).flatMap { $0.cells.map(\.text) }
        // The row names the device, so its folder is left out.
        #expect(devices.contains { $0.contains("Logs.db") && !$0.contains("Devices/zoe") })
        #expect(problems.contains { $0.contains("Devices/zoe/Logs.db") })
        #expect(!(devices + problems).contains { $0.contains(shared.path) })
        let detail = try await pane.detail(.devices, "zoe")
        #expect(detail.sections.first?.title == "Problems")
        await pane.close()
    }

    @Test func suggestedCommandsCanBeCopied() {
        let text = "/s/Devices/a/Logs.db: tideline merge \"/s\" \"/s/Devices/a copy\""
        #expect(
            text.withRelativePaths(inStoreAt: "/s")
                == "Devices/a/Logs.db: tideline merge \"/s\" \"/s/Devices/a copy\"")
        for command in ["tideline merge /s '/s/a (copy).db'", "tideline merge /s /s/a.copy.db"] {
            #expect("/s/a.db: \(command)".withRelativePaths(inStoreAt: "/s") == "a.db: \(command)")
        }
    }

    @Test func partiallyCopiedLogShowsTheRowsBeforeTheGap() async throws {
        try shared.execute("anna", "DELETE FROM log WHERE id = 3")
        let pane = try await PaneSession(shared.path)
        let device = try #require(pane.session.status.devices.first)
        #expect(device.state == "incomplete")
        #expect(pane.session.status.problems.first?.contains("row 3 is missing") == true)
        #expect(
            try await pane.names(.keys)
                == ["note/1/count", "note/1/due", "note/1/title", "note/4/new"])
        #expect(try await pane.rows(.log).count == 6)
        // The missing rows may have a newer value of any key.
        let title = try await pane.detail(.keys, "note/1/title")
        #expect(title.lines("Devices").last?.hasPrefix("anna incomplete") == true)
        let devices = try pane.source(.devices)
        let seen = try #require(try await devices.open(RowID("ben"), at: nil))
        let rows = try await seen.window(WindowRequest(query: RowQuery(), count: 10)).rows
        #expect(rows.map { $0.cells[2].role } == [.problem, .number])
        let anna = try #require(try await seen.detail(of: RowID("anna"), at: nil))
        #expect(anna.lines("Seen by").contains { $0.contains("incomplete") })
        await pane.close()
    }

    @Test func conflictCopiesOfASyncServiceAreReported() async throws {
        let copy = "Logs.sync-conflict-20260101-120000-ABCDEFG.db"
        try FileManager.default.copyItem(
            atPath: shared.logPath("cleo"), toPath: "\(shared.path)/Devices/cleo/\(copy)")
        let pane = try await PaneSession(shared.path)
        let problems = pane.session.status.problems
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("cleo: \"\(copy)\" is another version") == true)
        #expect(try await pane.names(.devices, "problem:*conflict*") == ["cleo"])
        await pane.close()
    }

    @Test func missingPackageIsReportedAndStaysVisible() async throws {
        let pane = try await PaneSession(shared.path)
        let events = EventLog(pane.session)
        try FileManager.default.removeItem(atPath: shared.path)
        #expect(await events.next { $0.kind == .deleted } != nil)
        #expect(pane.session.status.phase == .missing)
        #expect(try await pane.names(.keys) == SharedPackage.keys)
        await #expect(throws: (any Error).self) {
            try await pane.perform(.add(name: "x", parent: nil, TypedText(.string, "")))
        }
        #expect(!FileManager.default.fileExists(atPath: shared.path), "nothing is recreated")
        await pane.close()
    }

    @Test func emptyPackageHasEmptyPanes() async throws {
        let empty = try SharedPackage(hasStory: false)
        let pane = try await PaneSession(empty.path)
        for place in pane.session.panes {
            #expect(try await pane.rows(place.id).isEmpty, "\(place.id.name)")
            #expect(try await place.source.detail(of: RowID("x"), at: nil) == nil)
        }
        try await pane.perform(.add(name: "first", parent: nil, TypedText(.string, "x")))
        #expect(try await pane.names(.keys) == ["first"])
        await pane.close()
    }
}
