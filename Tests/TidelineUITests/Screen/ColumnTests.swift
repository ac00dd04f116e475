import EntityStore
import Foundation
import Replication
import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

/// Hiding, freezing and resizing the columns of a list, and showing numbers as dates.
@Suite struct ColumnTests {
    private let keys: FakeSource

    init() throws {
        keys = FakeSource("Keys", try Sample.notes().entries, hasNumbers: true)
    }

    private func stage(_ view: StoreView? = nil) async throws -> Stage {
        await Stage(try Sample.session(keys: keys), columns: 44, view: view)
    }

    private func titles(_ stage: Stage) -> [String] {
        guard let list = stage.model.list else { return [] }
        let width = stage.model.layout.inner(.list)?.columns ?? 0
        return list.spans(width: width).map { list.source.columns[$0.index].id }
    }

    /// Reopens the screen with the saved view.
    private func reopened(_ stage: Stage) async throws -> Stage {
        let data = try JSONEncoder().encode(stage.model.view)
        return try await self.stage(try JSONDecoder().decode(StoreView.self, from: data))
    }

    @Test func narrowestColumnShowsTheSortArrow() async throws {
        let stage = await Stage(try Sample.session(keys: keys), columns: 120)
        stage.model.navigation.list?.query.sort = RowQuery.Sort(column: "age", isDescending: true)
        #expect(stage.text.contains("AGE▼"))
        stage.model.navigation.list?.query.sort = RowQuery.Sort(
            column: "device", isDescending: false)
        #expect(stage.text.contains("DEVICE ▲"))
    }

    @Test func unknownColumnErrorListsTheColumns() async throws {
        let stage = try await stage()
        await stage.press(":")
        await stage.type("column color hide")
        await stage.press("Enter")
        let text = stage.model.notice?.text ?? ""
        #expect(text.contains("“color”; choose one of "), "\(text)")
    }

    @Test func columnNameWithASpaceIsAccepted() async throws {
        let stage = try await stage()
        stage.model.navigation.list?.source.info.columns[1] = Column(
            "first name", "FIRST NAME", minimumWidth: 8)
        await stage.press(":")
        await stage.type("column first name hide")
        await stage.press("Enter")
        #expect(titles(stage).prefix(2) == ["key", "value"])
        await stage.press(":")
        await stage.type("column first name")
        await stage.press("Enter")
        let text = stage.model.notice?.text ?? ""
        #expect(text.hasSuffix(" :column first name hide"), "\(text)")
    }

    @Test func hiddenColumnStaysHiddenUntilShownAgain() async throws {
        let stage = try await stage()
        #expect(titles(stage).prefix(2) == ["key", "type"])
        await stage.press("K")
        #expect(stage.text.contains("Columns") && stage.text.contains("frozen"))
        await stage.press("2")
        #expect(stage.text.contains("Hide"))
        await stage.press("1")
        #expect(titles(stage).prefix(2) == ["key", "value"])
        let again = try await reopened(stage)
        #expect(titles(again).prefix(2) == ["key", "value"])
        // The hidden column is the last one in the menu and marked as hidden.
        await again.press("K", "5")
        #expect(again.text.contains("Show"))
        await again.press("1")
        #expect(titles(again).prefix(2) == ["key", "type"])
    }

    @Test(arguments: ["E", "0"])
    func onlyTheListHasColumns(_ panel: String) async throws {
        let stage = try await stage()
        await stage.press(panel, "K")
        #expect(stage.model.overlay == nil && stage.model.panels.focus != .list)
        #expect(stage.model.notice?.text.contains("no columns") == true)
        // The first key closes the message.
        await stage.press("Esc", "Esc", "K")
        #expect(stage.model.overlay?.module is Menu, "\(stage.text)")
    }

    @Test func spaceTogglesAColumnInTheColumnMenu() async throws {
        let stage = try await stage()
        await stage.press("K")
        #expect(stage.lines.last?.contains("Space show") == true)
        await stage.press("j", "Space")
        #expect(titles(stage).prefix(2) == ["key", "value"])
        // The list of columns stays open, in the same order.
        let line = try #require(stage.lines.first { $0.contains("hidden") })
        #expect(line.contains("2 Type"))
        await stage.press("Space")
        #expect(titles(stage).prefix(2) == ["key", "type"])
        #expect(!stage.text.contains("hidden"))
        // The last column can't be hidden.
        await stage.press("Space", "j", "Space", "j", "Space", "j", "Space", "Home", "Space")
        #expect(titles(stage) == ["key"] && stage.text.contains("is the only column"))
        await stage.press("?")
        #expect(stage.text.contains("Show or hide the"))
        await stage.press("Esc", "Esc", "o", "Space")
        #expect(stage.text.contains("can be shown or hidden"))
        await stage.press("?")
        #expect(!stage.text.contains("Show or hide the"))
    }

    @Test func escapeReturnsToTheColumnMenu() async throws {
        let stage = try await stage()
        await stage.press("K", "2", "3")
        #expect(stage.text.contains("Wider"))
        await stage.press("Esc")
        #expect(stage.lines.contains { $0.contains("2 Type") && $0.contains("width 12") })
        #expect(stage.lines.last?.contains("Space show") == true)
        await stage.press("Esc")
        #expect(stage.model.overlay == nil)
    }

    @Test func hiddenColumnIsNotFrozen() async throws {
        let stage = try await stage()
        await stage.press("K", "Down", "Space", "Esc")
        let column = try #require(Action.named("column"))
        for change in ["freeze", "unfreeze"] {
            await stage.perform(column, .init(argument: "type \(change)"))
            #expect(stage.model.notice?.text == "Type is hidden; show it first")
            #expect(stage.model.list?.frozenCount == 1)
        }
    }

    @Test func longPathsAreCutAtTheirStart() async throws {
        let path = "Devices/" + String(repeating: "folder/", count: 12) + "Logs.db"
        let keys = FakeSource(
            "Keys", [try Sample.entry(path, "1"), try Sample.entry("short", "2")],
            columns: [Column("key", "Key", minimumWidth: 14, keepsEnd: true)]
                + FakeSource.columns.dropFirst())
        let stage = await Stage(try Sample.session(keys: keys), columns: 80, rows: 24)
        let line = try #require(stage.lines.first { $0.contains("/Logs.db ") })
        #expect(line.contains("…") && !line.contains("Devices"))
        #expect(stage.lines.contains { $0.hasPrefix("  short ") })
    }

    @Test func frozenColumnsStayDuringScrolling() async throws {
        let stage = try await stage()
        // The first column is frozen from the start.
        await stage.press("L")
        #expect(titles(stage).prefix(2) == ["key", "value"])
        await stage.press("L")
        #expect(titles(stage).prefix(2) == ["key", "device"])
        await stage.press("H", "H")
        #expect(titles(stage).prefix(2) == ["key", "type"])
        await stage.press("K", "2")
        #expect(stage.text.contains("Freeze columns up to here"))
        await stage.press("2", "L")
        #expect(titles(stage).prefix(3) == ["key", "type", "device"])
        let again = try await reopened(stage)
        await again.press("L")
        #expect(titles(again).prefix(3) == ["key", "type", "device"])
        await again.press("K", "1", "2")
        await again.press("L")
        #expect(titles(again).first == "type")
    }

    /// The table of a type's entities has properties as columns.
    @Test(.timeLimit(.minutes(30)))
    func propertyColumnsFitTheirValues() async throws {
        let folder = try TemporaryFolder()
        let package = try StorePackage(creating: folder.appending("Notes.store"))
        let store = try await EntityStore.open(package, device: DeviceID("ann"))
        let title = "A small and angry planet"
        try await store.add([
            (.new("book", identifier: "b1"), ["name": "B1", "title": "Foundation", "year": 1951]),
            (
                .new("book", identifier: "b2"),
                ["name": "B2", "title": .string(title), "year": 2014]
            ),
        ])
        await store.close()
        let session = try StoreOpener(device: try DeviceID("ann")).open(package.path)
        let stage = await Stage(session, pane: "types", columns: 120)
        // Entities may load after the other panes.
        try await wait {
            await stage.settle()
            return stage.model.pane?.id.name == "types" && stage.model.list?.selectedRow != nil
        }
        await stage.press("Enter")
        let line = try #require(stage.lines.first { $0.contains("2014") })
        #expect(line.contains(title), "\(line)")
        let list = try #require(stage.model.list)
        let width = stage.model.layout.inner(.list)?.columns ?? 0
        let sizes = list.spans(width: width).reduce(into: [String: Int]()) {
            $0[list.source.columns[$1.index].id] = $1.range.count
        }
        #expect(sizes["p:title"] == title.count && sizes["p:year"] == 4, "\(sizes)")
        let alignments = ["p:title", "p:year"].map { id in
            list.source.columns.first { $0.id == id }?.alignment
        }
        #expect(alignments == [.leading, .trailing])
        await session.close()
    }

    @Test func columnIsWidenedNarrowedAndReset() async throws {
        func width(_ stage: Stage) -> Int? {
            guard let list = stage.model.list else { return nil }
            let width = stage.model.layout.inner(.list)?.columns ?? 0
            return list.spans(width: width).first {
                list.source.columns[$0.index].id == "type"
            }?.range.count
        }
        let stage = try await stage()
        #expect(width(stage) == 8)
        // The menu stays open for repeated changes.
        await stage.press("K", "2", "3", "3")
        #expect(width(stage) == 16 && stage.text.contains("width 16"))
        await stage.press("4", "Esc")
        #expect(width(stage) == 12)
        let again = try await reopened(stage)
        #expect(width(again) == 12)
        await again.press("K", "2", "5")
        #expect(width(again) == 8)
        // The command names the column.
        await again.perform(
            try #require(Action.named("column")), .init(argument: "type 11"))
        #expect(width(again) == 11)
        await again.perform(
            try #require(Action.named("column")), .init(argument: "type sideways"))
        #expect(again.text.contains("column needs a name"))
    }

    @Test(.timeLimit(.minutes(30)))
    func numberFormatIsSavedPerColumn() async throws {
        let stage = try await stage()
        await stage.press("K", "3")
        #expect(stage.text.contains("Number format"))
        await stage.press("6")
        #expect(stage.text.contains("Unix seconds"))
        await stage.press("2")
        try await wait { keys.info.formsOfColumns == ["value": "unix"] }
        #expect(
            stage.model.view.columns?.first { $0.key.hasSuffix("/Keys") }?.value.forms
                == ["value": "unix"])
        // A text column has no number formats.
        await stage.perform(
            try #require(Action.named("column")), .init(argument: "device unix"))
        #expect(stage.text.contains("number formats"))
    }

    @Test func headingCountsColumnsThatDoNotFit() async throws {
        let stage = try await stage()
        #expect(titles(stage) == ["key", "type", "value"])
        let heading = try #require(stage.lines.first { $0.contains("KEY") })
        #expect(heading.contains(" L: 2 more"), "\(heading)")
        await stage.press("L")
        await stage.press("L")
        #expect(!stage.text.contains("2 more"))
        let wide = await Stage(try Sample.session(keys: try Sample.notes()))
        #expect(!wide.text.contains("more columns"))
    }

    @Test func everyListScrollsByColumnsFirst() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("Demo.store")
        try await DemoStore().build(at: path)
        let session = try await ActionModeTests.open(path)
        // Types › book has more columns than fit.
        let stage = await Stage(session, pane: "types", rows: 20)
        await stage.press("Enter")
        let before = titles(stage)
        #expect(stage.lines.contains { $0.contains(/L: \d+ more|\+\d/) }, "\(stage.text)")
        // A note before the last title is in parentheses.
        #expect(!stage.lines[1].contains(/more( columns?)? [A-Z]/), "\(stage.lines[1])")
        await stage.press("L")
        #expect(titles(stage).first == before.first && titles(stage)[1] == before[2])
        for _ in 0..<40 { await stage.press("L") }
        #expect(!stage.lines[1].contains("+"))
        let all = try #require(stage.model.list?.source.columns)
        #expect(titles(stage).last == all.last?.id)
        for _ in 0..<80 { await stage.press("H") }
        #expect(titles(stage) == before)
        #expect(stage.text.contains("first column"))
        await session.close()
    }

    @Test func hiddenColumnCountDoesNotCoverATitle() async throws {
        var counted = 0
        for columns in stride(from: 36, to: 100, by: 2) {
            let stage = await Stage(
                try Sample.session(keys: try Sample.notes()), columns: columns)
            let list = try #require(stage.model.list)
            let width = try #require(stage.model.layout.inner(.list)).columns
            let heading = try #require(stage.lines.first { $0.contains("KEY") })
            for span in list.spans(width: width) {
                let title = list.source.columns[span.index].title.uppercased()
                guard title.count <= span.range.count else { continue }
                #expect(heading.contains(title), "\(columns): \(heading)")
            }
            if heading.contains(" +") || heading.contains("L: ") { counted += 1 }
        }
        #expect(counted > 8)
    }
}
