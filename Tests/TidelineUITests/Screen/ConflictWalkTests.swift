import Replication
import Testing
import TidelineCore

@testable import TidelineUI

/// Stepping from conflict to conflict through all panes that have some.
@Suite struct ConflictWalkTests {
    private let keys: FakeSource
    private let conflicts: FakeSource
    private let entities: FakeSource
    private let documents: FakeSource

    init() throws {
        let open = [
            try Sample.entry("a", "1", sides: ["1", "2"]),
            try Sample.entry("b", "3", sides: ["3", "4"]),
        ]
        keys = FakeSource("Keys", open + [try Sample.entry("c", "5")])
        conflicts = FakeSource("Conflicts", open, leavesWhenResolved: true)
        entities = FakeSource(
            "Entities",
            [
                try Sample.entry("ann", "A"), try Sample.entry("ben", "B", sides: ["B", "C"]),
                try Sample.entry("cleo", "D"),
            ],
            moreFields: [FilterField("conflict", .choice(["yes", "no"]), example: "conflict:yes")])
        documents = FakeSource("Places", [try Sample.entry("d", "6", sides: ["6", "7"])])
    }

    private func stage(
        _ pane: String = "keys", conflicts open: Int = 2, others: Int = 2, columns: Int = 80,
        rows: Int = 24
    ) async throws -> Stage {
        let session = FakeSession(
            panes: [
                Pane(.keys, keys), Pane(.conflicts, conflicts, listsConflicts: true),
                Pane(.entities, entities),
                Pane(.documentConflicts, documents, listsConflicts: true),
            ],
            status: SessionStatus(
                phase: .live, ownDevice: try Sample.device("here"), conflictCount: open + others,
                counts: [.conflicts: open, .documentConflicts: others / 2]))
        return await Stage(session, pane: pane, columns: columns, rows: rows)
    }

    private func place(_ stage: Stage) -> String {
        "\(stage.model.pane?.id.text ?? "") \(stage.model.list?.cursorID?.name ?? "")"
    }

    private static let all = [
        "keys/conflicts a", "keys/conflicts b", "entities ben", "documents/conflicts d",
    ]

    @Test func nextConflictCyclesThroughAllPanes() async throws {
        let stage = try await stage("keys/conflicts")
        var places = [place(stage)]
        for _ in 0..<4 {
            await stage.press("c")
            places.append(place(stage))
        }
        #expect(places == Self.all + [Self.all[0]])
    }

    @Test func previousConflictCyclesBackwards() async throws {
        let stage = try await stage("keys/conflicts")
        var places: [String] = []
        for _ in 0..<4 {
            await stage.press("C")
            places.append(place(stage))
        }
        #expect(places == Self.all.reversed())
    }

    @Test func nextConflictStartsFromRowsWithoutConflicts() async throws {
        let stage = try await stage("keys")
        await stage.press("G")
        var places: [String] = []
        for _ in 0..<4 {
            await stage.press("c")
            places.append(place(stage))
        }
        #expect(places == Self.all)
    }

    @Test func onlyConflictInAPaneLeadsToTheNextPane() async throws {
        let stage = try await stage("entities")
        await stage.press("c")
        #expect(place(stage) == "entities ben")
        await stage.press("c")
        #expect(place(stage) == "documents/conflicts d")
        #expect(entities.entries.count == 3 && !stage.text.contains("conflict:yes"))
        await stage.press("C")
        #expect(place(stage) == "entities ben")
    }

    @Test func previousConflictOfAPaneIsTheLastOfTheEarlierPane() async throws {
        let stage = try await stage("entities")
        await stage.press("c", "C")
        #expect(place(stage) == "keys/conflicts b")
        let visited = try await self.stage("keys/conflicts")
        await visited.press("3", "c", "C")
        #expect(place(visited) == "keys/conflicts b")
    }

    /// A tree with conflicts at `a/1`, `a/2/x`, `c` and `c/1`, and none in `b`.
    private func tree() throws -> FakeSource {
        let top = FakeSource(
            "Tree",
            [
                try Sample.entry("a", "{}"), try Sample.entry("b", "{}"),
                try Sample.entry("c", "1", sides: ["1", "2"]),
            ],
            moreFields: [FilterField("conflict", .choice(["yes", "no"]), example: "conflict:yes")])
        let inner = FakeSource(
            "a",
            [
                try Sample.entry("a/0", "0"), try Sample.entry("a/1", "1", sides: ["1", "2"]),
                try Sample.entry("a/2", "{}"),
            ])
        let deepest = FakeSource(
            "2",
            [try Sample.entry("a/2/w", "0"), try Sample.entry("a/2/x", "1", sides: ["1", "2"])])
        let last = FakeSource("c", [try Sample.entry("c/1", "1", sides: ["1", "2"])])
        (top.entries[0].inside, top.entries[2].inside, inner.entries[2].inside) = (2, 1, 1)
        top.put(inner, inside: RowID("a"))
        top.put(last, inside: RowID("c"))
        inner.put(deepest, inside: RowID("a/2"))
        return top
    }

    private func walk(_ stage: Stage, _ keys: [String]) async -> [String] {
        var places: [String] = []
        for key in keys {
            await stage.press(key)
            places.append(place(stage))
        }
        return places
    }

    @Test func innerConflictsUnfoldTheirRows() async throws {
        let session = FakeSession(
            panes: [
                Pane(.documents, try tree()),
                Pane(.conflicts, conflicts, listsConflicts: true),
            ],
            status: SessionStatus(
                phase: .live, ownDevice: try Sample.device("here"), conflictCount: 6,
                counts: [.conflicts: 2]))
        let stage = await Stage(session, pane: "documents", columns: 80, rows: 24)
        let inside = ["a/1", "a/2/x", "c", "c/1"].map { "documents \($0)" }
        let others = ["keys/conflicts a", "keys/conflicts b"]
        let forwards = await walk(stage, Array(repeating: "c", count: 7))
        #expect(forwards == inside + others + [inside[0]])
        let backwards = await walk(stage, Array(repeating: "C", count: 6))
        #expect(
            backwards == others.reversed() + ["c/1", "c", "a/2/x", "a/1"].map { "documents \($0)" })
    }

    @Test func panesWithoutConflictsAreSkipped() async throws {
        var status = SessionStatus(
            phase: .live, ownDevice: try Sample.device("here"), conflictCount: 1)
        status.conflictsByPart = [PaneID.entities.part: 1]
        let field = FilterField("conflict", .choice(["yes", "no"]), example: "conflict:yes")
        let documents = FakeSource(
            "Documents", [try Sample.entry("doc", "x")], moreFields: [field])
        let session = FakeSession(
            panes: [Pane(.documents, documents), Pane(.entities, entities)], status: status)
        let stage = await Stage(session, pane: "documents", columns: 80, rows: 24)
        #expect(await walk(stage, ["c", "c", "C"]) == Array(repeating: "entities ben", count: 3))
    }

    @Test func incompleteConflictCountHasAPlusSign() async throws {
        let stage = try await stage()
        #expect(stage.lines[0].contains(" ≠4 "))
        stage.session.status.hasCountedConflicts = false
        await stage.refreshStatus()
        #expect(stage.lines[0].contains(" ≠4+ "))
    }

    @Test func rowWithOnlyIgnoredInnerConflictsEndsTheSearch() async throws {
        let top = try tree()
        top.entries.removeLast()
        let inner = FakeSource("a", [try Sample.entry("a/0", "0")])
        top.put(inner, inside: RowID("a"))
        let session = FakeSession(
            panes: [Pane(.documents, top)],
            status: SessionStatus(
                phase: .live, ownDevice: try Sample.device("here"), conflictCount: 1))
        let stage = await Stage(session, pane: "documents", columns: 80, rows: 24)
        await stage.press("c")
        #expect(stage.model.navigation.conflictJump == nil)
        #expect(stage.text.contains("no other conflict"))
    }

    @Test func filterWithoutConflictsIsReportedBeforeMovingOn() async throws {
        let stage = try await stage("keys/conflicts")
        await stage.press("f")
        await stage.type("zebra")
        await stage.press("Enter", "1", "G", "c")
        #expect(place(stage) == "keys/conflicts ")
        #expect(stage.text.contains("no conflict matches the filter"))
        await stage.press("c")
        #expect(place(stage) == "entities ben")
    }

    @Test func nextConflictKeepsTheConflictScreenOpen() async throws {
        let stage = try await stage("keys/conflicts")
        await stage.press("Enter")
        for name in ["b", "ben", "d", "a"] {
            await stage.press("c")
            #expect(stage.text.contains("≠ \(name)──"), "\(name)")
        }
        await stage.press("Esc")
        #expect(stage.model.overlay == nil && place(stage) == Self.all[0])
    }

    @Test(arguments: [(80, 24), (200, 60)])
    func lastConflictOfAPanePointsToOtherPanes(_ columns: Int, _ rows: Int) async throws {
        conflicts.entries = [conflicts.entries[0]]
        let stage = try await stage(
            "keys/conflicts", conflicts: 1, others: 1, columns: columns, rows: rows)
        await stage.press("w", "Enter", "1", "y")
        stage.session.status.conflictCount = 1
        stage.session.status.counts[.conflicts] = 0
        await stage.refreshStatus()
        await stage.emit(.changed(.conflicts, rows: [RowID("a"): .gone], isOwn: true))
        #expect(stage.model.overlay == nil)
        #expect(stage.text.contains("Conflicts: no conflicts here"))
        #expect(stage.text.contains("1 conflict in Entities. Press c to go there"))
        await stage.press("c")
        #expect(place(stage) == "entities ben")
    }

    @Test func emptyConflictFilterHintsAtAllRows() async throws {
        entities.entries[1].sides = []
        let stage = try await stage("entities", conflicts: 0, others: 0)
        await stage.press("f")
        await stage.type("conflict:yes")
        await stage.press("Enter")
        #expect(stage.text.contains("Entities: no conflicts"))
        #expect(stage.text.contains("Press Esc to show all rows"))
        await stage.press("Esc")
        #expect(stage.text.contains("cleo"))
    }

    @Test func noConflictsLeftMeansTheDevicesAgree() async throws {
        conflicts.entries = []
        let stage = try await stage("keys/conflicts", conflicts: 0, others: 0)
        #expect(stage.text.contains("Conflicts: no conflicts"))
        #expect(stage.text.contains("all devices agree"))
        await stage.press("c")
        #expect(stage.lines[23].contains("no conflicts in this store"))
    }
}
