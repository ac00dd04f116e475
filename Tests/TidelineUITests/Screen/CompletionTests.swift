import Testing
import TidelineCore

@testable import TidelineUI

/// Completion of fields and values in filters.
@Suite struct CompletionTests {
    private let fields = [
        FilterField("key", example: ""), FilterField("kind", .choice(["one", "two"]), example: ""),
        FilterField("age", .age, example: ""), FilterField("a b", example: ""),
    ]

    private func words(_ text: String, values: [String] = []) -> [String] {
        let characters = Array(text)
        return FilterCompletion(of: characters, at: characters.count, fields: fields) { _ in
            values
        }?.words ?? []
    }

    @Test func fieldsAreOfferedWithTheirUsualComparison() {
        #expect(words("") == ["key:", "kind:", "age<", "\"a b\":"])
        #expect(words("k") == ["key:", "kind:"])
        #expect(words("-(ag") == ["age<"])
        #expect(words("x | KI") == ["kind:"])
        #expect(words("nothing").isEmpty)
    }

    @Test func fieldIsOfferedByItsNameOrAlias() {
        let fields = [
            FilterField("parent", example: "knowing:*ipad*", aliases: ["knowing", "cause"])
        ]
        func words(_ text: String) -> [String] {
            FilterCompletion(of: Array(text), at: text.count, fields: fields) { _ in [] }?.words
                ?? []
        }
        #expect(words("") == ["knowing:"])
        #expect(words("par") == ["parent:"])
        #expect(words("KN") == ["knowing:"])
        #expect(words("c") == ["cause:"])
        #expect(words("x").isEmpty)
    }

    @Test func fieldValuesAreQuotedIfNeeded() {
        #expect(words("kind:") == ["one", "two"])
        #expect(words("kind:T") == ["two"])
        #expect(words("kind:two").isEmpty)
        #expect(words("key:", values: ["b c", "a", "a"]) == ["\"b c\"", "a"])
        #expect(words("key:\"b", values: ["b c"]) == ["\"b c\""])
        #expect(words("age<").isEmpty && words("key~").isEmpty && words("zz:").isEmpty)
    }

    private func stage() async throws -> Stage {
        await Stage(try Sample.session(keys: try Sample.notes()))
    }

    @Test func tabCyclesThroughCompletions() async throws {
        let stage = try await stage()
        await stage.press("f")
        await stage.type("d")
        #expect(stage.lines[23].contains("device:"))
        await stage.press("Tab")
        #expect(stage.lines[22].hasPrefix("filter: device:"))
        #expect(stage.lines[23].contains("ipad  mac  server"))
        await stage.press("Tab", "Tab")
        #expect(stage.model.list?.query.filter == "device:mac")
        #expect(stage.model.list?.rows.count == 2)
        await stage.press("BackTab")
        #expect(stage.model.list?.query.filter == "device:ipad")
        await stage.type(" k")
        await stage.press("Tab", "Tab")
        // Values are completed from the rows that match the rest of the filter.
        #expect(stage.model.list?.query.filter == "device:ipad key:note/1/due")
        await stage.press("Tab")
        #expect(stage.model.list?.query.filter == "device:ipad key:note/2/body")
    }

    @Test func fieldWithoutAValueFiltersNothing() async throws {
        let stage = try await stage()
        let all = stage.model.list?.total
        await stage.press("f")
        await stage.type("zzz")
        #expect(stage.model.list?.total == 0)
        await stage.press("^u")
        await stage.type("d")
        await stage.press("Tab")
        #expect(stage.lines[22].hasPrefix("filter: device:"))
        #expect(stage.model.list?.query.filter == "" && stage.model.list?.total == all)
        // An incomplete term is not a valid filter.
        await stage.press("Enter")
        #expect(stage.lines[21].hasPrefix("filter: device:"))
        #expect(stage.lines[22].contains("^ missing value for device"), "\(stage.text)")
        // The complete terms still apply.
        await stage.press("^u")
        await stage.type("device:mac key")
        await stage.type(":")
        #expect(stage.model.list?.query.filter == "device:mac")
    }

    @Test func completionIgnoresTheUnfinishedTerm() async throws {
        let stage = try await stage()
        await stage.press("f")
        await stage.type("key:note/2")
        // No key has this name, so the filter matches nothing.
        #expect(stage.model.list?.total == 0)
        #expect(stage.lines[23].contains("note/2/body  note/2/title"))
        await stage.press("Tab")
        #expect(stage.model.list?.query.filter == "key:note/2/body")
    }

    @Test func completionsArriveBehindTheHelp() async throws {
        let stage = try await stage()
        await stage.press("f")
        for letter in "key:" { stage.take(.input(.key(.character(letter)))) }
        stage.take(.input(.key(Key(.function(1)))))
        #expect(stage.model.overlay?.module is Help)
        await stage.settle()
        stage.take(.input(.key(Key(.escape))))
        guard let prompt = stage.model.overlay?.module as? Prompt else {
            Issue.record("the filter is not there again")
            return
        }
        #expect(prompt.values?.request == nil)
        #expect(prompt.values?.found.contains("note/1/due") == true)
    }

    @Test func countriesAndCitiesOfServersAreCompleted() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "servers")
        await stage.press("f")
        await stage.type("country:Ger")
        await stage.press("Tab")
        #expect(stage.model.list?.query.filter == "country:Germany")
        let count = try #require(stage.model.list?.total)
        #expect(count > 0)
        for (typed, expected) in [
            ("entry:S", "entry:SE"), ("tier:", "tier:0"),
            ("gateway:Ac", "gateway:\"Acme Corporation\""),
        ] {
            await stage.press("Esc", "f")
            await stage.type(typed)
            #expect(
                stage.lines[23].contains(expected.split(separator: ":")[1]), "\(stage.lines[23])")
        }
        await session.close()
    }

    @Test func missingCompletionAtTheCursorIsReported() async throws {
        let stage = try await stage()
        await stage.press("f")
        await stage.type("zzz")
        await stage.press("Tab")
        #expect(stage.model.notice?.text == "nothing to complete")
        #expect(stage.lines[22].hasPrefix("filter: zzz"))
    }

    @Test func errorIsShownUnderItsWord() async throws {
        let stage = try await stage()
        await stage.press("f")
        await stage.type("milk agee<10m")
        let line = try #require(stage.lines.firstIndex { $0.hasPrefix("filter: milk agee") })
        #expect(
            stage.lines[line + 1].hasPrefix(String(repeating: " ", count: 13) + "^ unknown field"))
        #expect(stage.lines[line + 2].hasPrefix(String(repeating: " ", count: 15)))
        await stage.press("^u")
        await stage.type("zzz")
        #expect(stage.text.contains("No match in Keys: 0 of 4"))
    }
}
