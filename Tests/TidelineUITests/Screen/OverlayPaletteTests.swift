import Replication
import Testing

@testable import TidelineCore
@testable import TidelineUI

/// The palette on top of an overlay.
@Suite struct OverlayPaletteTests {
    private let keys: FakeSource

    init() throws {
        var entry = try Sample.entry("trip", "x", sides: ["red car", "blue car"])
        entry.proposal = .init(TypedText(.string, "red blue car"), value: "red blue car")
        entry.detail = ConflictDetail(
            sides: try entry.sideIDs(),
            fields: [
                .init(
                    path: FieldPath("color"), values: [.init("red"), .init("blue")],
                    merged: .init("blue"), proposed: 1)
            ])
        keys = FakeSource(
            "Keys", [entry, try Sample.entry("zoo", "9", sides: ["9", "8"])])
    }

    private func conflict() async throws -> Stage {
        let stage = await Stage(try Sample.session(keys: keys), columns: 120, rows: 40)
        await stage.press("w", "Enter")
        return stage
    }

    private func call(_ name: String, _ stage: Stage) async {
        await stage.press(":")
        #expect(stage.model.overlay?.module is CommandPalette)
        await stage.type(name)
        await stage.press("Enter")
    }

    @Test func overlayActionsComeFirstAndEscapeKeepsPicks() async throws {
        let stage = try await conflict()
        await stage.press("j", "j", "1", ":")
        let first = try #require(stage.lines.firstIndex { $0.contains("Commands") })
        #expect(stage.lines[first + 2].contains("conflict-take"))
        #expect(stage.text.contains("≠ trip──"), "the conflict stays behind it")
        await stage.press("Esc")
        #expect(stage.text.contains("color from dev0"))
        #expect(stage.text.contains("≠ trip"))
    }

    @Test func pickedProposalArrivesBehindTheIgnorePrompt() async throws {
        let stage = try await conflict()
        await stage.press("j", "j")
        for letter in "1I" { stage.take(.input(.key(.character(letter)))) }
        #expect(stage.model.overlay?.module is Prompt)
        await stage.settle()
        stage.take(.input(.key(Key(.escape))))
        guard let view = stage.model.overlay?.module as? ConflictView else {
            Issue.record("the conflict is not open again")
            return
        }
        #expect(view.proposalRequest == nil && view.picked != nil)
    }

    @Test func conflictActionsApplyToTheOpenConflict() async throws {
        let stage = try await conflict()
        await call("conflict-propose", stage)
        #expect(stage.text.contains("Write?"))
        await stage.press("Esc")
        await call("conflict-take-2", stage)
        await stage.press("y")
        #expect(keys.entries[0].value == "blue car")
    }

    @Test func unavailableConflictActionsShowTheirReason() async throws {
        let stage = try await conflict()
        await stage.press(":")
        await stage.type("conflict-p")
        func line(_ name: String) -> String {
            stage.lines.first { $0.contains(" \(name) ") && $0.contains("│") } ?? ""
        }
        #expect(!line("conflict-propose").contains("("))
        #expect(line("conflict-pick-next").contains("(move down"))
        await stage.press("Esc", "j", "j", ":")
        await stage.type("conflict-p")
        #expect(line("conflict-pick-next").contains("Choose the next side"))
        #expect(!line("conflict-pick-next").contains("("))
        await stage.press("Esc", "Esc", "j", "Enter", ":")
        await stage.type("conflict-p")
        #expect(line("conflict-propose").contains("(these values can't be merged"))
        #expect(line("conflict-pick-next").contains("(this value has no parts"))
    }

    @Test func conflictIsIgnoredByCommand() async throws {
        let stage = try await conflict()
        await call("ignore", stage)
        await stage.press("Enter")
        #expect(stage.lines[0].contains("1 ignored"))
    }

    @Test func nextConflictCommandOpensTheNextConflict() async throws {
        let stage = try await conflict()
        await call("next-conflict", stage)
        #expect(stage.text.contains("≠ zoo"))
    }

    @Test func listActionsCloseTheConflict() async throws {
        let stage = try await conflict()
        await call("sort", stage)
        #expect(stage.text.contains("Sort by") && !stage.text.contains("≠ trip─"))
    }

    @Test func openConfirmationBlocksOtherActions() async throws {
        let stage = try await conflict()
        await stage.press("1")
        #expect(stage.text.contains("Write?"))
        await call("sort", stage)
        #expect(stage.lines[39].contains("sort: "))
        await stage.press("Esc")
        #expect(stage.text.contains("Write?"))
        await call("preview-yes", stage)
        #expect(keys.writes == 1)
    }

    @Test func rowCountIsMentionedOnlyIfRequired() async throws {
        let stage = try await conflict()
        await stage.press("1", "?")
        #expect(stage.text.contains("Write"))
        #expect(!stage.text.contains("after typing the row count"))
        await stage.press("Esc", ":")
        await stage.type("preview-")
        #expect(!stage.text.contains("preview-count"))
    }

    @Test func paletteOverHelpOffersTheDocumentedActions() async throws {
        let stage = try await conflict()
        await stage.press("?", ":")
        #expect(stage.text.contains("conflict-take"))
        await stage.press("Esc")
        #expect(stage.text.contains("(/: search"))
        await call("conflict-propose", stage)
        #expect(stage.text.contains("Write?"))
    }

    @Test func conflictHelpIncludesSharedGlobalKeys() async throws {
        let stage = try await conflict()
        await stage.press("?")
        let start = try #require(stage.lines.firstIndex { $0.contains("Conflict screen") })
        let lines = stage.lines[start..<(stage.lines.firstIndex { $0.contains("Movement") } ?? 40)]
        #expect(lines.contains { $0.contains("I ") && $0.contains("Ignore this conflict") })
        #expect(lines.contains { $0.contains("w ") && $0.contains("Toggle write mode") })
        #expect(lines.contains { $0.contains("c ") && $0.contains("Next conflict") })
    }
}
