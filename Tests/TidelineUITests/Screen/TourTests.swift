import Replication
import Testing
import TidelineCore

@testable import TidelineUI

/// The guided tour of the demo store.
@Suite struct TourTests {
    private func stage(columns: Int = 80, rows: Int = 24) async throws -> Stage {
        let open = [try Sample.entry("a", "1", sides: ["1", "2"])]
        let session = FakeSession(
            panes: [
                Pane(.keys, FakeSource("Keys", open + [try Sample.entry("c", "5")])),
                Pane(.conflicts, FakeSource("Conflicts", open), listsConflicts: true),
            ],
            status: SessionStatus(
                phase: .live, ownDevice: try Sample.device("here"), conflictCount: 1,
                counts: [.conflicts: 1]))
        let stage = await Stage(session, pane: "keys", columns: columns, rows: rows)
        stage.model.notice = Notice(tourWith: stage.model.preferences.keymap)
        return stage
    }

    private func step(_ stage: Stage) -> Int? { stage.model.notice?.tourStep?.number }

    @Test(arguments: [(80, 24), (200, 60), (40, 10)])
    func fiveKeysCompleteTheTour(_ columns: Int, _ rows: Int) async throws {
        let stage = try await stage(columns: columns, rows: rows)
        #expect(step(stage) == 1)
        #expect(stage.lines.contains { $0.contains("Tour 1/5") })
        await stage.press("c")
        #expect(step(stage) == 2 && stage.model.pane?.id == .conflicts)
        await stage.press("Enter")
        guard case .conflict = stage.model.overlay else {
            Issue.record("no conflict is shown")
            return
        }
        #expect(step(stage) == 3)
        #expect(stage.lines.contains { $0.contains("Tour 3/5") })
        await stage.press("Esc")
        #expect(step(stage) == 4 && stage.model.overlay == nil)
        await stage.press("t")
        #expect(step(stage) == 5 && stage.model.time != nil)
        await stage.press("?")
        #expect(stage.model.notice == nil && stage.model.overlay != nil)
    }

    @Test func conflictIsResolvedDuringTheTour() async throws {
        let stage = try await stage()
        await stage.press("c", "Enter", "w")
        #expect(step(stage) == 3 && stage.model.writing.isWritable)
        await stage.press("1")
        guard case .preview = stage.model.overlay else {
            Issue.record("\(stage.text)")
            return
        }
        #expect(step(stage) == 3)
        await stage.press("y")
        #expect(stage.model.overlay == nil)
        await stage.press("k")
        #expect(step(stage) == 4, "\(stage.lines[23])")
        await stage.press("t")
        #expect(step(stage) == 5)
    }

    @Test func keyOfTheNextTourStepClosesTheConflict() async throws {
        let stage = try await stage()
        await stage.press("c", "Enter", "w", "1", "y", "t")
        #expect(step(stage) == 5 && stage.model.time != nil, "\(stage.lines[23])")
    }

    @Test func otherKeyEndsTheTourAndHasItsUsualMeaning() async throws {
        let stage = try await stage()
        await stage.press("j")
        #expect(stage.model.notice == nil && stage.model.list?.cursor == 1)
        await stage.press("c")
        #expect(step(stage) == nil)
    }

    @Test func lastStepNamesTheKeyThatReturnsToNow() async throws {
        let stage = try await stage()
        await stage.press("c", "Enter", "Esc", "t", "t")
        #expect(stage.model.time == nil && stage.model.notice?.tourStep == nil)
    }

    @Test func tourNamesTheKeysOfTheConfiguration() async throws {
        let bound = Keymap.standard(overriddenBy: ["next-conflict": ["Q"]])
        #expect(Notice(tourWith: bound.keymap)?.text.contains("Press Q") == true)
        let unbound = Keymap.standard(overriddenBy: ["next-conflict": []])
        #expect(Notice(tourWith: unbound.keymap) == nil)
    }
}
