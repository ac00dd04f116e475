import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// The parts in which the sides of a conflict differ, picked individually, and the conflict's
/// history.
@Suite struct ConflictFieldTests {
    private let shared: SharedPackage
    private static let row = RowID("list")

    /// Ben and Cleo both change Ben's value.
    init() throws {
        shared = try SharedPackage()
        try shared.sync("ben")
        try shared.sync("cleo")
        try shared.write(
            "ben", ["list": ["milk": 1, "eggs": 1, "due": "May", "shop": ["name": "A", "no": 1]]])
        try shared.sync("cleo")
        try shared.write(
            "cleo",
            ["list": ["milk": 2, "eggs": 1, "due": "June", "shop": ["name": "B", "no": 1]]])
        try shared.write("ben", ["list": ["milk": 1, "eggs": 6, "due": "July", "shop": ["no": 1]]])
    }

    private func conflict(_ pane: PaneSession) async throws -> RowConflict {
        try #require(try await pane.source(.conflicts).conflict(of: Self.row, at: nil))
    }

    private func detail(_ pane: PaneSession) async throws -> ConflictDetail {
        try #require(
            try await pane.source(.conflicts).conflictDetail(of: Self.row, part: nil, at: nil))
    }

    private func side(_ name: String) throws -> RowConflict.SideID {
        .init(.device(try DeviceID(name)))
    }

    /// Writes as a device that has seen none of the local rows and whose clock is far behind.
    private func writeLate(_ device: String, _ values: [Name: PropertyList?]) throws {
        let elsewhere = try StorePackage(
            creating: shared.folder.appending("Elsewhere.store"))
        let store = try SharedPackage.store(
            device, elsewhere, TestClock(Timestamp(microseconds: 600_000_000_000_000)))
        try store.load()
        try store.set(contentsOf: values)
        try store.close()
        try FileManager.default.copyItem(
            atPath: "\(elsewhere.path)/Devices/\(device)",
            toPath: "\(shared.path)/Devices/\(device)")
    }

    @Test func fieldsAreThePartsInWhichSidesDiffer() async throws {
        let pane = try await PaneSession(shared.path)
        let (conflict, detail) = (try await conflict(pane), try await detail(pane))
        #expect(conflict.sides.map(\.author.name) == ["ben", "cleo"])
        #expect(conflict.sides.map(\.id) == detail.sides)
        #expect(
            detail.fields.map(\.path.description) == ["due", "eggs", "milk", "shop › name"])
        #expect(
            detail.fields.map { $0.values.map { $0?.line } } == [
                ["\"July\"", "\"June\""], ["6", "1"], ["1", "2"], [nil, "\"B\""],
            ])
        #expect(detail.fields.map(\.base?.line) == ["\"May\"", "1", "1", "\"A\""])
        // Both changed `due` and `shop › name`; the proposal takes the winner's value.
        #expect(detail.fields.map(\.proposed) == [0, 0, 1, 0])
        #expect(conflict.proposal?.overlaps == ["due word 1", "shop/name"])
        await pane.close()
    }

    @Test func pickedPartsAreWrittenAndTheRestIsMerged() async throws {
        let pane = try await PaneSession(shared.path)
        let picks: [FieldPath: RowConflict.SideID] = [
            FieldPath(steps: ["due"]): try side("cleo"),
            FieldPath(steps: ["shop", "name"]): try side("cleo"),
        ]
        let preview = try await pane.source(.conflicts).preview(
            .resolve(Self.row, .picks(picks)))
        #expect(preview.summary.hasSuffix(" cleo's due, cleo's shop › name"))
        #expect(preview.warnings.isEmpty)
        _ = try await pane.source(.conflicts).apply(preview)
        await pane.close()
        #expect(
            try shared.agreed()["list"] == [
                "milk": 2, "eggs": 6, "due": "June", "shop": ["name": "B", "no": 1],
            ])
        for device in ["anna", "ben", "cleo"] {
            #expect(try !shared.store(device).conflicts().contains { $0.key == "list" })
        }
    }

    @Test func previewOfTheMergedValueNamesOverlaps() async throws {
        let pane = try await PaneSession(shared.path)
        let source = try pane.source(.conflicts)
        let proposal = try #require(try await conflict(pane).proposal)
        let preview = try await source.preview(.resolve(Self.row, .value(proposal.typed)))
        #expect(
            preview.warnings == [
                "two sides have changed the same part, and the newest change is taken: "
                    + "due word 1, shop/name"
            ])
        let taken = try await source.preview(.resolve(Self.row, .take(try side("ben"))))
        #expect(taken.warnings.isEmpty)
        await pane.close()
    }

    @Test func previewShowsPicksAndOverlapsElsewhere() async throws {
        let pane = try await PaneSession(shared.path)
        let source = try pane.source(.conflicts)
        let due = [FieldPath(steps: ["due"]): try side("cleo")]
        let proposal = try #require(
            try await source.proposal(of: Self.row, picking: due, at: nil))
        #expect(proposal.overlaps == ["shop/name"])
        #expect(proposal.typed.text.contains("June") && !proposal.typed.text.contains("July"))
        let preview = try await source.preview(.resolve(Self.row, .picks(due)))
        #expect(preview.changes[0].new?.whole == proposal.typed)
        #expect(
            try await source.proposal(of: Self.row, picking: [:], at: nil)
                == conflict(pane).proposal)
        await pane.close()
    }

    /// Two of three sides overlap in a part that the winner didn't change.
    @Test func overlapTakesTheNewestChangeNotTheWinners() async throws {
        let shared = try SharedPackage(hasStory: false)
        for device in ["ben", "cleo"] { try shared.sync(device) }
        try shared.write("anna", ["k": ["a": "old", "b": "old"]])
        for device in ["ben", "cleo"] { try shared.sync(device) }
        try shared.write("ben", ["k": ["a": "old", "b": "of ben"]])
        try shared.write("cleo", ["k": ["a": "old", "b": "of cleo"]])
        try shared.write("anna", ["k": ["a": "of anna", "b": "old"]])
        let pane = try await PaneSession(shared.path)
        let conflict = try #require(
            try await pane.source(.conflicts).conflict(of: RowID("k"), at: nil))
        #expect(conflict.sides.map(\.author.name) == ["anna", "cleo", "ben"])
        let proposal = try #require(conflict.proposal)
        #expect(proposal.overlaps == ["b word 1"])
        #expect(proposal.typed.text.contains("of cleo"))
        await pane.close()
    }

    @Test func removedMemberCanBePicked() async throws {
        let pane = try await PaneSession(shared.path)
        try await pane.perform(
            .resolve(Self.row, .picks([FieldPath(steps: ["shop", "name"]): try side("ben")])),
            in: .conflicts)
        await pane.close()
        #expect(
            try shared.agreed()["list"] == [
                "milk": 2, "eggs": 6, "due": "July", "shop": ["no": 1],
            ])
    }

    @Test func pickFromADeviceWithoutASideIsNotWritten() async throws {
        let pane = try await PaneSession(shared.path)
        let edit = Edit.resolve(
            Self.row, .picks([FieldPath(steps: ["due"]): try side("anna")]))
        await #expect(throws: EditError.self) {
            _ = try await pane.source(.conflicts).preview(edit)
        }
        await pane.close()
    }

    @Test func pickDoesNotOverwriteNewerWrites() async throws {
        let pane = try await PaneSession(shared.path)
        let preview = try await pane.source(.conflicts).preview(
            .resolve(Self.row, .picks([FieldPath(steps: ["due"]): try side("cleo")])))
        try shared.write("cleo", ["list": ["milk": 9]])
        try await pane.session.reload()
        do {
            _ = try await pane.source(.conflicts).apply(preview)
            Issue.record("it was written")
        } catch let error as EditError {
            #expect(error.code == .moved)
        }
        await pane.close()
    }

    @Test func valuesWithoutMembersHaveNoFields() async throws {
        let pane = try await PaneSession(shared.path)
        let detail = try await pane.source(.conflicts).conflictDetail(
            of: RowID("note/1/due"), part: nil, at: nil)
        #expect(try #require(detail).fields.isEmpty)
        await pane.close()
    }

    @Test func writesLeadFromTheBaseToTheSides() async throws {
        try shared.write("ben", ["list": ["milk": 7]])
        let pane = try await PaneSession(shared.path)
        let detail = try await detail(pane)
        #expect(detail.writes.map(\.author.name) == ["ben", "ben", "cleo", "ben"])
        #expect(detail.writes.map(\.side) == [0, nil, 1, nil])
        #expect(detail.writes.map(\.isBase) == [false, false, false, true])
        #expect(detail.writes.map(\.parents) == [[1], [3], [3], []])
        #expect(!detail.hasMoreWrites)
        await pane.close()
    }

    @Test func undoingAResolutionNamesTheOriginalWriter() async throws {
        let pane = try await PaneSession(shared.path)
        let before = try await detail(pane)
        let applied = try await pane.perform(
            .resolve(Self.row, .take(try side("cleo"))), in: .conflicts)
        try await pane.perform(try #require(applied.undo.first))
        #expect(try await detail(pane) == before)
        #expect(before.writes.map(\.author.name) == ["ben", "cleo", "ben"])
        #expect(try await conflict(pane).sides[0].author.name == "ben")
        let written = try await pane.detail(.keys, Self.row.name).lines("Written")
        #expect(written.first == "device Ben's iPad")
        #expect(written.contains { $0.hasPrefix("restored ") && $0.hasSuffix("  desk") })
        let row = try #require(try await pane.rows(.keys).first { $0.id == Self.row })
        #expect(row.device?.name == "ben")
        await pane.close()
    }

    @Test func rowWithoutConflictHasNoDetail() async throws {
        let pane = try await PaneSession(shared.path)
        let detail = try await pane.source(.keys).conflictDetail(
            of: RowID("note/1/title"), part: nil, at: nil)
        #expect(detail == nil)
        await pane.close()
    }

    /// A new losing side changes the merge proposal, although the winner is the same.
    @Test(arguments: ["picks", "value", "take"])
    func conflictWithANewLosingSideIsNotResolved(_ way: String) async throws {
        let pane = try await PaneSession(shared.path)
        let resolution: Edit.Resolution =
            switch way {
            case "picks": .picks([:])
            case "value": .value(TypedText(.json, #"{"milk": 3}"#))
            default: .take(try side("ben"))
            }
        let preview = try await pane.source(.conflicts).preview(
            .resolve(Self.row, resolution))
        let winner = try #require(try await conflict(pane).sides.first)
        // A device whose clock is far behind writes, without having seen any local row.
        try writeLate("dora", ["list": ["milk": 5]])
        try await pane.session.reload()
        let now = try await conflict(pane)
        #expect(now.sides.first == winner && now.sides.count == 3)
        do {
            _ = try await pane.source(.conflicts).apply(preview)
            Issue.record("it was written")
        } catch let error as EditError {
            #expect(error.code == .moved)
        }
        #expect(try await conflict(pane).sides.count == 3)
        await pane.close()
    }

    @Test func unreadableSideIsNamedBeforeResolving() async throws {
        let pane = try await PaneSession(shared.path)
        _ = try await conflict(pane)
        var log = try Data(contentsOf: URL(filePath: shared.logPath("cleo")))
        log.replaceSubrange(
            4_096..<log.count, with: Data(repeating: 0x55, count: log.count - 4_096))
        try log.write(to: URL(filePath: shared.logPath("cleo")))
        let preview = try await pane.source(.conflicts).preview(
            .resolve(Self.row, .take(try side("ben"))))
        #expect(preview.warnings.contains { $0.hasPrefix("cleo's side ") })
        await pane.close()
    }

    @Test func pickUsesTheChosenSideIfItsAuthorHasTwo() throws {
        let one = RowConflict.SideID(.actor("a"), at: Timestamp(microseconds: 1))
        #expect(one.names(.actor("a"), at: Timestamp(microseconds: 1)))
        #expect(!one.names(.actor("a"), at: Timestamp(microseconds: 2)))
        #expect(!one.names(.actor("b"), at: Timestamp(microseconds: 1)))
        #expect(RowConflict.SideID(.actor("a")).names(.actor("a"), at: Timestamp(microseconds: 9)))
    }
}
