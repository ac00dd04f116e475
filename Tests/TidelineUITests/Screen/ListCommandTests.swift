import Foundation
import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

/// The commands that lists have, with names in the palette, the menu of a row and help.
@Suite struct ListCommandTests {
    private let writing: ListCommand
    private let choosing: ListCommand

    init() throws {
        writing = try #require(ListCommand.standard.first { $0.writes && $0.argument != nil })
        choosing = try #require(ListCommand.standard.first { !$0.writes })
    }

    private func stage(
        _ offers: [ListCommand: CommandOffer], entries: [FakeSource.Entry] = []
    ) async throws -> (stage: Stage, keys: FakeSource) {
        let keys = FakeSource("Keys", entries, commands: offers)
        return (await Stage(try Sample.session(keys: keys), columns: 100), keys)
    }

    /// Returns the number of a command in the open menu.
    private func number(of command: ListCommand, on stage: Stage) throws -> String {
        let line = try #require(stage.lines.first { $0.contains(command.title) })
        return String(line.filter(\.isNumber).prefix(1))
    }

    @Test func commandIsNamedInThePaletteInTheRowMenuAndInHelp() async throws {
        let (stage, _) = try await stage([writing: CommandOffer()])
        await stage.press("x")
        #expect(stage.text.contains(writing.title))
        #expect(stage.text.contains("read-only"))
        await stage.press("Esc", ":")
        await stage.type(writing.name)
        #expect(stage.text.contains(writing.title))
        await stage.press("Esc", "?", "/")
        await stage.type(writing.name)
        #expect(stage.text.contains(":\(writing.name)"))
    }

    @Test func fileIsCompletedFolderByFolder() async throws {
        let folder = try TemporaryFolder()
        let lists = folder.appending("lists")
        try FileManager.default.createDirectory(
            atPath: lists, withIntermediateDirectories: false)
        for name in ["Logicals.json", "loads.json", ".hidden"] {
            try Data("[]".utf8).write(to: URL(filePath: "\(lists)/\(name)"))
        }
        let (stage, _) = try await stage([writing: CommandOffer()])
        /// Answers the newest request for the files of a folder.
        func answer() {
            for case .files(let id, let folder) in stage.effects.reversed() {
                return stage.take(.nearby(id, .success(NearbyPaths(filesIn: folder))))
            }
        }
        await stage.press("w", ":")
        await stage.type("\(writing.name) \(folder.path)/li")
        answer()
        await stage.press("Tab")
        answer()
        let palette = try #require(stage.model.overlay?.module as? CommandPalette)
        #expect(palette.text.text == "\(writing.name) \(lists)/")
        let listed = NearbyPaths(filesIn: lists + "/").inFolder
        #expect(listed.map(\.path) == ["Logicals.json", "loads.json"].map { "\(lists)/\($0)" })
        #expect(listed.map(\.size) == ["2 B", "2 B"])
        await stage.press("Tab", "Tab", "Enter")
        #expect(stage.text.contains("\(lists)/loads.json"), "\(stage.text)")
        // A number may come before the file.
        #expect(CommandPalette.typedPath(in: "2 a b") == ("2 ", "a b"))
        #expect(CommandPalette.typedPath(in: "a b") == ("", "a b"))
    }

    @Test func commandIsPreviewedAndWritten() async throws {
        let (stage, keys) = try await stage([writing: CommandOffer()])
        await stage.press("w", "x")
        await stage.press(try number(of: writing, on: stage))
        // The argument is typed in the palette.
        #expect(stage.text.contains(":\(writing.name) "))
        await stage.press("Enter")
        #expect(stage.text.contains("\(writing.name) needs an argument: "))
        await stage.type("list.json")
        await stage.press("Enter")
        #expect(stage.text.contains("\(writing.name) with \"list.json\""))
        #expect(stage.text.contains("Catalog.db"))
        #expect(keys.writes == 0)
        await stage.press("y")
        #expect(keys.writes == 1)
        #expect(stage.model.writing.journal.entries.count == 1)
    }

    @Test func commandThatWritesNothingNeedsNoUnlockingAndIsNotInTheJournal() async throws {
        let (stage, keys) = try await stage([choosing: CommandOffer(choices: ["anna", "ben"])])
        await stage.press(":")
        await stage.type(choosing.name + " ")
        #expect(stage.text.contains("\(choosing.name) anna"))
        await stage.press("Esc", "x")
        await stage.press(try number(of: choosing, on: stage))
        #expect(stage.text.contains("ben"))
        await stage.press("2")
        // A change of the view needs no confirmation.
        #expect(stage.model.overlay == nil)
        #expect(keys.writes == 1)
        #expect(stage.model.writing.journal.entries.isEmpty)
    }

    @Test func impossibleCommandHasAReason() async throws {
        let (stage, _) = try await stage(
            [writing: CommandOffer(.unavailable(because: "another device owns it"))],
            entries: [try Sample.entry("a", "1")])
        #expect(stage.model.whyNoRun(of: writing) == "another device owns it")
        #expect(
            stage.model.whyNoRun(of: choosing) == "this store has no \(choosing.pane.name)")
        await stage.press("w", "x")
        #expect(!stage.text.contains(writing.title), "\(stage.text)")
        await stage.press("Esc", ":")
        await stage.type("\(writing.name) list.json")
        await stage.press("Enter")
        #expect(stage.text.contains("another device owns it"))
        let (other, _) = try await self.stage(
            [writing: CommandOffer()], entries: [try Sample.entry("a", "1")])
        #expect(other.model.whyNoRun(of: writing)?.hasPrefix("read-only") == true)
        await other.press("w", "t", "Left")
        #expect(other.model.whyNoRun(of: writing)?.hasPrefix("showing the past") == true)
    }
}
