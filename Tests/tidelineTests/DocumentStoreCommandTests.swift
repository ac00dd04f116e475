import Automerge
import DocumentStore
import Foundation
import Replication
import TestSupport
import Testing

/// `tideline docs` on packages, storage folders and files of AutomergeStore, as scripts see them.
@Suite struct DocumentStoreCommandTests {
    private let folder: TemporaryFolder
    private let home: TemporaryFolder
    private let package: String
    private let storage: String

    init() throws {
        folder = try TemporaryFolder()
        home = try TemporaryFolder()
        package = folder.appending("Notes.store")
        storage = folder.appending("storage")
        _ = try StorePackage(creating: package)
        try AutomergeStore(creatingStorageFolder: storage).close()
    }

    private func tideline(_ arguments: [String]) throws -> ProgramResult {
        try ProgramResult.tideline(arguments, home: home, device: "anna")
    }

    private func tideline(_ arguments: String...) throws -> ProgramResult {
        try tideline(arguments)
    }

    private func result(
        _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        let result = try tideline(arguments)
        #expect(
            result.status == 0, "\(arguments): \(result.errors)", sourceLocation: sourceLocation)
        return result.output.trimmingCharacters(in: .newlines)
    }

    private func objects(_ lines: String) throws -> [[String: Any]] {
        try lines.jsonObjects()
    }

    private enum Form: String, CaseIterable { case package, storage }

    private func path(_ form: Form) -> String { form == .package ? package : storage }

    @Test func textFromStandardInputKeepsItsLineBreaks() throws {
        let id = try result("docs", "new", package, "Plans")
        for type in ["text", "string"] {
            let set = try ProgramResult.tideline(
                ["docs", "set", package, id, "/\(type)", "-", "--as", type], home: home,
                device: "anna", input: "\nLow tide\n\n")
            #expect(set.status == 0, "\(set.errors)")
        }
        let shown = try result("docs", "show", package, id, "--json")
        #expect(shown == #"{"string":"\nLow tide\n\n","text":"\nLow tide\n\n"}"#)
    }

    @Test(arguments: Form.allCases)
    private func documentsAreCreatedEditedAndShown(_ form: Form) throws {
        let path = path(form)
        let id = try result("docs", "new", path, "Plans")
        try #require(UUID(automergeID: id) != nil)
        #expect(id.contains("-") == (form == .package))
        #expect(try result("docs", "set", path, id, "/title", "Autumn").isEmpty)
        _ = try result("docs", "set", path, id, "/body", "Low tide at six", "--as", "text")
        _ = try result("docs", "splice", path, id, "/body", "0", "3", "High")
        _ = try result("docs", "set", path, id, "/count", "3", "--as", "counter")
        _ = try result("docs", "increment", path, id, "/count", "-5")
        _ = try result(
            "docs", "set", path, id, "/todos", #"[{"done":false,"n":1.0},null,{"$data":"AQI="}]"#,
            "--as", "json")
        _ = try result("docs", "set", path, id, "/todos/0/done", "true", "--as", "boolean")
        _ = try result("docs", "set", path, id, "/todos/-", "-7", "--as", "integer")
        _ = try result("docs", "delete-at", path, id, "/todos/1")
        _ = try result(
            "docs", "set", path, id, "/at", "2026-11-21T09:15:00Z", "--as", "timestamp")
        #expect(
            try result("docs", "show", path, id, "--json")
                == #"{"at":1795252500000,"body":"High tide at six","count":-2,"#
                + #""title":"Autumn","todos":[{"done":true,"n":1.0},[1,2],-7]}"#)
        #expect(
            try result("docs", "show", path, "automerge:\(id)", "--json")
                == result("docs", "show", path, "--json"))
        let changes = try objects(result("docs", "history", path, id, "--json"))
        #expect(changes.count >= 10)
        #expect(changes.allSatisfy { $0["date"] is String }, "every change has a time")
        let list = try objects(result("docs", "list", path, "--json"))
        #expect(list.count == 1)
        #expect(list[0]["document"] as? String == id)
        #expect((list[0]["workspace"] is NSNull) == (form == .storage))
        #expect(list[0]["isIndex"] as? Bool == (form == .package))
        #expect((list[0]["heads"] as? [String])?.count == 1)
        _ = try result("docs", "compact", path, id)
        let chunks = try objects(result("docs", "chunks", path, id, "--json"))
        #expect(chunks.map { $0["snapshot"] as? Bool } == [true])
        #expect(try result("docs", "check", path, "--json").isEmpty)
    }

    @Test func workspacesContainDocumentsAndCanBeDeleted() throws {
        let workspace = try result("docs", "new", package, "Plans")
        let document = try result("docs", "add", package, workspace)
        _ = try result("docs", "set", package, document, "/kind", "attachment")
        #expect(try objects(result("docs", "list", package, "--json")).count == 2)
        #expect(try tideline("docs", "show", package).status == 64)
        _ = try result("docs", "delete", package, workspace)
        #expect(try result("docs", "list", package, "--json").isEmpty)
        #expect(try tideline("docs", "show", package, document).status == 1)
        #expect(try tideline("docs", "delete", package, workspace).status == 1)
    }

    @Test func filesAreImportedAndExported() throws {
        let file = folder.appending("Plan.automerge")
        let source = Document()
        try source.put(obj: .ROOT, key: "k", value: .String("base"))
        try source.save().write(to: URL(filePath: file))
        for form in Form.allCases {
            let id = try result("docs", "import", path(form), file)
            let copy = folder.appending("copy.automerge")
            _ = try result("docs", "export", path(form), id, copy)
            let back = try Document(Data(contentsOf: URL(filePath: copy)))
            #expect(back.heads() == source.heads())
            let text = folder.appending("text")
            try Data("text".utf8).write(to: URL(filePath: text))
            #expect(try tideline("docs", "export", path(form), id, text).status == 73)
        }
        let names = try objects(result("docs", "list", package, "--json"))
        #expect(names.map { $0["name"] as? String } == ["Plan"])
    }

    @Test func conflictsAndDifferencesMatchTheStore() throws {
        let id = try result("docs", "new", package, "Plans")
        _ = try result("docs", "set", package, id, "/k", "base")
        let uuid = try #require(UUID(uuidString: id))
        // Two devices edit the document concurrently.
        let anna = try AutomergeStore(package: package, device: DeviceID("anna"))
        let ben = try AutomergeStore(package: package, device: DeviceID("ben"))
        let mine = try #require(try anna.openDocument(uuid))
        let base = try #require(mine.automerge.heads().first).debugDescription
        let theirs = try #require(try ben.openDocument(uuid))
        try mine.automerge.put(obj: .ROOT, key: "k", value: .Int(1))
        try theirs.automerge.put(obj: .ROOT, key: "k", value: .Int(2))
        try anna.close()
        try ben.close()
        let conflicts = try objects(result("docs", "conflicts", package, id, "--json"))
        #expect(conflicts.map { $0["pointer"] as? String } == ["/k"])
        // The sides have the form of those of keys, and the document is named as on the screen.
        for (arguments, name) in [
            (["docs", "conflicts", package, id], "/k"), (["conflicts", package], "Plans /k"),
        ] {
            let lines = try tideline(arguments).output.split(separator: "\n")
            #expect(lines.first.map(String.init) == name)
            let sides = lines.dropFirst().map { $0.split(separator: " ").map(String.init) }
            #expect(Set(sides.map { $0[1] }) == ["anna", "ben"], "\(lines)")
            #expect(sides.map { $0[0] } == ["wins", "also"])
            #expect(Set(sides.map(\.last)) == ["1", "2"])
        }
        let steps = try objects(result("docs", "diff", package, id, "--from", base, "--json"))
        #expect(steps.first?["pointer"] as? String == "/k")
        let info = try #require(try objects(result("info", package, "--json")).first)
        let counts = try #require(info["counts"] as? [String: Int])
        #expect(counts["workspaces"] == 1 && counts["documents"] == 1)
        #expect(counts["chunks"] ?? 0 >= 2)
        let devices = try #require(info["devices"] as? [[String: Any]])
        let rows = devices.compactMap { $0["rows"] as? Int }.reduce(0, +)
        #expect(rows > 0 && counts["rows"] == rows)
    }

    @Test func infoRecognizesEveryFormat() throws {
        _ = try result("docs", "new", storage, "")
        let info = try #require(try objects(result("info", storage, "--json")).first)
        #expect(info["kind"] as? String == "documents")
        #expect(info["format"] as? String == "automerge-repo")
        #expect(info["counts"] as? [String: Int] == ["documents": 1, "chunks": 1, "conflicts": 0])
    }

    @Test func damageIsNamedAndExitsWith65() throws {
        let id = try result("docs", "new", storage, "")
        _ = try result("docs", "set", storage, id, "/k", "v")
        let names = try FileManager.default.subpathsOfDirectory(atPath: storage)
        let file = try #require(names.first { $0.contains("/snapshot/") })
        let other = storage + "/" + file.dropLast(64) + String(repeating: "0", count: 64)
        try Data([0x85, 0x6F, 0x4A, 0x83, 1, 2, 3]).write(to: URL(filePath: other))
        let check = try tideline("docs", "check", storage, "--json")
        #expect(check.status == 65)
        #expect(check.output.contains(String(repeating: "0", count: 64)))
        let shown = try tideline("docs", "show", storage, id, "--json")
        #expect(shown.status == 0)
        #expect(shown.output == "{\"k\":\"v\"}\n")
        #expect(shown.errors.contains("chunk snapshot/000"))
    }

    @Test func exitCodesDistinguishErrors() throws {
        let id = try result("docs", "new", package, "Plans")
        let unknown = UUID().uuidString
        func status(_ arguments: String...) throws -> Int32 { try tideline(arguments).status }
        #expect(try status("docs", "show", package, unknown) == 1)
        #expect(try status("docs", "show", package, "nonsense") == 1)
        #expect(try status("docs", "set", package, id, "/a/b", "x") == 1)
        #expect(try status("docs", "set", package, id, "no pointer", "x") == 64)
        #expect(try status("docs", "set", package, id, "/a", "x", "--as", "integer") == 64)
        #expect(try status("docs", "set", package, id, "/a", "x", "--as", "nonsense") == 64)
        #expect(try status("docs", "increment", package, id, "/a", "1") == 1)
        #expect(try status("docs", "delete-at", package, id, "/a") == 1)
        #expect(try status("docs", "splice", package, id, "/a", "0", "0", "x") == 1)
        _ = try result("docs", "set", package, id, "/t", "abc", "--as", "text")
        #expect(try status("docs", "splice", package, id, "/t", "2", "2", "x") == 64)
        #expect(try status("docs", "set", package, id, "/t/0", "x") == 64)
        #expect(try status("docs", "add", package, unknown) == 1)
        #expect(try status("docs", "add", storage, unknown) == 64)
        #expect(try status("docs", "new", folder.appending("missing"), "x") == 66)
        let file = folder.appending("One.automerge")
        try Document().stored().encoded.write(to: URL(filePath: file))
        #expect(try status("docs", "set", file, id, "/a", "x") == 77)
        #expect(try status("docs", "show", file, id) == 64)
    }

    @Test func readingChangesNothing() throws {
        let ids = [
            try result("docs", "new", package, "Plans"), try result("docs", "new", storage, ""),
        ]
        for (form, id) in zip(Form.allCases, ids) {
            let before = try FolderState(of: path(form))
            for command in ["show", "history", "conflicts", "diff", "check", "chunks", "list"] {
                _ = try result("docs", command, path(form), id)
            }
            _ = try result("info", path(form))
            #expect(try FolderState(of: path(form)) == before)
        }
    }

    @Test func newDeviceIsAnnouncedBeforeItsFolderIsCreated() throws {
        let made = try tideline("docs", "new", package, "Plans")
        #expect(made.errors.hasPrefix("tideline: anna "))
        let again = try tideline("docs", "new", package, "More")
        #expect(again.errors.isEmpty)
    }

    @Test func everyWritingCommandHasHelpWithAnExample() throws {
        for command in [
            "new", "add", "delete", "set", "delete-at", "increment", "splice", "compact", "import",
            "export", "chunks",
        ] {
            let result = try tideline("docs", command, "--help")
            #expect(result.status == 0)
            #expect(result.output.contains("Example: tideline docs"), "\(command)")
        }
    }

    @Test func helpListsTheTypesOfValuesOnce() throws {
        let help = try tideline("docs", "set", "--help").output
        for type in ["base64", "counter", "timestamp"] {
            #expect(help.ranges(of: type).count == 1, "\(type)")
        }
        #expect(try tideline("tables", "set", "--help").output.contains("plist, null"))
        #expect(try !tideline("kv", "set", "--help").output.contains("null"))
    }

    @Test func counterOverflowIsRejected() throws {
        let id = try result("docs", "new", package, "Plans")
        _ = try result("docs", "set", package, id, "/count", "7", "--as", "counter")
        for amount in ["9223372036854775807", "9223372036854775801"] {
            let refused = try tideline("docs", "increment", package, id, "/count", amount)
            #expect(refused.status == 64 && refused.errors.contains("64 bits"), "\(amount)")
        }
        _ = try result("docs", "increment", package, id, "/count", "9223372036854775800")
        #expect(
            try result("docs", "show", package, id, "--json") == "{\"count\":9223372036854775807}")
    }

    @Test func emptyHeadsAreWrongUsage() throws {
        let id = try result("docs", "new", package, "Plans")
        _ = try result("docs", "set", package, id, "/a", "1")
        let listed = try objects(result("docs", "list", package, "--json"))
        let head = try #require((listed.first?["heads"] as? [String])?.first)
        for heads in ["", ",", "\(head),", ",\(head)", "\(head),,\(head)", " "] {
            let shown = try tideline("docs", "show", package, id, "--at", heads, "--json")
            #expect(shown.status == 64, "\(heads)")
            #expect(shown.output.isEmpty, "\(heads)")
            #expect(try tideline("docs", "diff", package, id, "--to", heads).status == 64)
        }
        #expect(try result("docs", "show", package, id, "--at", head, "--json") == "{\"a\":\"1\"}")
        // An empty --from means before the first change, which is also the default.
        #expect(
            try result("docs", "diff", package, id, "--from", "", "--to", head)
                == result("docs", "diff", package, id, "--to", head))
    }

    @Test(arguments: Form.allCases)
    private func emptyNameIsRejected(_ form: Form) throws {
        let id = try result("docs", "new", path(form), "")
        #expect(try tideline("docs", "set", path(form), "", "/a", "1").status == 64)
        #expect(try tideline("docs", "delete", path(form), "").status == 64)
        #expect(try result("docs", "show", path(form), id, "--json") == "{}")
    }

    @Test func nameWithoutAMatchExitsWithOne() throws {
        for command in ["add", "delete"] {
            let refused = try tideline("docs", command, package, "x")
            #expect(refused.status == 1)
            #expect(refused.errors == "tideline: \"x\": no such workspace\n")
        }
        for command in ["show", "history", "conflicts", "chunks", "compact"] {
            let refused = try tideline("docs", command, package, "x")
            #expect(refused.status == 1, "\(command)")
            #expect(refused.errors == "tideline: \"x\": no such document\n", "\(command)")
            #expect(try tideline("docs", command, package, "").status == 64, "\(command)")
        }
    }
}
