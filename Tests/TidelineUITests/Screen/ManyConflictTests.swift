import Replication
import Testing
import TidelineCore

@testable import TidelineUI

/// Resolving many conflicts in one step.
@Suite struct ManyConflictTests {
    private let keys: FakeSource

    init() throws {
        var entries = [
            try Sample.entry("a/1", "1", sides: ["1", "2"]),
            try Sample.entry("a/2", "3", sides: ["3", "4", "5"]),
            try Sample.entry("a/3", "agreed"),
            try Sample.entry("b/1", "6", sides: ["6", "7"]),
        ]
        entries[0].proposal = .init(TypedText(.string, "1 2"), value: "1 2")
        entries[3].proposal = .init(
            TypedText(.string, "6 7"), value: "6 7", overlaps: ["line 1"])
        keys = FakeSource("Keys", entries)
    }

    private func stage(_ opening: String...) async throws -> Stage {
        let stage = await Stage(try Sample.session(keys: keys))
        for key in ["w", "gg"] + opening { await stage.press(key) }
        return stage
    }

    private var values: [String] { keys.entries.map(\.value) }

    private func problem(of stage: Stage) -> String? {
        (stage.model.overlay?.module as? PreviewDialog)?.problem
    }

    @Test func allConflictsResolveToOneDeviceAfterTypingTheCount() async throws {
        let stage = try await stage("M")
        #expect(stage.text.contains("3 rows in conflict"))
        #expect(stage.text.contains("3 of 3  keep the newest value"))
        #expect(stage.text.contains("1 of 3  merge automatically (no overlap)"))
        #expect(stage.text.contains("3 of 3  keep dev1's value"))
        #expect(stage.text.contains("1 of 3  keep dev2's value"))
        await stage.press("4")
        #expect(stage.text.contains("Type 3 and Enter to write"))
        #expect(keys.writes == 0)
        await stage.press("2", "Enter")
        #expect(stage.text.contains("type 3 to change"))
        await stage.press("Backspace", "3", "Enter")
        #expect(values == ["2", "4", "agreed", "7"])
        #expect(keys.entries.allSatisfy { $0.sides.isEmpty })
        #expect(stage.lines[23].contains("resolved 3 conflicts: a/1, …"))
    }

    @Test func mergeProposalIsOfferedOnlyWithoutOverlap() async throws {
        let stage = try await stage("M", "j")
        #expect(stage.text.contains("this resolves"))
        #expect(stage.text.contains("remains in conflict"))
        #expect(stage.text.contains("a/2, b/1"))
        await stage.press("Enter")
        // A single row is confirmed with one key, as always.
        await stage.press("y")
        #expect(values == ["1 2", "3", "agreed", "6"])
        #expect(keys.entries.map { $0.sides.isEmpty } == [true, false, true, false])
    }

    @Test func firstMatchingRuleResolvesTheConflict() async throws {
        var configuration = Configuration()
        configuration.resolutionRules = [("a/1", "merge"), ("a/*", "as dev2"), ("*", "newest")]
            .compactMap { ResolutionRule($0.0, $0.1) }
        let stage = await Stage(try Sample.session(keys: keys), configuration: configuration)
        await stage.press("w", "gg", "M")
        #expect(stage.text.contains("3 of 3  apply the rules of the settings"))
        await stage.press("1", "3", "Enter")
        #expect(values == ["1 2", "5", "agreed", "6"])
        #expect(keys.entries.allSatisfy { $0.sides.isEmpty })
    }

    @Test func conflictsWithoutARuleStayUnresolved() async throws {
        var configuration = Configuration()
        configuration.resolutionRules = [("a/1", "as ipad"), ("a/*", "newest")]
            .compactMap { ResolutionRule($0.0, $0.1) }
        let stage = await Stage(try Sample.session(keys: keys), configuration: configuration)
        await stage.press("w", "gg", "M")
        #expect(stage.text.contains("1 of 3  apply the rules"))
        #expect(stage.text.contains("remains in conflict") && stage.text.contains("a/1, b/1"))
    }

    @Test func ruleWithAnUnknownDeviceIsReportedAndSkipped() async throws {
        var configuration = Configuration()
        configuration.resolutionRules = [("a/*", "as nobody"), ("a/1", "newest")]
            .compactMap { ResolutionRule($0.0, $0.1) }
        let stage = await Stage(try Sample.session(keys: keys), configuration: configuration)
        await stage.press("w", "gg", "M")
        #expect(stage.text.contains("rule a/*: no device nobody"))
        #expect(stage.text.contains("1 of 3  apply the rules"))
    }

    @Test func namesOfConflictsStayOnOneLine() async throws {
        let names = (1...12).map { "a place with a long name › number \($0)" }
        keys.entries = try names.map { try Sample.entry($0, "1", sides: ["1", "2"]) }
        let stage = try await stage("M")
        for name in names.prefix(5) { #expect(stage.text.contains(name), "\(name)") }
    }

    @Test func warningsAreRepeatedOnlyIfTheyMayBeOutOfSight() async throws {
        let stage = try await stage("M", "1")
        guard var dialog = stage.model.overlay?.module as? PreviewDialog else {
            Issue.record("nothing is previewed")
            return
        }
        for index in dialog.previews.indices {
            dialog.previews[index].warnings = ["warning \(index)"]
        }
        stage.model.overlay = Overlay(dialog)
        let count = { (text: String) in stage.lines.count { $0.contains(text) } }
        stage.take(.input(.resize(columns: 80, rows: 40)))
        #expect(count("! warning 0, and 2 more warnings") == 0 && count("! warning 0") == 1)
        stage.take(.input(.resize(columns: 80, rows: 14)))
        #expect(count("! warning 0, and 2 more warnings") == 1)
    }

    @Test func confirmationIsDescribedCorrectly() async throws {
        let stage = try await stage("M")
        #expect(stage.text.contains("then type the row count to confirm"))
        await stage.press("j")
        #expect(stage.text.contains("1 of 3  merge automatically"))
        #expect(stage.text.contains("Preview first, then y to write"))
    }

    @Test func onlyFilteredRowsAreResolved() async throws {
        let stage = try await stage("f")
        await stage.type("a/")
        await stage.press("Enter", "M")
        #expect(stage.text.contains("2 rows in conflict"))
        await stage.press("1", "2", "Enter")
        #expect(values == ["1", "3", "agreed", "6"])
        #expect(keys.entries.map { $0.sides.isEmpty } == [true, true, true, false])
    }

    @Test func markedRowsAreResolvedEvenIfHidden() async throws {
        let stage = try await stage("Space", "G", "Space", "f")
        await stage.type("b/")
        await stage.press("Enter", "M")
        #expect(stage.text.contains("2 rows in conflict"))
        await stage.press("4", "2", "Enter")
        #expect(values == ["2", "3", "agreed", "7"])
    }

    @Test func rowsWithoutConflictsOpenNoDialog() async throws {
        let stage = try await stage("j", "j", "Space", "M")
        #expect(stage.model.overlay == nil)
        #expect(stage.lines[23].contains("marked rows"))
        keys.entries = [try Sample.entry("a", "1")]
        let other = try await self.stage("M")
        #expect(other.lines[23].contains("no row here"))
    }

    @Test func readOnlySessionResolvesNothing() async throws {
        let stage = await Stage(try Sample.session(keys: keys))
        await stage.press("M")
        #expect(stage.model.overlay == nil)
        #expect(stage.lines[23].contains(try #require(stage.model.whyNoWriting)))
    }

    @Test func choiceWithoutEffectIsReported() async throws {
        keys.entries[0].proposal = nil
        let stage = try await stage("M", "2")
        #expect(stage.text.contains("0 of 3"))
        #expect(stage.text.contains("none of these conflicts"))
        #expect(keys.writes == 0)
    }

    @Test func rowThatChangedIsSkippedAndReported() async throws {
        let stage = try await stage("M", "1")
        keys.entries[1].value = "by somebody"
        await stage.press("3", "Enter")
        #expect(keys.writes == 2 && stage.model.overlay == nil)
        #expect(keys.entries.map { $0.sides.isEmpty } == [true, false, true, true])
        #expect(stage.lines[23].contains("resolved 2 conflicts"))
        #expect(stage.lines[23].contains("1 skipped: a/2 "))
    }

    @Test func writingAsksAgainIfEveryRowChanged() async throws {
        let stage = try await stage("M", "1")
        for index in [0, 1, 3] { keys.entries[index].value = "by somebody" }
        await stage.press("3", "Enter")
        #expect(keys.writes == 0 && stage.model.overlay?.module is ChangedRowDialog)
    }

    @Test func failedWriteCountsWrittenSkippedAndRemainingEdits() async throws {
        keys.entries = try (1...9).map { try Sample.entry("k\($0)", "1", sides: ["1", "2"]) }
        let stage = try await stage("M", "1")
        keys.entries[1].value = "by somebody"
        keys.room = 4
        await stage.press("9", "Enter")
        // The second row changed, and the sixth write fails.
        #expect(keys.writes == 4)
        #expect(keys.entries.map { $0.sides.isEmpty } == (1...9).map { $0 <= 5 && $0 != 2 })
        #expect(stage.text.contains("no space left on the disk"))
        #expect(problem(of: stage)?.hasSuffix("; 4 written, 1 skipped, 4 not written") == true)
        #expect(stage.text.contains("Type 4 and Enter to write"))
        keys.room = .max
        await stage.press("4", "Enter")
        #expect(keys.entries.map { $0.sides.isEmpty } == (1...9).map { $0 != 2 })
        #expect(stage.lines[23].contains("resolved 4 conflicts: k6, …"))
    }

    @Test func editsWrittenAsOneAreCountedByRow() async throws {
        let stage = try await stage("M", "1")
        guard var dialog = stage.model.overlay?.module as? PreviewDialog else {
            Issue.record("no preview: \(stage.text)")
            return
        }
        // Rows of one log are written as one edit, in another order than the previews.
        var applied = AppliedEdit(
            summary: "resolve a/2", date: stage.model.now.date,
            rows: ["a/2", "b/1"].map { RowID($0) }, undo: [])
        applied.others = 1
        let id = RequestID(99)
        dialog.pending = id
        stage.model.overlay = Overlay(dialog)
        await stage.send(
            .applied(
                id, [applied], left: [dialog.previews[0]], failure: RequestFailure(.other, "full")))
        guard let rest = stage.model.overlay?.module as? PreviewDialog else {
            Issue.record("no preview: \(stage.text)")
            return
        }
        #expect(rest.previews == [dialog.previews[0]])
        #expect(problem(of: stage) == "full; 2 written, 1 not written")
    }

    @Test func manyEditsAreReportedInOneLine() async throws {
        keys.entries = try (1...8).map { try Sample.entry("k\($0)", "1", sides: ["1", "2"]) }
        let stage = try await stage("M", "1", "8", "Enter")
        #expect(keys.writes == 8)
        #expect(stage.lines[23].contains("resolved 8 conflicts: k1, …"))
    }

    /// A document doesn't record which sides a resolution with the winning value had seen.
    @Test func undoNamesTheConflictsThatStayResolved() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "conflicts", columns: 160, rows: 40)
        let count = try #require(stage.model.list?.total)
        await stage.press("w", "M", "1")
        await stage.type("\(count)")
        await stage.press("Enter")
        #expect(stage.text.contains("can't be undone: resolve"), "\(stage.text)")
        await stage.press("z", "y")
        let text = stage.model.notice?.text ?? ""
        #expect(text.hasPrefix("undone: resolve "), "\(text)")
        #expect(text.contains(", and \(count - 2) more; not undone: resolve "), "\(text)")
        await session.close()
    }
}
