import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// What other devices write while somebody looks, and packages that are not whole.
@Suite(.timeLimit(.minutes(2))) struct KeyValueLiveTests {
    private let shared: SharedPackage

    init() throws { shared = try SharedPackage() }

    @Test func rowsOfAnotherDeviceArriveWithTheirMarks() async throws {
        let room = try await RoomSession(shared.path)
        let events = EventLog(room.session)
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
                        RowID("note/4/new"): .gone,
                    ], isOwn: false))
        #expect(event.device?.name == "ben")
        #expect(event.summary == "+3 note/…")
        let newest = try await room.rows(.log).prefix(3)
        #expect(
            event.elsewhere[.log]
                == Dictionary(uniqueKeysWithValues: newest.map { ($0.id, RowMark.new) }))
        // The row that was selected has moved, and is found.
        let window = try await room.source(.keys).window(
            WindowRequest(position: .row(RowID("note/1/count"), offset: 0, fallback: 0), count: 3))
        #expect(window.found == 1)
        #expect(window.rows.first?.cells[1].text == "4")
        await room.close()
    }

    @Test func aKeyIsNewWhenItHadNoValueWhateverWasListedBefore() async throws {
        let room = try await RoomSession(shared.path)
        let events = EventLog(room.session)
        for (key, mark) in [("note/2/ratio", RowMark.new), ("b", .new), ("b", .changed)] {
            // A list that is filtered is the last one that was made.
            _ = try await room.names(.keys, "key:x*")
            try shared.sync("cleo")
            try shared.write("cleo", [Name(key): .integer(shared.clock.now.microseconds)])
            let event = try #require(await events.nextChange(of: .keys))
            #expect(event.kind == .changed(.keys, rows: [RowID(key): mark], isOwn: false))
        }
        await room.close()
    }

    @Test func conflictsAreToldWhenTheyComeAndWhenTheyGo() async throws {
        let room = try await RoomSession(shared.path)
        let events = EventLog(room.session)
        try shared.write("cleo", ["note/1/title": "cleo's"])
        let row = RowID("note/1/title")
        let event = try #require(await events.next { $0.kind == .conflict(row) })
        #expect(event.device?.name == "cleo")
        #expect(event.summary == "≠ note/1/title: cleo, Ben's iPad")
        #expect(room.session.status.conflictCount == 2)
        #expect(try await room.names(.conflicts) == ["note/1/due", "note/1/title"])
        try shared.sync("cleo")
        try shared.write("cleo", ["note/1/title": "both"])
        #expect(await events.next { $0.kind == .resolved(row) } != nil)
        #expect(try await room.names(.conflicts) == ["note/1/due"])
        await room.close()
    }

    @Test func anOwnEditIsToldAsOwn() async throws {
        let room = try await RoomSession(shared.path)
        let events = EventLog(room.session)
        try await room.perform(.add(name: "mine", parent: nil, TypedText(.string, "x")))
        let event = try #require(await events.nextChange(of: .keys))
        #expect(event.kind == .changed(.keys, rows: [RowID("mine"): .new], isOwn: true))
        #expect(event.summary == "+1 mine")
        #expect(try await room.names(.devices) == ["anna", "ben", "cleo", "desk"])
        await room.close()
    }

    @Test func aBlobAndADeviceNameAreTold() async throws {
        let room = try await RoomSession(shared.path)
        let events = EventLog(room.session)
        try shared.package.blobs.put(Data("x".utf8), at: "a/b")
        #expect(await events.next { $0.kind == .blob("a/b") } != nil)
        #expect(try await room.names(.blobs) == ["a/b", "info/ben.plist"])
        await room.close()
    }

    /// Whole rooms must stay when one device's file is not whole.
    private func expectRestStays(_ room: RoomSession, winner: String) async throws {
        #expect(try await room.names(.keys) == SharedPackage.keys)
        #expect(try await room.rows(.keys)[1].cells[1].text == winner)
        #expect(try await room.names(.conflicts) == ["note/1/due"])
        for key in SharedPackage.keys {
            #expect(try await room.source(.keys).detail(of: RowID(key), at: nil) != nil, "\(key)")
        }
    }

    @Test func aLogThatCannotBeReadAnyMoreIsNamedAndTheRestStays() async throws {
        let room = try await RoomSession(shared.path)
        try await expectRestStays(room, winner: "1970-01-03T00:00:00Z")
        let events = EventLog(room.session)
        let log = try Data(contentsOf: URL(filePath: shared.logPath("ben")))
        try Data(repeating: 0x41, count: 5000).write(to: URL(filePath: shared.logPath("ben")))
        let event = try #require(
            await events.next {
                if case .device("unreadable", _) = $0.kind { true } else { false }
            })
        #expect(event.device?.name == "ben")
        let status = room.session.status
        #expect(status.devices.map(\.state) == ["ok", "unreadable", "ok"])
        #expect(status.problems.count == 1)
        #expect(status.problems[0].hasPrefix("Ben's iPad: "))
        #expect(try await room.names(.devices, "-state:ok") == ["ben"])
        #expect(try await room.detail(.devices, "ben").lines("Problems").count == 1)
        // What was read before is still there; where the file is needed, it is said.
        try await expectRestStays(room, winner: "1970-01-03T00:00:00Z")
        let detail = try await room.detail(.keys, "note/1/due")
        #expect(detail.lines("Value").first == "1970-01-03T00:00:00Z")
        #expect(detail.lines("Not read").count == 1)
        let conflict = try #require(
            try await room.source(.conflicts).conflict(of: RowID("note/1/due"), at: nil))
        #expect(conflict.sides.map(\.device.name) == ["ben", "cleo"])
        #expect(conflict.notes.count == 1)
        #expect(
            try await room.names(.keys, at: shared.instants[0]).count == 7, "anna's rows stay")
        #expect(try await room.rows(.log).count == 10)
        try log.write(to: URL(filePath: shared.logPath("ben")))
        _ = await events.next {
            if case .device("ok", _) = $0.kind { true } else { false }
        }
        #expect(room.session.status.problems.isEmpty)
        #expect(try await room.rows(.log).count == 12)
        await room.close()
    }

    @Test func aLoserThatCannotBeReadDoesNotHideTheConflict() async throws {
        let room = try await RoomSession(shared.path)
        try Data(repeating: 0x41, count: 5000).write(to: URL(filePath: shared.logPath("cleo")))
        await room.session.reload()
        let rows = try await room.rows(.conflicts)
        #expect(rows.map { $0.cells[3].text } == ["(not readable) cleo"])
        #expect(
            try await room.detail(.keys, "note/1/due").lines("Conflict").last
                == "cleo not readable now")
        await #expect(throws: (any Error).self) {
            try await room.perform(.resolve(RowID("note/1/due"), .take(DeviceID("cleo"))))
        }
        try await room.perform(.resolve(RowID("note/1/due"), .take(DeviceID("ben"))))
        #expect(try await room.names(.conflicts).isEmpty)
        await room.close()
    }

    @Test func aDeviceThatNeverCouldBeReadIsListedWithItsProblem() async throws {
        try FileManager.default.createDirectory(
            atPath: shared.path + "/Devices/zoe", withIntermediateDirectories: true)
        try Data(repeating: 0x41, count: 5000).write(to: URL(filePath: shared.logPath("zoe")))
        let room = try await RoomSession(shared.path)
        let rows = try await room.rows(.devices)
        #expect(rows.map(\.id.name) == ["anna", "ben", "cleo", "zoe"])
        #expect(rows.last?.cells[1] == RowCell("unreadable", .problem))
        #expect(rows.last?.cells[6].text.isEmpty == false)
        try await expectRestStays(room, winner: "1970-01-03T00:00:00Z")
        await room.close()
    }

    @Test func aHalfCopiedLogShowsWhatComesBeforeTheGap() async throws {
        try shared.execute("anna", "DELETE FROM log WHERE id = 3")
        let room = try await RoomSession(shared.path)
        let device = try #require(room.session.status.devices.first)
        #expect(device.state == "incomplete")
        #expect(room.session.status.problems.first?.contains("row 3 is missing") == true)
        #expect(
            try await room.names(.keys)
                == ["note/1/count", "note/1/due", "note/1/title", "note/4/new"])
        #expect(try await room.rows(.log).count == 6)
        await room.close()
    }

    @Test func conflictCopiesOfASyncServiceAreReported() async throws {
        let copy = "Logs.sync-conflict-20260101-120000-ABCDEFG.db"
        try FileManager.default.copyItem(
            atPath: shared.logPath("cleo"), toPath: "\(shared.path)/Devices/cleo/\(copy)")
        let room = try await RoomSession(shared.path)
        let problems = room.session.status.problems
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("cleo: \"\(copy)\" is another version") == true)
        #expect(try await room.names(.devices, "problem:*conflict*") == ["cleo"])
        await room.close()
    }

    @Test func aPackageThatGoesIsToldAndStaysVisible() async throws {
        let room = try await RoomSession(shared.path)
        let events = EventLog(room.session)
        try FileManager.default.removeItem(atPath: shared.path)
        #expect(await events.next { $0.kind == .deleted } != nil)
        #expect(room.session.status.phase == .gone)
        #expect(try await room.names(.keys) == SharedPackage.keys)
        await #expect(throws: (any Error).self) {
            try await room.perform(.add(name: "x", parent: nil, TypedText(.string, "")))
        }
        #expect(!FileManager.default.fileExists(atPath: shared.path), "nothing is made anew")
        await room.close()
    }

    @Test func anEmptyPackageHasEmptyRooms() async throws {
        let empty = try SharedPackage(isTold: false)
        let room = try await RoomSession(empty.path)
        for place in room.session.rooms {
            #expect(try await room.rows(place.id).isEmpty, "\(place.id.name)")
            #expect(try await place.source.detail(of: RowID("x"), at: nil) == nil)
        }
        try await room.perform(.add(name: "first", parent: nil, TypedText(.string, "x")))
        #expect(try await room.names(.keys) == ["first"])
        await room.close()
    }
}
