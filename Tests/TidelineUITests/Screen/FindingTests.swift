import Automerge
import Foundation
import Replication
import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

@Suite struct FindingTests {
    @Test func totalThatIsStillBeingCountedHasAPlus() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        #expect(stage.lines[23].hasSuffix(" 1/4"), "\(stage.lines[23])")
        stage.model.navigation.withList { $0.isTotalExact = false }
        #expect(stage.lines[23].hasSuffix(" 1/4+"), "\(stage.lines[23])")
    }

    @Test func detectedThemeIsMarkedAsCurrent() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), themes: ["tide-dark", "tide-light"],
            themeName: "tide-dark")
        // A late answer doesn't replace the notice.
        await stage.send(.background(theme: "tide-light"))
        #expect(stage.model.notice == nil)
        await stage.press(":")
        await stage.type("theme")
        await stage.press("Enter")
        #expect(stage.text.contains("tide-light  now"))
    }

    private func stage() async throws -> Stage {
        await Stage(try Sample.session(keys: try Sample.notes()))
    }

    @Test func rowsFollowTheFilterWhileItIsTyped() async throws {
        let stage = try await stage()
        await stage.press("f")
        await stage.type("key:note/2")
        await stage.type("/*")
        #expect(stage.model.list?.rows.count == 2)
        await stage.press("Enter")
        #expect(stage.model.list?.query.filter == "key:note/2/*")
        #expect(stage.lines[23].contains("filter: key:note/2/*"))
        await stage.press("Esc")
        #expect(stage.model.list?.rows.count == 4)
    }

    @Test func escapeRestoresThePreviousFilter() async throws {
        let stage = try await stage()
        await stage.press("f")
        await stage.type("milk")
        await stage.press("Enter", "f")
        await stage.type(" zzz")
        #expect(stage.model.list?.rows.isEmpty == true)
        await stage.press("Esc")
        #expect(stage.model.list?.query.filter == "milk")
        #expect(stage.model.list?.rows.count == 1)
    }

    @Test func invalidFilterKeepsTheRowsAndIsUnderlined() async throws {
        let stage = try await stage()
        await stage.press("f")
        await stage.send(.input(.paste("key:note value~/[/")))
        #expect(stage.model.list?.filterProblem != nil)
        #expect(stage.model.list?.rows.count == 4)
        #expect(stage.lines[23].hasPrefix(String(repeating: " ", count: 23) + "^ invalid regular"))
        let bottom = stage.surface.row(22)
        #expect(bottom.contains { $0.style.attributes.contains(.underline) })
        await stage.press("Enter")
        guard stage.model.overlay?.module is Prompt else {
            Issue.record("the filter was accepted")
            return
        }
        await stage.press("Esc")
        #expect(stage.model.list?.filterProblem == nil)
    }

    @Test func clearingTheFilterClearsItsError() async throws {
        let stage = try await stage()
        await stage.press("f")
        await stage.send(.input(.paste("agee:1")))
        #expect(stage.model.list?.filterProblem != nil)
        await stage.press("^u")
        #expect(stage.model.list?.filterProblem == nil && !stage.lines[23].contains("quote it"))
        await stage.press("Enter")
        #expect(stage.model.overlay == nil)
    }

    @Test func canceledFilterRestoresTheSelection() async throws {
        let stage = try await stage()
        await stage.press("j", "j", "f")
        let selected = stage.model.list?.cursorID
        #expect(stage.model.list?.cursor == 2)
        for text in ["zzz", "due", "note"] {
            await stage.type(text)
            await stage.press("Esc")
            #expect(stage.model.list?.cursorID == selected, "\(text)")
            #expect(stage.model.list?.rows.count == 4)
            await stage.press("f")
        }
    }

    @Test func emptyResultNamesTheNextKeys() async throws {
        let stage = try await stage()
        await stage.press("f")
        await stage.type("zzz")
        await stage.press("Enter")
        #expect(stage.text.contains("No match in Keys"))
        #expect(stage.text.contains("Press f to change"))
    }

    @Test func emptyResultSuggestsSearchingForAPart() async throws {
        let stage = try await stage()
        await stage.press("f")
        await stage.type("key:title")
        await stage.press("Enter")
        #expect(stage.text.contains("key:title compares the whole text; key:*title* finds parts"))
        await stage.press("f", "^u")
        await stage.type("key:*zzz* -key:title")
        await stage.press("Enter")
        #expect(stage.text.contains("No match in Keys") && !stage.text.contains("whole text"))
    }

    @Test func emptyResultOfAChoiceFilterSuggestsNoPartialMatch() async throws {
        let conflict = FilterField("conflict", .choice(["yes", "no"]), example: "conflict:yes")
        let keys = FakeSource("Keys", [try Sample.entry("a", "1")], moreFields: [conflict])
        let stage = await Stage(try Sample.session(keys: keys))
        await stage.press("f")
        await stage.type("conflict:yes")
        await stage.press("Enter")
        #expect(stage.text.contains("No match in Keys") && !stage.text.contains("whole text"))
    }

    @Test func searchWrapsAround() async throws {
        let stage = try await stage()
        await stage.press("/")
        await stage.type("title")
        await stage.press("Enter")
        #expect(stage.model.list?.cursorID == RowID("note/1/title"))
        await stage.press("n")
        #expect(stage.model.list?.cursorID == RowID("note/2/title"))
        await stage.press("n")
        #expect(stage.model.list?.cursorID == RowID("note/1/title"))
        #expect(stage.lines[23].contains("search wrapped"))
        await stage.press("N")
        #expect(stage.model.list?.cursorID == RowID("note/2/title"))
        await stage.press("/")
        await stage.type("zzz")
        await stage.press("Enter")
        #expect(stage.lines[23].contains("no row contains “zzz”"))
    }

    @Test func typingASearchSelectsTheFirstMatch() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.many(2_000)))
        await stage.press("j", "j", "/")
        await stage.type("k015")
        #expect(stage.model.list?.cursorID == RowID("k01500"))
        await stage.type("5")
        #expect(stage.model.list?.cursorID == RowID("k01550"))
        await stage.type("x")
        #expect(stage.model.list?.cursorID == RowID("k00002"))
        await stage.press("Backspace")
        #expect(stage.model.list?.cursorID == RowID("k01550"))
        await stage.press("Enter", "n")
        #expect(stage.model.list?.cursorID == RowID("k01551"))
    }

    @Test func canceledSearchRestoresTheSelection() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.many(2_000)))
        await stage.press("/")
        await stage.type("k00003")
        await stage.press("Enter", "/")
        let before = stage.lines[..<23]
        await stage.type("k01999")
        #expect(stage.model.list?.cursorID == RowID("k01999"))
        #expect(stage.text.contains("k01999"))
        await stage.press("Esc")
        #expect(stage.model.list?.cursorID == RowID("k00003"))
        #expect(stage.model.list?.searchText == "k00003")
        #expect(stage.lines[..<23] == before)
    }

    @Test func escapeRemovesHighlightsButKeepsTheSearch() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.many(2_000)), columns: 120)
        await stage.press("/")
        await stage.type("k0199")
        await stage.press("Enter")
        #expect(stage.model.list?.cursorID == RowID("k01990"))
        #expect(stage.model.list?.marksHits == true)
        await stage.press("Esc")
        #expect(stage.model.list?.marksHits == false)
        #expect(
            stage.lines[23].contains("“k0199” is no longer highlighted; press n "),
            "\(stage.lines[23])")
        await stage.press("n")
        #expect(stage.model.list?.cursorID == RowID("k01991"))
        #expect(stage.model.list?.marksHits == true)
        // Another Escape continues.
        await stage.press("Esc", "Esc")
        #expect(stage.lines[23].contains("press q to quit"))
    }

    @Test func searchWithoutMatchesIsReportedWhileTyping() async throws {
        let stage = try await stage()
        await stage.press("/")
        await stage.type("zzz")
        #expect(stage.lines[23].hasPrefix("search: zzz"))
        #expect(stage.lines[23].hasSuffix("no row contains “zzz”"))
        await stage.press("^u")
        #expect(!stage.lines[23].contains("no row"))
    }

    @Test func searchFindsUnloadedRows() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.many(20_000)))
        await stage.press("/")
        await stage.type("k15000")
        await stage.press("Enter")
        #expect(stage.model.list?.cursorID == RowID("k15000"))
        #expect(stage.text.contains("k15000"))
    }

    @Test func filterHistoryIsRecalled() async throws {
        let stage = try await stage()
        for filter in ["milk", "eggs"] {
            await stage.press("f", "^u")
            await stage.type(filter)
            await stage.press("Enter")
        }
        await stage.press("f", "Up", "Up")
        #expect(stage.lines[22].contains("filter: milk"))
        await stage.press("Down")
        #expect(stage.lines[22].contains("filter: eggs"))
    }

    @Test func sortMenuShowsWhichAgesComeFirst() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press("o")
        guard let menu = stage.model.overlay?.module as? Menu else {
            Issue.record("\(stage.text)")
            return
        }
        let titles = menu.items.map(\.title)
        #expect(titles.contains("Age, newest first") && titles.contains("Age, oldest first"))
        #expect(titles.contains("Key") && titles.contains("Key, descending"), "\(titles)")
    }

    @Test func sortMenuSorts() async throws {
        let stage = try await stage()
        await stage.press("o")
        #expect(stage.text.contains("Sort by"))
        await stage.press("3")
        #expect(stage.model.list?.query.sort == .init(column: "key", isDescending: true))
        #expect(stage.model.list?.rows.first?.id == RowID("note/2/title"))
    }

    @Test func paletteRunsActionsAndCommands() async throws {
        let stage = try await stage()
        await stage.press(":")
        await stage.type("nextre")
        await stage.press("Enter")
        #expect(stage.model.panels.focus == .inspector)
        await stage.press(":")
        await stage.type("goto note/2/body")
        await stage.press("Enter")
        #expect(stage.model.list?.cursorID == RowID("note/2/body"))
        await stage.press("^p")
        await stage.type("4")
        await stage.press("Enter")
        #expect(stage.model.list?.cursor == 3)
        await stage.press(":")
        await stage.type("theme tide-light")
        await stage.press("Enter")
        #expect(stage.requests.last == .theme("tide-light"))
        await stage.press(":")
        await stage.type("device mac")
        await stage.press("Enter")
        #expect(stage.model.list?.rows.count == 2)
        await stage.press(":")
        await stage.type("device nobody")
        await stage.press("Enter")
        #expect(stage.text.contains("no device “nobody”"))
        #expect(stage.model.list?.rows.count == 2)
    }

    @Test func goToRowAcceptsNameNumberOrContent() async throws {
        let stage = try await stage()
        let names = stage.model.list?.rows.map(\.id.name) ?? []
        for (typed, place) in [
            ("note/2/body", names.firstIndex(of: "note/2/body")), ("3", 2),
            ("keys 2", 1), ("2/TITLE", nil), ("2/title", names.firstIndex(of: "note/2/title")),
        ] {
            await stage.press("Home", ":")
            await stage.type("goto \(typed)")
            await stage.press("Enter")
            #expect(stage.model.list?.cursor == place ?? 0, "\(typed)")
        }
        #expect(!stage.text.contains("holds"))
        await stage.press(":")
        await stage.type("goto nothing like it")
        await stage.press("Enter")
        #expect(stage.text.contains("“nothing like it”"))
    }

    @Test func itemsOfADocumentsListAreFoundByTheNumbersInTheirNames() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("list.automerge")
        let document = Document()
        let list = try document.putObject(obj: .ROOT, key: "list", ty: .List)
        for index in 0..<300 {
            try document.insert(obj: list, index: UInt64(index), value: .Int(Int64(index * 7)))
        }
        try document.save().write(to: URL(filePath: path))
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session)
        await stage.press("Enter")
        for number in [0, 250, 299] {
            await stage.press(":")
            await stage.type("goto \(number)")
            await stage.press("Enter")
            #expect(stage.model.list?.cursor == number)
        }
        await session.close()
    }

    @Test func rowWhoseNameIs0DoesNotChangeTheNumbersOfTheOthers() async throws {
        let keys = FakeSource("Keys", try ["0", "b", "c"].map { try Sample.entry($0, "x") })
        let stage = await Stage(try Sample.session(keys: keys))
        await stage.press(":")
        await stage.type("goto 2")
        await stage.press("Enter")
        #expect(stage.model.list?.cursor == 1)
    }

    @Test func paletteShowsRecentActionsFirstAndReasons() async throws {
        let stage = try await stage()
        await stage.press(":")
        await stage.type("zoom")
        await stage.press("Enter", ":")
        #expect(stage.model.paletteMatches(for: "").first?.action.name == "zoom")
        await stage.type("rename")
        #expect(stage.text.contains("(read-only; press w"))
    }

    @Test func rowIsCopiedInTheChosenFormat() async throws {
        let stage = try await stage()
        await stage.press("j", "y")
        #expect(stage.text.contains("Copy"))
        await stage.press("2")
        #expect(stage.requests.last == .copy("note/1/title", name: "key"))
    }

    @Test func menuMarksTruncatedText() async throws {
        let keys = FakeSource(
            "Keys",
            [try Sample.entry("k", String(repeating: "word ", count: 100) + "the end")])
        let stage = await Stage(try Sample.session(keys: keys))
        await stage.press("y")
        let line = try #require(stage.lines.first { $0.contains("1 value") })
        #expect(line.contains("word word word word word word word word word"))
        #expect(line.contains("…"))
    }

    @Test func longPaletteTextMatchesNothing() async throws {
        let stage = try await stage()
        await stage.press(":")
        await stage.send(.input(.paste(String(repeating: "x", count: 3_000))))
        #expect(stage.model.paletteMatches(for: String(repeating: "x", count: 3_000)).isEmpty)
        await stage.send(.input(.paste(String(repeating: "y", count: 100_000))))
        #expect(stage.lines[23].contains("nothing pasted"))
        guard let palette = stage.model.overlay?.module as? CommandPalette else {
            Issue.record("the palette is closed")
            return
        }
        #expect(palette.text.characters.count == 3_000)
    }

    @Test func themesArePreviewedWhileChoosing() async throws {
        let session = try Sample.session(keys: try Sample.notes())
        let stage = await Stage(session, themes: ["dark", "light", "loud"], themeName: "light")
        await stage.press(":")
        await stage.type("theme")
        await stage.press("Enter", "j")
        #expect(stage.requests.suffix(2) == [.previewTheme("light"), .previewTheme("loud")])
        await stage.press("Esc")
        #expect(stage.requests.last == .previewTheme(nil))
        await stage.press(":")
        await stage.type("theme")
        await stage.press("Enter", "k", "Enter")
        #expect(stage.requests.suffix(2) == [.theme("dark"), .previewTheme(nil)])
    }

    @Test func requestedRowIsSelectedAfterLoading() async throws {
        let session = try Sample.session(keys: try Sample.many(300))
        let stage = await Stage(session, selecting: RowID("k00250"))
        #expect(stage.model.list?.selectedRow?.id == RowID("k00250"))
        #expect(stage.text.contains("k00250"))
    }

    @Test func failedOpenShowsANoticeAndKeepsTheSession() async throws {
        let stage = try await stage()
        await stage.press(":")
        await stage.type("open nope")
        await stage.press("Enter")
        #expect(stage.lines[23].contains("open: "))
        #expect(!stage.requests.contains { if case .leave = $0 { true } else { false } })
        #expect(stage.model.list?.rows.count == 4)
    }

    @Test func unknownFieldIsNamedInFullAtAnyWidth() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()), columns: 44)
        await stage.press("f")
        await stage.type("agee<10m")
        let text = stage.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(text.contains("unknown field “agee” (available: device, key, value);"))
    }

    @Test func differencesBetweenInstantsAreListed() async throws {
        let stage = try await stage()
        await stage.press(":")
        await stage.type("diff -10m now")
        await stage.press("Enter")
        #expect(stage.model.breadcrumb == "Keys › Differences")
        #expect(stage.model.list?.total == 0)
    }
}
