import Foundation
import Replication
import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

/// A data model unknown to the screen, next to those of a store package. It adds its own panes, and
/// every action works in them.
@Suite(.timeLimit(.minutes(30))) struct AnotherModelTests {
    private let folder: TemporaryFolder
    private let tallies: TallyPart
    private let stage: Stage

    init() async throws {
        folder = try TemporaryFolder()
        tallies = TallyPart(writingAs: try DeviceID("desk"))
        for (name, count) in [("apples", 3), ("pears", 12), ("plums", 7)] {
            tallies.write(
                name, .init(count: count, device: "ipad", microseconds: Int64(count) * 1_000_000))
        }
        let session = ComposedSession(
            path: folder.path,
            parts: [tallies, TallyNotes(writingAs: try DeviceID("desk"))], isWritable: false)
        stage = await Stage(session, columns: 120, rows: 40)
    }

    @Test func panesWithEqualNamesCoexist() async {
        #expect(
            stage.model.navigation.panes.map(\.id.text)
                == ["tallies", "tallies/log", "tallies/conflicts", "notes", "notes/log"])
        // The notes declare that they are documents.
        #expect(Header(stage.model, in: stage.model.layout).separators.count == 2)
        #expect(stage.text.contains("pears"))
        #expect(stage.model.session.status.counts[.tallies] == 3)
        await stage.press("2")
        #expect(stage.model.pane?.id == .tallyLog)
        #expect(stage.text.contains("Counted"))
    }

    @Test func devicesOfAllModelsAreMerged() {
        let devices = stage.model.session.status.devices
        #expect(devices.map(\.id.name) == ["ipad"])
        #expect(devices[0].rows == 8)
        #expect(devices[0].state == "incomplete")
        #expect(devices[0].stores.map(\.store) == ["tallies", "notes"])
        #expect(stage.model.session.status.problems == ["ipad: notes: half of it is there"])
    }

    @Test func timelinesOfAllModelsAreMerged() async throws {
        await stage.press("t")
        let timeline = try #require(stage.model.panelStates.timeline.timeline)
        #expect(timeline.first.microseconds == 3_000_000)
        #expect(timeline.last.microseconds == 50_000_000)
        #expect(timeline.activity[try DeviceID("ipad")]?.reduce(0, +) == 4)
    }

    @Test func fieldsFilterAndSort() async {
        await stage.press("f")
        await stage.type("count>5")
        await stage.press("Enter")
        #expect(stage.model.list?.rows.map(\.id.name) == ["pears", "plums"])
        await stage.press("Esc", "o")
        #expect(stage.text.contains("COUNT, descending"))
    }

    @Test func editsArePreviewedWrittenAndUndone() async {
        await stage.press("w", "i")
        #expect(stage.text.contains("apples"))
        await stage.press("Backspace")
        await stage.type("4")
        await stage.press("Enter")
        #expect(stage.text.contains("count apples"))
        await stage.press("y")
        #expect(tallies.all.first?.value.count == 4)
        await stage.press("z", "y")
        #expect(tallies.all.first?.value.count == 3)
        await stage.press("a")
        await stage.type("cherries")
        await stage.press("Enter")
        await stage.type("x")
        await stage.press("Enter")
        #expect(stage.text.contains("x is not a number"))
        await stage.press("Backspace")
        await stage.type("1")
        await stage.press("Enter", "y")
        #expect(tallies.all.map(\.key.text) == ["apples", "cherries", "pears", "plums"])
    }

    @Test func remoteChangesAreMarkedAndConflictsLeadToTheirPane() async throws {
        tallies.write("pears", .init(count: 13, device: "ipad", microseconds: 20_000_000))
        await stage.settle()
        await stage.emit(
            .changed(.tallies, rows: [RowID("pears"): .changed], isOwn: false),
            summary: "counted pears", device: "ipad")
        #expect(stage.lines.contains { $0.contains("~") && $0.contains("pears") })
        tallies.write(
            "plums", .init(count: 8, device: "ipad", microseconds: 30_000_000), concurrentWith: 9)
        await stage.refreshStatus()
        await stage.emit(.conflict(.tallyConflicts, RowID("plums")), summary: "≠ plums")
        #expect(stage.model.session.status.conflictCount == 1)
        #expect(stage.model.panelStates.events.lines.last?.link?.pane == .tallyConflicts)
        await stage.press("E", "Enter")
        #expect(stage.model.pane?.id == .tallyConflicts)
        #expect(stage.model.list?.cursorID == RowID("plums"))
        await stage.press("w", "Enter")
        #expect(stage.text.contains("newest"))
        await stage.press("2", "y")
        #expect(tallies.all.last?.value.count == 9)
        #expect(tallies.all.last?.value.other == nil)
    }

    @Test func linksAndGotoSwitchPanes() async throws {
        await stage.press("0", "j", "j", "Enter")
        #expect(stage.model.pane?.id == .tallyLog)
        #expect(stage.model.list?.cursorID == RowID("apples"))
        await stage.press("1", ":")
        await stage.type("goto tallies/log plums")
        await stage.press("Enter")
        #expect(stage.model.pane?.id == .tallyLog)
        #expect(stage.model.list?.cursorID == RowID("plums"))
    }
}

/// A data model with panes of the same names and an incomplete store.
private final class TallyNotes: SessionPart {
    private let notes: TallyPart

    init(writingAs device: DeviceID) { notes = TallyPart(writingAs: device) }

    var panes: [Pane] {
        [
            Pane(PaneID("notes"), TalliesSource(notes, isLog: true), in: .documents),
            Pane(PaneID("log", of: "notes"), TalliesSource(notes, isLog: true), in: .documents),
        ]
    }

    var status: PartStatus {
        guard let id = try? DeviceID("ipad") else { return PartStatus(phase: nil) }
        var report = DeviceReport(
            id, in: "notes", state: .incomplete, problem: "half of it is there")
        report.rows = 5
        return PartStatus(phase: .live, devices: [report])
    }

    func start(emit: @escaping @Sendable (SessionEvent) -> Void) {}
    func reload() async {}
    func close() async {}

    func activity(buckets: Int) async throws -> Activity {
        Activity([
            try DeviceID("ipad"): [Activity.Sample(Timestamp(microseconds: 50_000_000), 1)]
        ])
    }
}
