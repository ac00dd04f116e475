import Foundation
import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

@Suite struct ExternalEditorTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func editor() -> ExternalEditor {
        ExternalEditor(environment: ["EDITOR": "ed", "TMPDIR": folder.path])
    }

    private func left() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
    }

    @Test func savedTextReturnsAndTheFileIsDeleted() throws {
        let saved = try editor().edit("before", fileExtension: "txt") { command, path in
            #expect(command == "ed")
            #expect(path.hasSuffix(".txt"))
            #expect((try? String(contentsOfFile: path, encoding: .utf8)) == "before")
            let modes = [path, (path as NSString).deletingLastPathComponent].map {
                (try? FileManager.default.attributesOfItem(atPath: $0))?[.posixPermissions] as? Int
            }
            #expect(modes == [0o600, 0o700])
            try? "after".write(toFile: path, atomically: true, encoding: .utf8)
            return 0
        }
        #expect(saved == "after")
        #expect(try left().isEmpty)
    }

    /// A logout deletes the usual folders for temporary files.
    @Test func textOfAnEditorThatASignalEndedIsInTheStateFolder() throws {
        let state = UserState(environment: ["XDG_STATE_HOME": folder.appending("state")])
        let editor = ExternalEditor(environment: ["TMPDIR": folder.path], state: state)
        let error = #expect(throws: RequestFailure.self) {
            try editor.edit("x", fileExtension: "txt") { _, _ in 129 }
        }
        let kept = try #require(error?.keptPath)
        #expect(kept.hasPrefix(folder.appending("state/tideline/texts/")))
        #expect(try String(contentsOfFile: kept + "/value.txt", encoding: .utf8) == "x")
        #expect(try editor.edit("x", fileExtension: "txt") { _, _ in 0 } == nil)
        #expect(try left() == ["state"])
    }

    /// The program may be unable to write its state.
    @Test func editorWorksWithoutAStateFolder() throws {
        let state = UserState(environment: ["XDG_STATE_HOME": "/proc/none"])
        let editor = ExternalEditor(environment: ["TMPDIR": folder.path], state: state)
        let saved = try editor.edit("x", fileExtension: "txt") { _, path in
            #expect(path.hasPrefix(folder.path))
            try? "y".write(toFile: path, atomically: true, encoding: .utf8)
            return 0
        }
        #expect(saved == "y")
    }

    @Test func unsavedTextIsDiscarded() throws {
        #expect(try editor().edit("x", fileExtension: "txt") { _, _ in 0 } == nil)
        #expect(try left().isEmpty)
    }

    @Test func failedEditorChangesNothing() throws {
        for status in [1, nil] as [Int32?] {
            let error = #expect(throws: RequestFailure.self) {
                try editor().edit("x", fileExtension: "txt") { _, _ in status }
            }
            #expect(error?.message.contains("nothing was changed") == true)
        }
        #expect(try left().isEmpty)
    }

    /// The shell ends first if the terminal is closed, while the editor saves its text.
    @Test func folderOfAnEditorThatASignalEndedIsKept() throws {
        let error = #expect(throws: RequestFailure.self) {
            try editor().edit("x", fileExtension: "txt") { _, _ in 129 }
        }
        let kept = folder.appending(try #require(try left().first))
        #expect(error?.keptPath == kept && error?.message.hasSuffix(kept) == true)
    }

    @Test(
        arguments: [(Data("long".utf8), 1), (Data("long".utf8), 129), (Data([0xFF]), 0)]
            as [(Data, Int32)])
    func savedTextOfAFailedEditIsKept(_ saved: Data, _ status: Int32) throws {
        let error = #expect(throws: RequestFailure.self) {
            try editor().edit("x", fileExtension: "txt") { _, path in
                try? saved.write(to: URL(fileURLWithPath: path))
                return status
            }
        }
        let kept = folder.appending(try #require(try left().first))
        #expect(error?.message.hasSuffix("the text is in \(kept)") == true)
        #expect(FileManager.default.contents(atPath: "\(kept)/value.txt") == saved)
    }

    @Test func invalidUTF8FromTheEditorIsRejected() throws {
        #expect(throws: RequestFailure.self) {
            try editor().edit("x", fileExtension: "txt") { _, path in
                try? Data([0xFF, 0xFE, 0x00]).write(to: URL(fileURLWithPath: path))
                return 0
            }
        }
    }

    @Test func symbolicLinkInPlaceOfTheFileIsNotFollowed() throws {
        let secret = folder.appending("secret")
        try "secret".write(toFile: secret, atomically: true, encoding: .utf8)
        #expect(throws: RequestFailure.self) {
            try editor().edit("x", fileExtension: "txt") { _, path in
                unlink(path)
                symlink(secret, path)
                return 0
            }
        }
    }
}

@Suite struct TextFieldTests {
    private func field(_ text: String, _ keys: String...) -> TextField {
        var field = TextField(text)
        for notation in keys {
            for key in KeyNotation.keys(in: notation) ?? [] {
                let meaning = Keymap.standard.resolve([key]) { $0.scope == .typing }
                if let name = meaning.action?.name, let edit = TextField.Edit(rawValue: name) {
                    field.apply(edit)
                } else if case .character(let character) = key.code {
                    field.insert(String(character))
                }
            }
        }
        return field
    }

    @Test func keysEditTheLine() {
        #expect(field("", "a", "b", "c").text == "abc")
        #expect(field("abc", "Left", "x").text == "abxc")
        #expect(field("abc", "Home", "x", "End", "y").text == "xabcy")
        #expect(field("abc", "Backspace", "Backspace").text == "a")
        #expect(field("abc", "^a", "Del").text == "bc")
        #expect(field("one two", "^w").text == "one ")
        #expect(field("one two", "^u").text == "")
        #expect(field("one two", "Home", "Right", "^k").text == "o")
    }

    @Test func graphemeClustersAreNotSplit() {
        #expect(field("e\u{301}👩‍👩‍👧", "Backspace").text == "e\u{301}")
        var field = TextField("e")
        field.insert("\u{301}")
        #expect(field.characters.count == 1)
        #expect(field.cursor == 1)
    }
}
