import Foundation
import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

/// The values of a column by frequency.
@Suite struct FrequencyTests {
    private func stage() async throws -> Stage {
        let keys = FakeSource(
            "Keys",
            try ["a", "b", "c", "d", "e"].map { name in
                try Sample.entry(
                    name, name < "c" ? "say \"hi\"" : name < "e" ? "milk, eggs" : "",
                    device: name == "a" ? "mac" : "ipad")
            })
        return await Stage(try Sample.session(keys: keys))
    }

    private func values(_ stage: Stage) -> [[String]] {
        stage.model.list?.rows.map { row in row.cells.prefix(3).map(\.text) } ?? []
    }

    private func names(_ stage: Stage) -> [String] {
        stage.model.list?.rows.map(\.id.name) ?? []
    }

    @Test func valuesAreListedAndEnterFiltersByOne() async throws {
        let stage = try await stage()
        await stage.press(":")
        await stage.type("frequency device")
        await stage.press("Enter")
        #expect(values(stage) == [["ipad", "4", "80.0%"], ["mac", "1", "20.0%"]])
        #expect(stage.text.contains("Keys › device by frequency"))
        #expect(stage.text.contains("████████████████████"))
        #expect(stage.lines[23].contains("Enter filter"))
        await stage.press("j", "Enter")
        #expect(stage.model.list?.query.filter == "device=mac")
        #expect(names(stage) == ["a"])
    }

    @Test func valuesCannotHaveAlerts() async throws {
        let stage = try await stage()
        await stage.press(":")
        await stage.type("frequency device")
        await stage.press("Enter", "b")
        #expect(stage.text.contains("can't have alerts"), "\(stage.text)")
        #expect(stage.model.watching.alerts.isEmpty)
    }

    @Test func drawnColumnIsNotExported() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("values.csv")
        let source = FakeSource("Keys", [try Sample.entry("a", "milk")])
        let column = try #require(source.info.columns.first { $0.id == "device" })
        let list = try await FrequencyList(of: column, in: source, query: RowQuery())
        _ = try await RowExport.write(
            list, query: RowQuery(), as: .csv, to: path, outside: "/nowhere")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.hasPrefix("value,count,share\r\n"), "\(text)")
        #expect(!text.contains("█"))
    }

    @Test func termIsAddedToTheFilterOfTheList() async throws {
        let stage = try await stage()
        await stage.press("f")
        await stage.type("key:a|key:d|key:e")
        await stage.press("Enter", ":")
        await stage.type("frequency value")
        await stage.press("Enter")
        #expect(values(stage).map { $0[1] } == ["1", "1", "1"])
        // Equally frequent values are in the order of their texts.
        #expect(values(stage).map { $0[0] } == ["", "milk, eggs", "say \"hi\""])
        await stage.press("j", "Enter")
        #expect(stage.model.list?.query.filter == "(key:a|key:d|key:e) value=\"milk, eggs\"")
        #expect(names(stage) == ["d"])
    }

    @Test func backReturnsFromAValueToTheListOfValues() async throws {
        let stage = try await stage()
        for column in ["device", "value"] {
            await stage.press(":")
            await stage.type("frequency \(column)")
            await stage.press("Enter", "j", "Enter")
        }
        #expect(stage.model.list?.latestQuery.filter.hasPrefix("device=mac value") == true)
        await stage.press("Backspace")
        #expect(stage.text.contains("Keys › value by frequency"))
        await stage.press("Backspace")
        #expect(stage.model.list?.query.filter == "device=mac")
        await stage.press("Backspace")
        #expect(stage.text.contains("Keys › device by frequency"))
        // The value stays selected.
        #expect(stage.model.list?.cursor == 1)
        await stage.press("Backspace")
        #expect(stage.model.list?.query.filter == "" && names(stage).count == 5)
        #expect(stage.model.pane?.lists.count == 1)
    }

    @Test func changedFilterDoesNotLeadToTheListOfValues() async throws {
        let stage = try await stage()
        await stage.press(":")
        await stage.type("frequency device")
        await stage.press("Enter", "Enter", "f")
        await stage.type(" key:a")
        await stage.press("Enter", "Backspace")
        #expect(stage.model.pane?.lists.count == 1)
        #expect(stage.model.list?.query.filter == "")
    }

    @Test func columnIsChosenInTheMenuOfColumns() async throws {
        let stage = try await stage()
        await stage.press("K", "j", "j", "Enter")
        #expect(stage.text.contains("Values by frequency"))
        let action = try #require(Action.named("frequency"))
        await stage.press("Esc", "Esc")
        await stage.perform(action, .init(argument: ""))
        await stage.press("j", "j", "Enter")
        #expect(values(stage).map { $0[1] } == ["2", "2", "1"])
        await stage.press("Esc")
        #expect(names(stage).count == 5)
    }

    @Test func countingCanBeCanceled() async throws {
        let stage = try await stage()
        var model = stage.model
        let action = try #require(Action.named("frequency"))
        let effects = model.perform(action, .init(argument: "device"))
        guard case .frequency(let id, _, _, _)? = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(update(&model, .input(.key(Key(.escape)))).contains(.cancel(id)))
        #expect(model.requests.background == nil)
    }

    @Test func unknownColumnIsNamed() async throws {
        let stage = try await stage()
        let action = try #require(Action.named("frequency"))
        await stage.perform(action, .init(argument: "color"))
        #expect(stage.model.notice?.text.contains("“color”") == true)
    }
}
