import KeyValueStore
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// The parts in which the sides of a conflict differ, picked one by one, and how it came about.
@Suite struct ConflictFieldTests {
    private let shared: SharedPackage
    private static let row = RowID("list")

    /// Ben and Cleo both change what Ben wrote.
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

    private func author(_ name: String) throws -> Author { .device(try DeviceID(name)) }

    @Test func theFieldsAreThoseInWhichSidesDiffer() async throws {
        let pane = try await PaneSession(shared.path)
        let conflict = try await conflict(pane)
        #expect(conflict.sides.map(\.author) == [try author("ben"), try author("cleo")])
        #expect(
            conflict.fields.map(\.path.description) == ["due", "eggs", "milk", "shop › name"])
        #expect(
            conflict.fields.map { $0.values.map { $0?.line } } == [
                ["\"July\"", "\"June\""], ["6", "1"], ["1", "2"], [nil, "\"B\""],
            ])
        #expect(conflict.fields.map(\.base?.line) == ["\"May\"", "1", "1", "\"A\""])
        // Both changed `due` and `shop › name`: the winner's is taken there.
        #expect(conflict.fields.map(\.proposed) == [0, 0, 1, 0])
        #expect(conflict.proposal?.overlaps == ["due word 1", "shop/name"])
        await pane.close()
    }

    @Test func whatIsPickedIsWrittenAndTheRestIsMerged() async throws {
        let pane = try await PaneSession(shared.path)
        let picks: [FieldPath: Author] = [
            FieldPath(steps: ["due"]): try author("cleo"),
            FieldPath(steps: ["shop", "name"]): try author("cleo"),
        ]
        let preview = try await pane.source(.conflicts).preview(
            .resolve(Self.row, .picks(picks)))
        #expect(
            preview.summary
                == "resolve list by what the sides come to, with due of cleo, shop › name of cleo")
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

    @Test func aMemberThatOneSideRemovedCanBePickedAway() async throws {
        let pane = try await PaneSession(shared.path)
        try await pane.perform(
            .resolve(Self.row, .picks([FieldPath(steps: ["shop", "name"]): try author("ben")])),
            in: .conflicts)
        await pane.close()
        #expect(
            try shared.agreed()["list"] == [
                "milk": 2, "eggs": 6, "due": "July", "shop": ["no": 1],
            ])
    }

    @Test func whatWasPickedOfADeviceThatHasNoSideAnyMoreIsNotWritten() async throws {
        let pane = try await PaneSession(shared.path)
        let edit = Edit.resolve(
            Self.row, .picks([FieldPath(steps: ["due"]): try author("anna")]))
        await #expect(throws: EditError.self) {
            _ = try await pane.source(.conflicts).preview(edit)
        }
        await pane.close()
    }

    @Test func aPickIsNotWrittenOverWhatCameMeanwhile() async throws {
        let pane = try await PaneSession(shared.path)
        let preview = try await pane.source(.conflicts).preview(
            .resolve(Self.row, .picks([FieldPath(steps: ["due"]): try author("cleo")])))
        try shared.write("cleo", ["list": ["milk": 9]])
        await pane.session.reload()
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
        let conflict = try await pane.source(.conflicts).conflict(
            of: RowID("note/1/due"), at: nil)
        #expect(try #require(conflict).fields.isEmpty)
        await pane.close()
    }

    @Test func theLineageLeadsFromTheBaseToTheSides() async throws {
        try shared.write("ben", ["list": ["milk": 7]])
        let pane = try await PaneSession(shared.path)
        let lineage = try #require(
            try await pane.source(.conflicts).lineage(of: Self.row, at: nil))
        #expect(lineage.writes.map(\.author.name) == ["ben", "ben", "cleo", "ben"])
        #expect(lineage.writes.map(\.side) == [0, nil, 1, nil])
        #expect(lineage.writes.map(\.isBase) == [false, false, false, true])
        #expect(lineage.writes.map(\.knows) == [[1], [3], [3], []])
        #expect(!lineage.hasMore)
        await pane.close()
    }

    @Test func aRowWithoutConflictHasNoLineage() async throws {
        let pane = try await PaneSession(shared.path)
        let lineage = try await pane.source(.keys).lineage(of: RowID("note/1/title"), at: nil)
        #expect(lineage == nil)
        await pane.close()
    }
}
