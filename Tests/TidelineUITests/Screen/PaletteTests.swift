import Automerge
import Foundation
import Replication
import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

/// Fuzzy search for rows, stores and actions in the palette.
@Suite struct PaletteTests {
    private func palette(_ stage: Stage) throws -> CommandPalette {
        guard let palette = stage.model.overlay?.module as? CommandPalette else {
            throw RequestFailure(.other, "the palette is closed")
        }
        return palette
    }

    private func names(_ stage: Stage) throws -> [String] {
        stage.model.paletteItems(try palette(stage)).map {
            switch $0 {
            case .action(let match): ":" + match.action.name
            case .place(let place): place.name
            }
        }
    }

    @Test func rowIsFoundFuzzilyAndSelected() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes(), log: try Sample.many(3)), pane: "log")
        await stage.press(":")
        await stage.type("2tit")
        #expect(try names(stage).first == "note/2/title")
        #expect(stage.text.contains("note/2/title") && stage.text.contains("Keys"))
        await stage.press("Enter")
        #expect(stage.model.overlay == nil)
        #expect(stage.model.pane?.id == .keys)
        #expect(stage.model.list?.cursorID == RowID("note/2/title"))
        await stage.press("Esc")
        #expect(stage.model.pane?.id == .log)
    }

    @Test func searchThatHelpCanceledIsRepeated() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press(":")
        for letter in "2tit" { stage.take(.input(.key(.character(letter)))) }
        stage.take(.input(.key(Key(.function(1)))))
        #expect(stage.model.overlay?.module is Help)
        await stage.settle()
        await stage.press("Esc")
        #expect(try names(stage).first == "note/2/title")
    }

    @Test func pageKeysScrollThePalette() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press(":", "PgDn")
        #expect(try palette(stage).cursor == 10)
        let last = try names(stage).count - 1
        for _ in 0...last / 10 { await stage.press("PgDn") }
        #expect(try palette(stage).cursor == last)
        await stage.press("PgUp")
        #expect(try palette(stage).cursor == last - 10)
    }

    @Test func substringsRankBeforeScatteredLetters() {
        func score(_ name: String, _ text: String) -> Int {
            PaletteName(name).score(of: Array(text)) ?? .max
        }
        #expect(score("trip/lisbon/title", "tit") < score("Entities", "tit"))
        #expect(score("Entities", "tit") < score("theme-in-test", "tit"))
        // A match in a title ranks below a match of a whole name, but above scattered letters.
        #expect(score("Go to the top", "top") + 20 < score("take-or-put", "top"))
        #expect(score("title", "tit") < score("trip/title", "tit"))
    }

    @Test func matchingRowsRankBeforeScatteredActions() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press(":")
        await stage.type("titl")
        let names = try names(stage)
        let rows = names.indices.filter { names[$0].hasSuffix("/title") }
        #expect(rows == [0, 1], "\(names)")
    }

    @Test func enterBeforeTheAnswerWaitsForIt() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.many(1_000)))
        await stage.press(":")
        for character in "k00777" { stage.take(.input(.key(.character(character)))) }
        stage.take(.input(.key(Key(.enter))))
        stage.take(.input(.key(.character("j"))))
        await stage.settle()
        #expect(stage.model.overlay == nil)
        #expect(stage.model.list?.cursorID == RowID("k00778"))
    }

    @Test func onlyTheNewestTextIsSearched() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.many(1_000)))
        await stage.press(":")
        for character in "k00777" { stage.take(.input(.key(.character(character)))) }
        let asked = stage.effects.compactMap { effect in
            if case .places(let id, _, _, _) = effect { id } else { nil }
        }
        let given = stage.effects.compactMap { effect in
            if case .cancel(let id) = effect { id } else { nil }
        }
        #expect(asked.count == 6 && given == asked.dropLast())
        stage.take(.input(.key(Key(.escape))))
        #expect(stage.model.requests.places == nil)
        #expect(stage.effects.last == .cancel(try #require(asked.last)))
    }

    @Test func listsComputedOnDemandAreNotSearched() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "keys")
        #expect(stage.model.navigation.panes.contains { $0.id == .problems })
        await stage.press(":")
        await stage.type("note")
        let asked = stage.effects.flatMap { effect in
            if case .places(_, let lists, _, _) = effect { lists.map(\.pane) } else { [String]() }
        }
        #expect(asked.contains(PaneID.keys.text))
        #expect(!asked.contains(PaneID.problems.text))
        await session.close()
    }

    @Test func serverIsFoundByNameAndSelected() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "keys")
        await stage.press(":")
        await stage.type("acme-de#2")
        #expect(try names(stage).first == "ACME-DE#2")
        await stage.press("Enter")
        #expect(stage.model.overlay == nil)
        #expect(stage.model.pane?.id.name == "servers" && stage.model.pane?.lists.count == 2)
        #expect(stage.model.list?.selectedRow?.cells.first?.text == "ACME-DE#2")
        // Its country is still found.
        await stage.press("Esc", ":")
        await stage.type("germany")
        #expect(try names(stage).contains("Germany"))
        // The choice is still listed as recent after reopening the store.
        let view = try #require(stage.model.changedView)
        let again = await Stage(session, pane: "keys", view: view)
        await again.press(":")
        #expect(try names(again).first == "ACME-DE#2")
        await again.press("Enter")
        #expect(again.model.list?.selectedRow?.cells.first?.text == "ACME-DE#2")
        await session.close()
    }

    @Test func entityNamesAreNotTruncatedInASmallWindow() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "entities")
        let list = try #require(stage.model.list)
        let width = try #require(stage.model.layout.inner(.list)).columns
        let longest = list.rows.compactMap { $0.cells.first?.text.count }.max() ?? 0
        let spans = list.spans(width: width)
        #expect(spans[0].range.count >= min(longest, 20))
        #expect(spans.contains { list.source.columns[$0.index].id == "identifier" })
        await session.close()
    }

    @Test func chosenEntryIsSavedAsRecent() async throws {
        let session = try Sample.session(keys: try Sample.notes())
        let stage = await Stage(session)
        await stage.press(":")
        await stage.type("body")
        await stage.press("Enter", ":")
        #expect(try names(stage).first == "note/2/body")
        await stage.type("note")
        #expect(try names(stage).first == "note/2/body")
        let view = try #require(stage.model.changedView)
        let again = await Stage(session, view: view)
        #expect(again.model.changedView == nil)
        await again.press(":")
        #expect(try names(again).first == "note/2/body")
    }

    @Test func commonActionsAreOfferedLast() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        let names = stage.model.paletteMatches(for: "").map(\.action.name)
        let first = try #require(names.firstIndex(of: "down"))
        #expect(names[first...].contains("pane-9") && !names[first...].contains("filter"))
        #expect(names[..<first].contains("export") && names.first == "search")
        await stage.press(":")
        #expect(stage.text.contains("↓\(names.count - 15)"), "more entries are counted")
    }

    @Test func filterThatHidesTheTargetRowIsCleared() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press("fbody", "Enter", ":")
        await stage.type("due")
        await stage.press("Enter")
        #expect(stage.model.list?.query.filter == "")
        #expect(stage.model.list?.cursorID == RowID("note/1/due"))
    }

    @Test func timeTravelSearchFindsRowsOfThatInstant() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press("t", "Left", ":")
        await stage.type("due")
        let instant = try #require(stage.model.instant)
        guard
            case .places(_, _, "due", instant)? = stage.effects.last(where: { effect in
                if case .places = effect { true } else { false }
            })
        else {
            Issue.record("no search at that instant was requested")
            return
        }
        await stage.press("Enter")
        #expect(stage.model.instant == instant)
        #expect(stage.model.list?.cursorID == RowID("note/1/due"))
    }

    @Test func actionsRankBeforeEquallyGoodRows() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press(":")
        await stage.type("undo")
        #expect(try names(stage).first == ":undo")
        await stage.press("^u")
        await stage.type("nothing at all")
        await stage.press("Enter")
        #expect(stage.text.contains("nothing at all: "))
    }

    @Test func recentStoresAreOffered() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()),
            recentStores: ["/stores/notes.store", "/stores/old/Plans.store"])
        await stage.press(":")
        await stage.type("plans")
        #expect(try names(stage).first == "Plans.store")
        #expect(stage.text.contains("store in /stores/old"))
        stage.take(.input(.key(Key(.enter))))
        let isOpened = stage.effects.contains { effect in
            if case .openStore(_, "/stores/old/Plans.store") = effect { true } else { false }
        }
        #expect(isOpened)
    }

    private func nearby(_ paths: [String]) -> NearbyPaths {
        NearbyPaths(inFolder: paths.map { NearbyPaths.Entry(path: $0, place: $0) })
    }

    /// Answers the newest request for the contents of a folder and returns that folder.
    private func answer(_ stage: Stage, _ paths: [String]) -> String? {
        for effect in stage.effects.reversed() {
            guard case .nearby(let id, let folder, _) = effect else { continue }
            stage.take(.nearby(id, .success(nearby(paths))))
            return folder
        }
        return nil
    }

    @Test func pathCompletionGoesFolderByFolder() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), recentStores: ["/stores/old/Plans.store"])
        await stage.press(":")
        await stage.type("open /data/no")
        #expect(answer(stage, ["/data/notes/", "/data/Old.store"]) == "/data/")
        #expect(stage.text.contains("open /data/notes/"))
        await stage.press("Tab")
        #expect(try palette(stage).text.text == "open /data/notes/")
        #expect(answer(stage, ["/data/notes/Team.store"]) == "/data/notes/")
        await stage.press("Tab")
        #expect(try palette(stage).text.text == "open /data/notes/Team.store")
        await stage.press("Enter")
        let isOpened = stage.effects.contains { effect in
            if case .openStore(_, "/data/notes/Team.store") = effect { true } else { false }
        }
        #expect(isOpened)
    }

    @Test func pathIsCompletedOnceItsFolderIsLoaded() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press(":")
        for key in "open /data/no" { stage.take(.input(.key(.character(key)))) }
        stage.take(.input(.key(Key(.tab))))
        #expect(stage.text.contains("still reading /data/"))
        #expect(try palette(stage).text.text == "open /data/no")
        #expect(answer(stage, ["/data/notes/", "/data/Old.store"]) == "/data/")
        #expect(try palette(stage).text.text == "open /data/notes/")
        #expect(!stage.text.contains("still reading"))
        // Without a match, Tab reports that. Text typed in the meantime is not completed.
        stage.take(.input(.key(Key(.tab))))
        #expect(answer(stage, []) == "/data/notes/")
        #expect(stage.text.contains("nothing to complete"))
        for key in "x/" { stage.take(.input(.key(.character(key)))) }
        stage.take(.input(.key(Key(.tab))))
        stage.take(.input(.key(.character("y"))))
        #expect(answer(stage, ["/data/notes/x/yes.store"]) == "/data/notes/x/")
        #expect(try palette(stage).text.text == "open /data/notes/x/y")
    }

    @Test func pathCompletionUsesOnlyPrefixes() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), recentStores: ["/deep/a/x/de/Notes"])
        await stage.press(":")
        for key in "open /d/x/de" { stage.take(.input(.key(.character(key)))) }
        stage.take(.input(.key(Key(.tab))))
        #expect(try palette(stage).text.text == "open /d/x/de")
        #expect(answer(stage, ["/d/x/aide/", "/d/x/demo/"]) == "/d/x/")
        #expect(try palette(stage).text.text == "open /d/x/demo/")
    }

    @Test func folderCompletionSkipsTheOpenStore() async throws {
        let session = try Sample.session(keys: try Sample.notes())
        let stage = await Stage(session, recentStores: [session.path, "/d/x/old"])
        await stage.press(":")
        for key in "open /d/x/" { stage.take(.input(.key(.character(key)))) }
        _ = answer(stage, [stage.model.session.path, "/d/x/a.store", "/d/x/b/", "/d/x/c.store"])
        let choices = stage.model.paletteMatches(
            for: "open ", nearby: try palette(stage).nearby.paths
        ).compactMap(\.choice)
        #expect(choices.contains("/d/x/old") && !choices.contains(stage.model.session.path))
        for path in ["/d/x/a.store", "/d/x/b/", "/d/x/c.store", "/d/x/a.store"] {
            stage.take(.input(.key(Key(.tab))))
            #expect(try palette(stage).text.text == "open \(path)")
        }
        stage.take(.input(.key(Key(.tab))))
        stage.take(.input(.key(.character("e"))))
        _ = answer(stage, ["/d/x/b/early.store"])
        stage.take(.input(.key(Key(.tab))))
        #expect(try palette(stage).text.text == "open /d/x/b/early.store")
    }

    @Test func exportAndColumnOfferTheirArguments() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        func choices(_ text: String) -> [String] {
            stage.model.paletteMatches(for: text).compactMap(\.choice)
        }
        #expect(
            choices("export ") == [
                "json keys.json", "jsonl keys.jsonl", "csv keys.csv", "tsv keys.tsv",
                "sql keys.sql",
            ])
        #expect(choices("column ").prefix(2) == ["key hide", "type hide"])
        await stage.press(":")
        await stage.type("column type hide")
        await stage.press("Enter")
        #expect(choices("column ty") == ["type show"])
        await stage.press(":")
        for key in "export cs" { stage.take(.input(.key(.character(key)))) }
        stage.take(.input(.key(Key(.tab))))
        #expect(try palette(stage).text.text == "export csv keys.csv")
    }

    @Test func openingAnOpenStoreSwitchesToIt() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()),
            stores: Model.Stores(["/d/a", "/d/b", "/d/c"], shown: 1))
        func open(_ path: String) async {
            await stage.press(":")
            await stage.type("open \(path)")
            stage.take(.input(.key(Key(.enter))))
            guard
                case .openStore(let id, _)? = stage.effects.last(where: {
                    if case .openStore = $0 { true } else { false }
                })
            else { return }
            stage.take(.storeOpened(id, .success(path)))
        }
        await open("/d/b")
        #expect(stage.requests.isEmpty)
        #expect(stage.model.notice?.text.hasPrefix("/d/b ") == true)
        await open("/d/c")
        #expect(stage.requests == [.leave(.show(by: 1))])
    }

    @Test func neighboringStoresAreOffered() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press(":")
        for character in "archi" { stage.take(.input(.key(.character(character)))) }
        #expect(
            answer(stage, ["/data/Archive.store", "/data/archives/", stage.model.session.path])
                != nil)
        #expect(try names(stage).contains("Archive.store"))
        #expect(try !names(stage).contains("archives"))
        // An answer to an outdated request changes nothing.
        stage.take(.nearby(RequestID(1_000_000), .success(nearby(["/data/archivist.store"]))))
        #expect(try !names(stage).contains("archivist.store"))
    }

    @Test func storeWithSeveralNamesIsListedOnce() async throws {
        let folder = try TemporaryFolder()
        let store = folder.appending("Notes.store")
        for name in ["Notes.store", "sub"] {
            try FileManager.default.createDirectory(
                atPath: folder.appending(name), withIntermediateDirectories: true)
        }
        let file = folder.appending("any.db")
        let document = Document()
        try document.put(obj: .ROOT, key: "title", value: .String("one"))
        try document.save().write(to: URL(filePath: file))
        try FileManager.default.createSymbolicLink(
            atPath: folder.appending("link.db"), withDestinationPath: file)
        let paths = NearbyPaths(
            folder: folder.path + "/",
            others: [
                file, folder.appending("link.db"), folder.appending("sub/../any.db"), store,
                folder.path,
            ])
        #expect(
            paths.different(
                [folder.appending("link.db"), folder.appending("sub/../any.db"), file]
                    + paths.inFolder.map(\.path))
                == [
                    folder.appending("link.db"), folder.path + "/Notes.store/",
                    folder.path + "/sub/",
                ])
        #expect(paths[folder.appending("link.db")]?.kind == "automerge")
        #expect(paths[folder.appending("link.db")]?.size?.hasSuffix("B") == true)
        // A folder that isn't a store is listed too, because its stores can be opened.
        #expect(paths[store]?.kind == "folder")
        #expect(paths[folder.path]?.kind == "folder")
        #expect(paths[folder.appending("gone")] == nil)
    }

    @Test func openStoreIsNotOfferedUnderAnotherPath() async throws {
        let session = try Sample.session(keys: try Sample.notes())
        let stage = await Stage(session, recentStores: ["/real/notes.store", "/d/x/old"])
        let open = NearbyPaths.Entry(path: session.path, place: "/real/notes.store")
        let choices = stage.model.paletteMatches(
            for: "compare", nearby: NearbyPaths(known: [open])
        ).compactMap(\.choice)
        #expect(choices.contains("/d/x/old") && !choices.contains("/real/notes.store"))
    }

    @Test func storesAreListedWithKindAndSize() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()),
            recentStores: ["/data/link", "/data/gone.store"])
        await stage.press(":")
        await stage.type("open /data/")
        guard
            case .nearby(let id, _, let others)? = stage.effects.last(where: {
                if case .nearby = $0 { true } else { false }
            })
        else { throw RequestFailure(.other, "nothing was asked for") }
        #expect(others.contains("/data/link") && others.contains("/data/gone.store"))
        let real = NearbyPaths.Entry(
            path: "/data/any.db", place: "/data/any.db", kind: "tables", size: "8.2 kB")
        var link = real
        link.path = "/data/link"
        let package = NearbyPaths.Entry(
            path: "/data/Notes.store", place: "/data/Notes.store", kind: "package", size: "1.5 MB")
        let gone = NearbyPaths.Entry(path: "/data/gone.store", place: "/data/gone.store")
        stage.take(
            .nearby(
                id, .success(NearbyPaths(inFolder: [real, package], known: [link, gone]))))
        let lines = stage.lines.filter { $0.contains("open /data/") && !$0.contains(":open") }
        #expect(!stage.text.contains("any.db"))
        let kinds = lines.compactMap { $0.firstRange(of: /tables|package|not found/) }
        #expect(kinds.count == 3)
        let columns = zip(lines.filter { $0.contains(/tables|package|not found/) }, kinds).map {
            $0.distance(from: $0.startIndex, to: $1.lowerBound)
        }
        #expect(Set(columns).count == 1, "\(lines)")
        #expect(
            lines.contains { $0.hasSuffix("8.2 kB│") } && lines.contains { $0.hasSuffix("1.5 MB│") }
        )
    }

    @Test func truncatedPaletteTextIsMarked() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press(":")
        await stage.type("alert")
        #expect(
            stage.text.contains(
                "alert [NAME*, value>9 or device:NAME]  Alert on changes of the selection"))
        let titles = stage.lines.compactMap { line in
            line.firstRange(of: "Alert on").map {
                line.distance(from: line.startIndex, to: $0.lowerBound)
            }
        }
        #expect(titles.count >= 2 && Set(titles).count == 1)
    }

    @Test func matchInAGroupLeadsToTheRowInside() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "keys")
        await stage.press(":")
        await stage.type("-us#1")
        let items = stage.model.paletteItems(try palette(stage))
        let index = try #require(
            items.firstIndex {
                if case .place(let place) = $0 { place.holds != nil } else { false }
            })
        for _ in 0..<index { await stage.press("Down") }
        await stage.press("Enter")
        #expect(stage.model.pane?.id.name == "servers" && stage.model.pane?.lists.count == 2)
        let name = stage.model.list?.selectedRow?.cells.first?.text ?? ""
        #expect(name.lowercased().contains("-us#1"), "\(name)")
        await session.close()
    }

    @Test func groupWithScatteredLettersIsNotOffered() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "servers")
        await stage.press(":")
        await stage.type("ch#")
        #expect(try !names(stage).contains("Brazil › ch#"))
        #expect(try names(stage).contains { $0.hasPrefix("CH#") })
        await session.close()
    }

    @Test func filterSyntaxIsSearchedLiterally() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press(":")
        await stage.type("note/2\"*\\")
        #expect(try palette(stage).found.count == 2)
    }

    @Test func searchIgnoresDiacritics() async throws {
        let keys = try Sample.notes()
        keys.entries[3] = try Sample.entry("trip/kyōto/title", "京都")
        let stage = await Stage(try Sample.session(keys: keys))
        await stage.press(":")
        await stage.type("kyoto")
        #expect(stage.text.contains("trip/kyōto/title"))
        #expect(PaletteName("京都 (Kyōto)").score(of: Array("kyoto")) != nil)
        #expect(PaletteName("kyoto").score(of: PaletteName.letters(of: "KYŌTO") ?? []) == 0)
    }

    @Test func listReportsTheNumberOfFurtherMatches() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.many(1_000)))
        await stage.press(":")
        await stage.type("k00")
        #expect(try palette(stage).found.count == 30)
        // The frame has the footer of all lists.
        let edge = try #require(stage.lines.last { $0.contains("└") })
        #expect(edge.contains("… and 970 more; keep typing"), "\(edge)")
        await stage.type("77")
        #expect(!stage.text.contains("more; keep typing"))
    }

    @Test func highlightedThemeIsPreviewedUntilThePaletteCloses() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), themes: ["dark", "light", "loud"],
            themeName: "light")
        func shown() -> [TerminalRequest] {
            stage.requests.filter { if case .previewTheme = $0 { true } else { false } }
        }
        await stage.press(":")
        await stage.type("theme")
        #expect(shown().isEmpty)
        await stage.press("Down", "Down")
        #expect(shown() == [.previewTheme("dark"), .previewTheme("light")])
        await stage.press("Up", "Up")
        #expect(shown().last == .previewTheme(nil))
        await stage.type(" loud")
        #expect(shown().last == .previewTheme("loud"))
        await stage.press("Esc")
        #expect(shown().last == .previewTheme(nil))
        #expect(stage.model.overlay == nil)
    }
}
