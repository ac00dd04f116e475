import Replication
import Testing

@testable import TidelineCore
@testable import TidelineUI

/// The guided tour of the demo store.
@Suite struct TourTests {
    private func stage(
        columns: Int = 80, rows: Int = 24, configuration: Configuration = Configuration()
    ) async throws -> Stage {
        let open = [try Sample.entry("a", "1", sides: ["1", "2"])]
        let devices = try ["here", "ipad", "mac"].map {
            SessionStatus.Device(
                id: try Sample.device($0), name: $0, state: "ok", newest: Stage.start)
        }
        let session = FakeSession(
            panes: [
                Pane(.keys, FakeSource("Keys", open + [try Sample.entry("c", "5")])),
                Pane(.conflicts, FakeSource("Conflicts", open), listsConflicts: true),
            ],
            status: SessionStatus(
                phase: .live, ownDevice: try Sample.device("here"), devices: devices,
                conflictCount: 1, counts: [.conflicts: 1]))
        let stage = await Stage(
            session, pane: "keys", columns: columns, rows: rows, configuration: configuration)
        stage.model.tour = TourStep(number: 1)
        return stage
    }

    private func step(_ stage: Stage) -> Int? { stage.model.tour?.number }

    /// Whether the screen shows a step.
    private func shows(_ step: Int, _ stage: Stage) -> Bool {
        stage.text.contains("Tour \(step)/5")
    }

    @Test(arguments: [(80, 24), (200, 60), (40, 10)])
    func fiveKeysCompleteTheTour(_ columns: Int, _ rows: Int) async throws {
        let stage = try await stage(columns: columns, rows: rows)
        #expect(shows(1, stage))
        await stage.press("c")
        #expect(shows(2, stage) && stage.model.pane?.id == .conflicts)
        await stage.press("Enter")
        guard stage.model.overlay?.module is ConflictView else {
            Issue.record("no conflict is shown")
            return
        }
        #expect(shows(3, stage))
        await stage.press("Esc")
        #expect(shows(4, stage) && stage.model.overlay == nil)
        await stage.press("t")
        #expect(shows(5, stage) && stage.model.time != nil, "\(stage.text)")
        await stage.press("?")
        #expect(stage.model.tour == nil && stage.model.overlay != nil)
    }

    @Test func conflictIsResolvedDuringTheTour() async throws {
        let stage = try await stage()
        await stage.press("c", "Enter")
        #expect(stage.text.contains("w unlocks writing"))
        await stage.press("w")
        #expect(shows(3, stage) && stage.model.writing.isWritable)
        #expect(!stage.text.contains("w unlocks writing"))
        #expect(stage.text.contains("Enter: selected side, 1-2: choose side"), "\(stage.text)")
        await stage.press("Enter")
        guard stage.model.overlay?.module is PreviewDialog else {
            Issue.record("\(stage.text)")
            return
        }
        #expect(step(stage) == 3 && !shows(3, stage))
        await stage.press("y")
        #expect(stage.model.overlay == nil)
        #expect(shows(4, stage) && stage.text.contains("✓ "), "\(stage.text)")
    }

    @Test func noStepIsSkippedAfterResolving() async throws {
        let stage = try await stage()
        await stage.press("c", "Enter", "w", "1", "y", "t")
        #expect(shows(5, stage) && stage.model.time != nil, "\(stage.text)")
    }

    @Test func otherKeysHaveTheirUsualMeaningAndTheTourGoesOn() async throws {
        let stage = try await stage()
        await stage.press("j")
        #expect(shows(1, stage) && stage.model.list?.cursor == 1)
        // Messages, dialogs and sequences hide the step while they are shown.
        await stage.press("F9")
        #expect(!shows(1, stage) && stage.text.contains("F9 has no function"))
        await stage.press("k")
        #expect(shows(1, stage))
        await stage.press("?")
        #expect(!shows(1, stage))
        await stage.press("Esc", "g")
        #expect(!shows(1, stage))
        await stage.press("g", "c")
        #expect(shows(2, stage))
    }

    @Test func escapeEndsTheTourBeforeItGoesBack() async throws {
        let stage = try await stage()
        #expect(stage.text.contains("(Esc ends it)"))
        await stage.press("c", "Esc")
        #expect(stage.model.tour == nil && stage.model.pane?.id == .conflicts)
        #expect(stage.text.contains("tour is over"))
        await stage.press("Esc")
        #expect(stage.model.pane?.id == .keys)
    }

    @Test func messageInTimeTravelDoesNotMoveTheStep() async throws {
        let stage = try await stage()
        await stage.press("c", "Enter", "Esc", "t")
        let place = try #require(stage.lines.firstIndex { $0.contains("Tour 5/5") })
        stage.model.notice = Notice(.done, "restored a")
        #expect(stage.lines.firstIndex { $0.contains("Tour 5/5") } == place, "\(stage.text)")
        #expect(stage.lines[23].contains("restored a"), "\(stage.text)")
    }

    @Test func tourEndsOnReturningToNow() async throws {
        let stage = try await stage()
        await stage.press("c", "Enter", "Esc", "t")
        #expect(step(stage) == 5)
        await stage.press("t")
        #expect(stage.model.time == nil && stage.model.tour == nil)
    }

    @Test func tourNamesTheKeysOfTheConfiguration() async throws {
        var configuration = Configuration()
        configuration.keymap =
            Keymap.standard.overridden(by: ["next-conflict": ["Q"]]).keymap
        let bound = try await stage(configuration: configuration)
        #expect(bound.text.contains("press Q"), "\(bound.text)")
        configuration.keymap = Keymap.standard.overridden(by: ["next-conflict": []]).keymap
        let unbound = try await stage(configuration: configuration)
        #expect(!shows(1, unbound))
    }
}
