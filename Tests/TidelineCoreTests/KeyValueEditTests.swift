import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// Edits of keys: their previews, the values they write, and where.
@Suite struct KeyValueEditTests {
    private let shared: SharedPackage

    init() throws { shared = try SharedPackage() }

    /// Returns keys with their displayed values.
    private func state(_ pane: PaneSession) async throws -> [String: String] {
        let rows = try await pane.rows(.keys)
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.id.name, $0.cells[1].text) })
    }

    private static let key = RowID("note/1/title")
    private static let noDatabase = Data(repeating: 0x41, count: 5000)

    private static let values: [(TypedText, PropertyList)] = [
        (TypedText(.string, "Milk\n\u{1B}[31m"), .string("Milk\n\u{1B}[31m")),
        (TypedText(.integer, " 18446744073709551615 "), .unsigned(.max)),
        (TypedText(.integer, "-9223372036854775808"), .integer(.min)),
        (TypedText(.real, "1"), .real(1)), (TypedText(.real, "nan"), .real(.nan)),
        (TypedText(.boolean, "YES"), .boolean(true)),
        (
            TypedText(.date, "2026-11-21T09:15:00.123456Z"),
            .date(Date(timeIntervalSinceReferenceDate: 816_945_300.123456))
        ),
        (TypedText(.data, "AP8="), .data(Data([0, 255]))), (TypedText(.string, ""), .string("")),
        (
            TypedText(.json, #"{"a":[1,1.0,true,{"$data":"AA=="}]}"#),
            .dictionary(["a": .array([.integer(1), .real(1), .boolean(true), .data(Data([0]))])])
        ),
    ]

    @Test func previewHasCompleteValues() async throws {
        let pane = try await PaneSession(shared.path)
        let long = String(repeating: "groceries ", count: 100)
        let preview = try await pane.source(.keys).preview(
            .set(RowID("note/1/title"), field: nil, TypedText(.string, long)))
        let change = try #require(preview.changes.first)
        #expect(change.old?.isCut == false)
        #expect(change.new?.isCut == true)
        #expect(change.new?.whole == TypedText(.string, long))
        #expect((change.new?.line.count ?? 0) < long.count)
        await pane.close()
    }

    @Test func valueOfEachTypeKeepsItsType() async throws {
        let pane = try await PaneSession(shared.path)
        let anna = try shared.store("anna")
        try shared.sync("anna")
        for (text, value) in Self.values {
            let before = try #require(anna.value(forKey: "note/1/title"))
            let applied = try await pane.perform(.set(Self.key, field: nil, text))
            #expect(applied.rows == [Self.key])
            try shared.sync("anna")
            #expect(anna.value(forKey: "note/1/title") == value, "\(text)")
            let undone = try await pane.perform(try #require(applied.undo.first))
            try shared.sync("anna")
            #expect(anna.value(forKey: "note/1/title") == before, "\(text)")
            try await pane.perform(try #require(undone.undo.first))
            try shared.sync("anna")
            #expect(anna.value(forKey: "note/1/title") == value, "\(text)")
        }
        await pane.close()
    }

    @Test func everyEditCanBeUndoneAndRedone() async throws {
        let pane = try await PaneSession(shared.path)
        let edits: [Edit] = [
            .set(Self.key, field: nil, TypedText(.integer, "1")),
            .set(RowID("note/1/due"), field: nil, TypedText(.json, "[1]")),
            .add(name: "note/5", parent: nil, TypedText(.string, "five")),
            .add(name: "note/2/ratio", parent: nil, TypedText(.real, "2.5")),
            .rename(RowID("note/3/raw"), to: "note/3/bytes"),
            .rename(RowID("note/3/list"), to: "note/2/ratio"),
            .remove([RowID("note/4/new")], field: nil),
            .remove(SharedPackage.keys.map { RowID($0) }, field: nil),
        ]
        for edit in edits {
            let before = try await state(pane)
            var undo = try await pane.perform(edit).undo
            let after = try await state(pane)
            #expect(after != before, "\(edit)")
            for expected in [before, after, before] {
                var again: [Edit] = []
                for step in undo { again = try await pane.perform(step).undo + again }
                #expect(try await state(pane) == expected, "\(edit)")
                undo = again
            }
        }
        await pane.close()
    }

    @Test func editsAreWrittenOnlyToThisDevicesLog() async throws {
        let logs = try shared.logs()
        let pane = try await PaneSession(shared.path)
        try await pane.perform(.set(Self.key, field: nil, TypedText(.string, "Milk")))
        try await pane.perform(.rename(RowID("note/4/new"), to: "note/4/old"))
        await pane.close()
        #expect(try shared.logs() == logs)
        let rows = try shared.rows("desk")
        #expect(rows.map(\.key) == ["note/1/title", "note/4/new", "note/4/old"])
        #expect(rows.map(\.isDeletion) == [false, true, false])
        #expect(rows[0].parentTimestamp == shared.instants[1])
        #expect(
            rows[0].parents
                == [LogRow.Reference(device: try DeviceID("ben"), timestamp: shared.instants[1])])
        #expect(rows[1].parentTimestamp == shared.instants[5])
        #expect(rows[1].timestamp == rows[2].timestamp, "a rename is one transaction")
        #expect(rows[2].parentTimestamp == nil)
    }

    @Test func previewNamesTheValuePlaceAndDeviceAndWritesNothing() async throws {
        let before = try FolderState(of: shared.path)
        let pane = try await PaneSession(shared.path, isWritable: false)
        let keys = try pane.source(.keys)
        let preview = try await keys.preview(.rename(RowID("note/4/new"), to: "note/4/old"))
        #expect(preview.summary == "rename note/4/new to note/4/old")
        #expect(
            preview.changes.map(\.asLines) == [
                .init(subject: "note/4/new", old: "\"x\"", new: nil),
                .init(subject: "note/4/old", old: nil, new: "\"x\""),
            ])
        #expect(preview.device?.name == "desk")
        #expect(preview.file == "Devices/desk/Logs.db")
        #expect(preview.createsDevice)
        #expect(preview.warnings.isEmpty)
        let bulk = try await keys.preview(.remove([Self.key, RowID("note/1/due")], field: nil))
        #expect(bulk.summary == "delete 2 keys")
        #expect(bulk.warnings == [EditPreview.warning(ofResolving: "note/1/due")])
        await pane.close()
        #expect(try FolderState(of: shared.path) == before)
        let writing = try await PaneSession(shared.path, device: "ben")
        let own = try await writing.source(.keys).preview(
            .set(Self.key, field: nil, TypedText(.string, "x")))
        #expect(own.file == "Devices/ben/Logs.db")
        #expect(!own.createsDevice)
        await writing.close()
        // A device that has written only other data isn't new.
        _ = try shared.package.makeDeviceFolder(try DeviceID("desk"))
        let known = try await PaneSession(shared.path)
        let next = try await known.source(.keys).preview(
            .set(Self.key, field: nil, TypedText(.string, "x")))
        #expect(next.file == "Devices/desk/Logs.db" && !next.createsDevice)
        await known.close()
    }

    @Test(arguments: ["ben", "cleo"])
    func choosingASideResolvesTheConflictEverywhere(_ side: String) async throws {
        let wanted = try shared.store(side).value(forKey: "note/1/due")
        let logs = try shared.logs()
        let pane = try await PaneSession(shared.path)
        let row = RowID("note/1/due")
        let preview = try await pane.source(.conflicts).preview(
            .resolve(row, .take(.init(.device(try DeviceID(side))))))
        #expect(
            preview.summary
                == "resolve note/1/due with \(side == "ben" ? "Ben's iPad" : side)'s value"
        )
        #expect(preview.warnings.isEmpty)
        _ = try await pane.source(.conflicts).apply(preview)
        #expect(try await pane.names(.conflicts).isEmpty)
        #expect(try await pane.names(.keys, "conflict:yes").isEmpty)
        await pane.close()
        #expect(try shared.logs() == logs)
        #expect(try shared.agreed()["note/1/due"] == wanted)
        for device in ["anna", "ben", "cleo"] {
            #expect(try shared.store(device).conflictCount == 0, "\(device)")
        }
        let parents = try #require(try shared.rows("desk").first?.parents)
        #expect(Set(parents.map(\.device.name)) == ["ben", "cleo"])
    }

    @Test func editOfARemovedKeyThrowsMovedUntilPreviewedAgain() async throws {
        try shared.sync("ben")
        let pane = try await PaneSession(shared.path)
        let keys = try pane.source(.keys)
        let edits: [Edit] = [
            .set(Self.key, field: nil, TypedText(.string, "mine")), .remove([Self.key], field: nil),
            .rename(Self.key, to: "note/1/name"),
        ]
        var previews: [EditPreview] = []
        for edit in edits { previews.append(try await keys.preview(edit)) }
        try shared.write("ben", ["note/1/title": nil])
        try await pane.session.reload()
        for preview in previews {
            let error = await #expect(throws: EditError.self) { try await keys.apply(preview) }
            #expect(error?.code == .moved, "\(preview.summary): \(String(describing: error))")
        }
        let again = try await keys.preview(edits[0])
        #expect(again.changes.map(\.old) == [nil])
        #expect(again.changes.map(\.new?.line) == ["\"mine\""])
        _ = try await keys.apply(again)
        await pane.close()
        #expect(try shared.agreed()["note/1/title"] == "mine")
    }

    @Test func undoneResolutionShowsTheSameWriterInKeysAndConflicts() async throws {
        let pane = try await PaneSession(shared.path)
        let due = RowID("note/1/due")
        let before = try await pane.rows(.conflicts)
        let conflict = try #require(try await pane.source(.keys).conflict(of: due, at: nil))
        let applied = try await pane.perform(.resolve(due, .take(conflict.sides[0].id)))
        let key = try #require(try await pane.rows(.keys).first { $0.id == due })
        #expect(key.device?.name == "desk")
        for undo in applied.undo { try await pane.perform(undo) }
        #expect(try await pane.rows(.conflicts).map(\.device) == before.map(\.device))
        let again = try #require(try await pane.rows(.keys).first { $0.id == due })
        #expect(again.device?.name == "ben" && again.isConflict)
        #expect(again.cells.contains { $0.text == "Ben's iPad" })
        // In time travel, this is the newest state, too.
        for filter in ["", "conflict:yes"] {
            let then = try await pane.rows(
                .keys, RowQuery(filter: filter, instant: .distantFuture))
            #expect(then.first { $0.id == due }?.device?.name == "ben")
        }
        await pane.close()
    }

    @Test func proposalHasTheChangesOfEachSideAndResolvesTheConflict() async throws {
        try shared.sync("ben")
        try shared.sync("cleo")
        try shared.write("ben", ["list": ["milk": 1, "eggs": 1, "tags": ["a"]]])
        try shared.sync("cleo")
        try shared.write("cleo", ["list": ["milk": 2, "eggs": 1, "tags": ["a", "c"]]])
        try shared.write("ben", ["list": ["milk": 1, "eggs": 6, "tags": ["b", "a"]]])
        let pane = try await PaneSession(shared.path)
        let row = RowID("list")
        let conflict = try #require(
            try await pane.source(.conflicts).conflict(of: row, at: nil))
        let proposal = try #require(conflict.proposal)
        #expect(proposal.overlaps.isEmpty)
        let preview = try await pane.source(.conflicts).preview(
            .resolve(row, .value(proposal.typed)))
        #expect(preview.summary == "resolve list with the merged value")
        _ = try await pane.source(.conflicts).apply(preview)
        await pane.close()
        #expect(
            try shared.agreed()["list"] == ["milk": 2, "eggs": 6, "tags": ["b", "a", "c"]])
        #expect(try !shared.store("anna").conflicts().contains { $0.key == "list" })
    }

    @Test func sidesWithoutPartsHaveNoProposal() async throws {
        let pane = try await PaneSession(shared.path)
        let conflict = try await pane.source(.conflicts).conflict(
            of: RowID("note/1/due"), at: nil)
        #expect(try #require(conflict).proposal == nil)
        await pane.close()
    }

    @Test(arguments: ["settled", nil])
    func conflictResolvedByOthersIsReportedWithTheirValue(_ value: String?) async throws {
        let pane = try await PaneSession(shared.path)
        let conflicts = try pane.source(.conflicts)
        let edit = Edit.resolve(
            RowID("note/1/due"), .take(.init(.device(try DeviceID("ben")))))
        _ = try await conflicts.preview(edit)
        try shared.sync("anna")
        try shared.write("anna", ["note/1/due": value.map { .string($0) }])
        try await pane.session.reload()
        let error = await #expect(throws: EditError.self) { try await conflicts.preview(edit) }
        #expect(error?.code == .moved)
        let what = value == nil ? "anna deleted" : "anna wrote \"settled\""
        #expect(error?.message.contains(what) == true, "\(error)")
        await pane.close()
    }

    @Test func anyOtherValueResolvesTheConflict() async throws {
        let pane = try await PaneSession(shared.path)
        try await pane.perform(
            .resolve(RowID("note/1/due"), .value(TypedText(.string, "never"))), in: .conflicts)
        await pane.close()
        #expect(try shared.agreed()["note/1/due"] == .string("never"))
        #expect(try shared.store("anna").conflictCount == 0)
    }

    @Test(arguments: ["anna's", nil])
    func editIsNotWrittenIfTheValueChanged(_ value: String?) async throws {
        let pane = try await PaneSession(shared.path)
        let keys = try pane.source(.keys)
        let preview = try await keys.preview(.set(Self.key, field: nil, TypedText(.string, "x")))
        try shared.write("anna", ["note/1/title": value.map { .string($0) }])
        try await pane.session.reload()
        let error = await #expect(throws: EditError.self) { _ = try await keys.apply(preview) }
        #expect(error?.code == .moved)
        let way = value == nil ? "deleted" : "written"
        #expect(error?.message.contains("note/1/title was \(way) by anna") == true)
        #expect(try shared.package.device(DeviceID("desk")).exists == false)
        let side = try await keys.preview(
            .resolve(RowID("note/1/due"), .take(.init(.device(DeviceID("cleo"))))))
        try shared.sync("cleo")
        try shared.write("cleo", ["note/1/due": "agreed"])
        try await pane.session.reload()
        let moved = await #expect(throws: EditError.self) { _ = try await keys.apply(side) }
        #expect(moved?.code == .moved)
        await pane.close()
    }

    @Test func invalidEditsFailWithAReason() async throws {
        let pane = try await PaneSession(shared.path)
        let keys = try pane.source(.keys)
        let edits: [(Edit, EditError.Code)] = [
            (.set(RowID("nothing"), field: nil, TypedText(.string, "")), .notFound),
            (.set(Self.key, field: "x", TypedText(.string, "")), .unsupported),
            (.set(Self.key, field: nil, TypedText(.integer, "1.5")), .invalid),
            (.set(Self.key, field: nil, TypedText(.integer, "18446744073709551616")), .invalid),
            (.set(Self.key, field: nil, TypedText(.real, "")), .invalid),
            (.set(Self.key, field: nil, TypedText(.boolean, "maybe")), .invalid),
            (.set(Self.key, field: nil, TypedText(.date, "today")), .invalid),
            (.set(Self.key, field: nil, TypedText(.data, "%")), .invalid),
            (.set(Self.key, field: nil, TypedText(.json, "{")), .invalid),
            (.set(Self.key, field: nil, TypedText(.null, "")), .unsupported),
            (.add(name: "note/1/title", parent: nil, TypedText(.string, "")), .invalid),
            (.add(name: "", parent: nil, TypedText(.string, "")), .invalid),
            (.add(name: "x", parent: Self.key, TypedText(.string, "")), .unsupported),
            (.rename(RowID("nothing"), to: "x"), .notFound),
            (.rename(Self.key, to: "note/1/due"), .invalid),
            (.rename(Self.key, to: ""), .invalid),
            (.remove([Self.key, RowID("nothing")], field: nil), .notFound),
            (.resolve(Self.key, .take(.init(.device(try DeviceID("ben"))))), .moved),
            (.resolve(RowID("note/1/due"), .take(.init(.device(try DeviceID("anna"))))), .moved),
            (.relate(Self.key, field: "a", to: Self.key, kind: ""), .unsupported),
        ]
        for (edit, code) in edits {
            let error = await #expect(throws: EditError.self, "\(edit)") {
                _ = try await keys.preview(edit)
            }
            #expect(error?.code == code, "\(edit)")
        }
        await pane.close()
    }

    @Test func editsFailIfReadOnlyOrWithoutADevice() async throws {
        let before = try FolderState(of: shared.path)
        let locked = try await PaneSession(shared.path, isWritable: false)
        let keys = try locked.source(.keys)
        let edit = Edit.set(Self.key, field: nil, TypedText(.string, "x"))
        #expect(keys.edits[.set] == .unavailable(because: Availability.locked))
        let error = await #expect(throws: EditError.self) { try await locked.perform(edit) }
        #expect(error?.code == .readOnly)
        await locked.close()
        let nobody = try await PaneSession(shared.path, device: nil)
        #expect(
            try nobody.source(.keys).edits[.set]
                == .unavailable(because: Availability.withoutDevice))
        await #expect(throws: EditError.self) { try await nobody.perform(edit) }
        for pane in [PaneID.log, .devices, .blobs] {
            #expect(try nobody.source(pane).edits.values.allSatisfy { $0 != .available })
            await #expect(throws: EditError.self) { try await nobody.perform(edit, in: pane) }
        }
        await nobody.close()
        #expect(try FolderState(of: shared.path) == before)
    }

    @Test func unlockingCanBeUndone() async throws {
        let pane = try await PaneSession(shared.path, isWritable: false)
        let edit = Edit.set(Self.key, field: nil, TypedText(.string, "x"))
        pane.session.setWritable(true)
        #expect(pane.session.status.isWritable)
        try await pane.perform(edit)
        pane.session.setWritable(false)
        await #expect(throws: EditError.self) { try await pane.perform(edit) }
        await pane.close()
    }

    @Test func unreadableLogIsNotAppendedTo() async throws {
        try Self.noDatabase.write(to: URL(filePath: shared.logPath("ben")))
        let pane = try await PaneSession(shared.path, device: "ben")
        let keys = try pane.source(.keys)
        guard case .unavailable(let reason) = keys.edits[.set] else {
            Issue.record("edits are offered")
            return
        }
        #expect(reason.contains("log"))
        let error = await #expect(throws: EditError.self) {
            try await pane.perform(.add(name: "x", parent: nil, TypedText(.string, "")))
        }
        #expect(error?.code == .unreadable)
        await pane.close()
        let bytes = try Data(contentsOf: URL(filePath: shared.logPath("ben")))
        #expect(bytes == Self.noDatabase)
    }

    @Test func hostileKeysAndValuesRoundTrip() async throws {
        let long = String(repeating: "a longer ", count: 120_000)
        let hostile: [Name: PropertyList] = [
            "": "empty", "\u{1B}]0;x\u{7}\n\t\0": "\u{1B}[2J\0\r\n\u{9B}31m", "long": .string(long),
            Name(String(repeating: "k", count: 100_000)): "long key", "%_*\"'|()-:~": "signs",
            "🇨🇭e\u{301}": .string("\u{202E}gnp.exe"),
            "raw": .data(Data(repeating: 0x1B, count: 1 << 18)),
        ]
        try shared.write("anna", hostile.mapValues { $0 })
        let pane = try await PaneSession(shared.path)
        let rows = try await pane.rows(.keys)
        #expect(rows.count == SharedPackage.keys.count + hostile.count)
        for row in rows {
            #expect(row.cells[1].text.count < 500, "\(row.id.name.prefix(20)) is cut")
            #expect(try await pane.source(.keys).detail(of: row.id, at: nil) != nil)
        }
        for (key, value) in hostile {
            let text = try #require(
                try await pane.source(.keys).editableValue(of: RowID(key.text), field: nil))
            #expect(try text.value(as: PropertyList.self) == value)
            let unchanged = await #expect(throws: EditError.self) {
                _ = try await pane.source(.keys).preview(.set(RowID(key.text), field: nil, text))
            }
            #expect(unchanged?.code == .unchanged)
            try await pane.perform(.remove([RowID(key.text)], field: nil))
            try await pane.perform(.set(RowID(key.text), field: nil, text))
            // Debug builds take long for a megabyte.
            guard text.text.utf8.count < 100_000 else { continue }
            let undo = try await pane.perform(.remove([RowID(key.text)], field: nil)).undo
            for step in undo { try await pane.perform(step) }
        }
        #expect(pane.session.status.counts[.log] == 12 + 3 * hostile.count + 2 * 5)
        await pane.close()
        let agreed = try shared.agreed()
        for (key, value) in hostile { #expect(agreed[key] == value) }
    }

    @Test func invalidValueBytesAreShownAndCanBeReplaced() async throws {
        try shared.execute("cleo", "UPDATE log SET value = x'00FF' WHERE key = 'note/4/new'")
        let pane = try await PaneSession(shared.path)
        let row = try #require(try await pane.rows(.keys).last)
        #expect(row.cells[1] == RowCell("invalid value (2 bytes)", .problem))
        #expect(
            try await pane.detail(.keys, "note/4/new").sections[0].lines[0].role == .problem)
        #expect(try await pane.source(.keys).editableValue(of: row.id, field: nil) == nil)
        await #expect(throws: EditError.self) { try await pane.perform(.rename(row.id, to: "x")) }
        let applied = try await pane.perform(.set(row.id, field: nil, TypedText(.string, "mended")))
        #expect(try await pane.rows(.keys).last?.cells[1].text == "\"mended\"")
        try await pane.perform(try #require(applied.undo.first))
        #expect(try await pane.rows(.keys).last?.cells[1].text == "invalid value (2 bytes)")
        await pane.close()
    }
}
