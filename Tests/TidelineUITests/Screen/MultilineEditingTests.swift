import Testing
import TidelineCore

@testable import TidelineUI

/// Editing values of several lines in a box.
@Suite struct MultilineEditingTests {
    private func stage(
        _ value: String, kind: TypedText.Kind = .string, columns: Int = 80, rows: Int = 24
    ) async throws -> (Stage, FakeSource) {
        let keys = FakeSource("Keys", [try Sample.entry("a", value, kind: kind)])
        let stage = await Stage(try Sample.session(keys: keys), columns: columns, rows: rows)
        await stage.press("w", "i")
        stage.model.notice = nil
        return (stage, keys)
    }

    private func editor(_ stage: Stage) throws -> FieldEditor {
        guard let editor = stage.model.overlay?.module as? FieldEditor else {
            throw Missing(text: stage.text)
        }
        return editor
    }

    private struct Missing: Error { var text: String }

    @Test func valueWithLinesIsEditedInABox() async throws {
        let (stage, keys) = try await stage("one\ntwo\nthree")
        for line in ["one", "two", "three"] {
            #expect(stage.lines.contains { $0.contains("│\(line) ") }, "\(stage.text)")
        }
        #expect(!stage.text.contains("│one␊"))
        await stage.press("Down", "End", "!", "Enter")
        await stage.type("and a half")
        await stage.press("Home", "Up", "Up", ">", "^s")
        #expect(stage.text.contains("Write?"), "\(stage.text)")
        await stage.press("y")
        #expect(keys.entries[0].value == ">one\ntwo!\nand a half\nthree")
    }

    @Test func structuredValueIsEditedInABox() async throws {
        let (stage, keys) = try await stage("{}", kind: .json)
        await stage.press("Right", "Enter", "^End", "Enter", "^Home", "#", "PgDn", "$", "^s", "y")
        #expect(keys.entries[0].value == "#{\n}\n$")
    }

    @Test func cursorGoesToAnErrorInJSON() async throws {
        let lines = (1...40).map { #"  "k\#($0)": "é\#($0)""# } + [#"  "bad" 1"#, "}"]
        let text = "{\n" + lines.joined(separator: ",\n")
        let (stage, keys) = try await stage(text, kind: .json)
        keys.refusal = "line 42, column 9: expected a colon"
        await stage.press("^Home", "^s")
        #expect(stage.text.contains("line 42, column 9"), "\(stage.text)")
        let cursor = try #require(stage.surface.cursor)
        #expect(stage.lines[cursor.row].prefix(cursor.column).hasSuffix(#"  "bad" "#))
        let field = try editor(stage).value
        #expect(field.characters[field.cursor] == "1")
        // Other problems leave the cursor where it is.
        let (other, sound) = try await self.stage("{}", kind: .json)
        sound.refusal = "refused"
        await other.press("^End", "^s")
        #expect(try editor(other).value.cursor == 2 && other.text.contains("refused"))
    }

    @Test(arguments: [(80, 24), (40, 10), (200, 60), (24, 6)])
    func boxFitsTheScreen(_ columns: Int, _ rows: Int) async throws {
        let text = (1...90).map { "line \($0)" }.joined(separator: "\n")
        let (stage, _) = try await stage(text, columns: columns, rows: rows)
        /// Whether a line of the box has this text.
        func shows(_ text: String) -> Bool {
            stage.lines.contains { $0.contains("\(columns > 40 ? "││" : "│")\(text) ") }
        }
        #expect(shows("line 1") && !shows("line 90"))
        await stage.press("^End")
        #expect(shows("line 90") && !shows("line 1"))
        let cursor = try #require(stage.surface.cursor)
        #expect(stage.lines[cursor.row].prefix(cursor.column).hasSuffix("line 90"))
        for _ in 1..<90 { await stage.press("Up") }
        #expect(shows("line 1"), "\(stage.text)")
        await stage.press("PgDn")
        #expect(try editor(stage).value.cursor > 6)
        if rows >= 10 {
            #expect(stage.lines[rows - 1].contains("^s preview"), "\(stage.text)")
            #expect(stage.lines[rows - 1].contains("Esc cancel"), "\(stage.text)")
        }
    }

    @Test func longLinesAreWrapped() async throws {
        let (stage, _) = try await stage(
            "a\n" + String(repeating: "word ", count: 12) + "end", columns: 40, rows: 14)
        #expect(stage.text.contains("end"), "\(stage.text)")
        await stage.press("Down", "Down")
        await stage.type("X")
        #expect(stage.lines.contains { $0.contains("Xword") }, "\(stage.text)")
    }

    @Test func pastedLinesOpenTheEditBox() async throws {
        let (stage, keys) = try await stage("one")
        #expect(stage.lines.contains { $0.contains("[one ") }, "\(stage.text)")
        await stage.send(.input(.paste(" and\r\ntwo\rthree")))
        #expect(stage.lines.contains { $0.contains("│two ") }, "\(stage.text)")
        await stage.press("^s", "y")
        #expect(keys.entries[0].value == "one and\ntwo\nthree")
    }

    @Test(arguments: ["M-Enter", "^j"])
    func keyStartsALineInAnyText(_ key: String) async throws {
        let (stage, keys) = try await stage("one")
        await stage.press(key)
        await stage.type("two")
        await stage.press("^s", "y")
        #expect(keys.entries[0].value == "one\ntwo")
    }

    @Test func canceledPreviewReturnsToTheText() async throws {
        let (stage, keys) = try await stage("one\ntwo")
        await stage.type("0")
        await stage.press("^s", "Esc")
        #expect(try editor(stage).value.text == "0one\ntwo")
        await stage.press("Esc")
        #expect(stage.model.overlay == nil && keys.writes == 0)
    }

    @Test func upMovesFromTheFirstLineToTheName() async throws {
        let (stage, _) = try await stage("one")
        await stage.press("Esc", "a")
        await stage.type("new")
        await stage.press("Enter")
        await stage.send(.input(.paste("1\n2")))
        await stage.press("Up")
        #expect(try editor(stage).part == .value)
        await stage.press("Up")
        #expect(try editor(stage).part == .name)
        await stage.press("Down")
        #expect(try editor(stage).part == .value)
    }

    @Test func longTypedTextIsDiscardedOnlyAfterAQuestion() async throws {
        let (stage, _) = try await stage("short")
        await stage.type("er")
        await stage.press("Esc")
        #expect(stage.model.overlay == nil)
        await stage.press("i")
        await stage.send(.input(.paste(String(repeating: "long ", count: 40))))
        await stage.press("Esc")
        #expect(stage.text.contains("the typed text will be lost"), "\(stage.text)")
        // After more typing, Esc asks again.
        await stage.press("!", "Esc")
        #expect(try editor(stage).value.text.hasSuffix("!"))
        await stage.press("Esc")
        #expect(stage.model.overlay == nil)
    }

    @Test func cursorKeepsItsColumnAcrossShortLines() {
        var field = TextField("four\nab\n日本語文")
        /// Returns the cursor after a move by lines; `nil` if there is no such line.
        func moved(by lines: Int) -> Int? {
            field.move(byLines: lines, columns: 20) ? field.cursor : nil
        }
        #expect(field.lines(columns: 20) == [0..<4, 5..<7, 8..<12])
        #expect(field.cursor == 12)
        let places = [-1, -1, -1, 2, 1].map(moved(by:))
        #expect(places == [7, 4, nil, 12, nil])
        // Wide characters take two columns, and one column is left for the cursor.
        #expect(field.lines(columns: 5) == [0..<4, 5..<7, 8..<10, 10..<12])
    }

    @Test func lineKeysStayInTheirLine() {
        var field = TextField("one\ntwo\nthree")
        field.moveToEnd(isLast: false)
        let isMoved = field.move(byLines: 1, columns: 20)
        field.apply(.end)
        #expect(isMoved && field.cursor == 7)
        field.apply(.eraseToStart)
        #expect(field.text == "one\n\nthree")
        field.apply(.eraseToEnd)
        #expect(field.text == "one\nthree")
    }
}
