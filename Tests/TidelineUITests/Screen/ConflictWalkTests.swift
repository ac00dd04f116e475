import Replication
import Testing
import TidelineCore

@testable import TidelineUI

/// Stepping from conflict to conflict through the list of all conflicts.
@Suite struct ConflictWalkTests {
    private let keys: FakeSource
    private let conflicts: FakeSource
    private let entities: FakeSource
    private static let ben = ConflictPlace(
        part: PaneID.entities.part, row: RowID("ben"), property: "mail"
    ).listedRow

    init() throws {
        let open = [
            try Sample.entry("a", "1", sides: ["1", "2"]),
            try Sample.entry("b", "3", sides: ["3", "4"]),
        ]
        keys = FakeSource("Keys", open + [try Sample.entry("c", "5")])
        conflicts = FakeSource(
            "Conflicts", open + [try Sample.entry(Self.ben.name, "B", sides: ["B", "C"])],
            leavesWhenResolved: true)
        entities = FakeSource(
            "Entities", [try Sample.entry("ann", "A"), try Sample.entry("ben", "B")])
    }

    private func stage(
        _ pane: String = "keys", conflicts open: Int = 3, columns: Int = 80, rows: Int = 24
    ) async throws -> Stage {
        let session = FakeSession(
            panes: [
                Pane(.keys, keys), Pane(.conflicts, conflicts, listsConflicts: true),
                Pane(.entities, entities),
            ],
            status: SessionStatus(
                phase: .live, ownDevice: try Sample.device("here"), conflictCount: open,
                counts: [.conflicts: open]))
        return await Stage(session, pane: pane, columns: columns, rows: rows)
    }

    private func place(_ stage: Stage) -> String {
        let row = stage.model.list?.cursorID
        return "\(stage.model.pane?.id.text ?? "") \(row == Self.ben ? "ben" : row?.name ?? "")"
    }

    private func walk(_ stage: Stage, _ key: String, _ count: Int) async -> [String] {
        var places: [String] = []
        for _ in 0..<count {
            await stage.press(key)
            places.append(place(stage))
        }
        return places
    }

    private static let all = ["conflicts a", "conflicts b", "conflicts ben"]

    @Test func nextConflictWrapsAround() async throws {
        let stage = try await stage("conflicts")
        #expect(place(stage) == Self.all[0])
        #expect(await walk(stage, "c", 3) == [Self.all[1], Self.all[2], Self.all[0]])
    }

    @Test func previousConflictWrapsAround() async throws {
        let stage = try await stage("conflicts")
        #expect(await walk(stage, "C", 3) == [Self.all[2], Self.all[1], Self.all[0]])
    }

    @Test func rowInConflictIsShownInTheListOfAllConflicts() async throws {
        let stage = try await stage("keys")
        await stage.press("j", "c")
        #expect(place(stage) == Self.all[1])
        #expect(await walk(stage, "c", 1) == [Self.all[2]])
    }

    @Test func rowWithoutConflictLeadsToTheFirstConflict() async throws {
        let stage = try await stage("keys")
        await stage.press("G", "c")
        #expect(place(stage) == Self.all[0])
    }

    @Test func rowWithConflictsInsideLeadsToThem() async throws {
        let inside = ConflictPlace(part: PaneID.entities.part, row: RowID("ann")).listedRow
        conflicts.entries.append(try Sample.entry(inside.name, "A", sides: ["A", "D"]))
        entities.entries[0].inside = 1
        let stage = try await stage("entities", conflicts: 4)
        await stage.press("gg", "c")
        #expect(stage.model.list?.cursorID == inside)
    }

    @Test func escapeReturnsToTheRowThatLedToTheConflict() async throws {
        let stage = try await stage("keys")
        await stage.press("j", "c", "c", "Esc")
        #expect(place(stage) == "keys b")
    }

    @Test func nextConflictSetsNoFilter() async throws {
        let stage = try await stage("entities")
        _ = await walk(stage, "c", 4)
        for pane in stage.model.navigation.panes { #expect(pane.list.latestQuery.filter.isEmpty) }
    }

    @Test func singleConflictIsReportedAsTheOnlyOne() async throws {
        conflicts.entries = [conflicts.entries[0]]
        let stage = try await stage("conflicts", conflicts: 1)
        await stage.press("c")
        #expect(place(stage) == Self.all[0])
        #expect(stage.lines[23].contains("no other conflict"))
    }

    @Test func conflictsBeyondTheLoadedRowsAreFound() async throws {
        conflicts.entries = try (0..<2_000).map { number in
            try Sample.entry("k\(10_000 + number)", "1", sides: ["1", "2"])
        }
        let stage = try await stage("conflicts", conflicts: 2_000)
        await stage.press("C")
        #expect(place(stage) == "conflicts k11999")
        await stage.press("c")
        #expect(place(stage) == "conflicts k10000")
        #expect(await walk(stage, "c", 150).last == "conflicts k10150")
    }

    @Test func nextConflictSkipsIgnoredConflicts() async throws {
        let stage = try await stage("conflicts")
        await stage.press("j", "I", "Enter")
        #expect(stage.lines[0].contains("≠2"))
        await stage.press("gg")
        #expect(await walk(stage, "c", 2) == [Self.all[2], Self.all[0]])
    }

    @Test func incompleteConflictCountHasAPlusSign() async throws {
        let stage = try await stage()
        #expect(stage.lines[0].contains(" ≠3 "))
        stage.session.status.hasCountedConflicts = false
        await stage.refreshStatus()
        #expect(stage.lines[0].contains(" ≠3+ "))
    }

    @Test func filterWithoutConflictsIsReported() async throws {
        let stage = try await stage("conflicts")
        await stage.press("f")
        await stage.type("zebra")
        await stage.press("Enter", "1", "G", "c")
        #expect(place(stage) == "conflicts ")
        #expect(stage.text.contains("no conflict matches"))
    }

    @Test func nextConflictKeepsTheConflictScreenOpen() async throws {
        let stage = try await stage("keys")
        await stage.press("Enter")
        #expect(stage.text.contains("≠ a──"))
        await stage.press("c")
        #expect(stage.text.contains("≠ b──") && place(stage) == Self.all[1])
        await stage.press("C")
        #expect(stage.text.contains("≠ a──"))
        await stage.press("Esc")
        #expect(stage.model.overlay == nil && place(stage) == Self.all[0])
    }

    @Test func conflictScreenStandsNextToAWideListAndAdvances() async throws {
        let stage = try await stage("conflicts", columns: 160, rows: 40)
        await stage.press("w", "Enter")
        #expect(stage.text.contains("≠ a──"))
        // The other conflicts stay visible.
        #expect(stage.lines.contains { $0.prefix(56).contains("≠ b ") }, "\(stage.text)")
        await stage.press("1", "y")
        #expect(stage.text.contains("≠ b──") && place(stage) == Self.all[1], "\(stage.text)")
        #expect(stage.lines.last?.contains("✓ resolved") == true, "\(stage.text)")
        await stage.press("1", "y", "1", "y")
        #expect(stage.model.overlay == nil && stage.model.list?.total == 0, "\(stage.text)")
    }

    @Test func writeBeforeIgnoredConflictsClosesTheConflictScreen() async throws {
        conflicts.entries.removeLast()
        let stage = try await stage("conflicts", conflicts: 2, columns: 160, rows: 40)
        await stage.press("w", "j", "I", "Enter", "gg", "Enter", "1", "y")
        #expect(stage.model.overlay == nil && stage.model.list?.total == 1, "\(stage.text)")
        #expect(stage.lines.last?.contains("✓ resolved") == true, "\(stage.text)")
    }

    @Test func conflictScreenOfANarrowListClosesAfterAWrite() async throws {
        let stage = try await stage("conflicts", columns: 120, rows: 40)
        await stage.press("w", "Enter", "1", "y")
        #expect(stage.model.overlay == nil && place(stage) == Self.all[1], "\(stage.text)")
    }

    @Test func footerShowsTheKeysThatResolve() async throws {
        let stage = try await stage("conflicts", columns: 120)
        #expect(stage.lines[23].contains("Enter open  I ignore"), "\(stage.lines[23])")
        // The next key removes the message that writing is unlocked.
        await stage.press("w", "j", "k")
        #expect(
            stage.lines[23].contains("Enter open  M resolve many  I ignore"), "\(stage.lines[23])")
        await stage.press("Enter")
        #expect(
            stage.lines[23].contains(/^ ?1-2 choose  m merge  Esc close  I ignore/),
            "\(stage.lines[23])")
    }

    @Test func footerShowsTheKeyOfTheMergedValue() async throws {
        conflicts.entries[0].proposal = .init(TypedText(.string, "1 2"), value: "1 2")
        let stage = try await stage("conflicts", columns: 120)
        await stage.press("w", "j", "k", "Enter")
        #expect(
            stage.lines[23].contains(/^ ?1-2 choose  p merge  Esc close  I ignore/),
            "\(stage.lines[23])")
    }

    @Test(arguments: [(80, 24), (200, 60)])
    func lastResolvedConflictLeavesAnEmptyList(_ columns: Int, _ rows: Int) async throws {
        conflicts.entries = [conflicts.entries[0]]
        let stage = try await stage("conflicts", conflicts: 1, columns: columns, rows: rows)
        await stage.press("w", "Enter", "1", "y")
        stage.session.status.conflictCount = 0
        stage.session.status.counts[.conflicts] = 0
        await stage.refreshStatus()
        await stage.emit(.changed(.conflicts, rows: [RowID("a"): .deleted], isOwn: true))
        #expect(stage.model.overlay == nil)
        #expect(stage.text.contains("No conflicts"))
        #expect(stage.text.contains("all devices agree"))
        await stage.press("c")
        #expect(stage.model.notice?.text.contains("no conflicts") == true)
    }

    @Test func unfinishedCountIsNotReportedAsNoConflicts() async throws {
        conflicts.entries = []
        let stage = try await stage("conflicts", conflicts: 0)
        stage.session.status.hasCountedConflicts = false
        await stage.refreshStatus()
        #expect(!stage.text.contains("all devices agree"))
        #expect(stage.text.contains("still being checked"))
    }
}
