import Automerge
import Foundation
import TestSupport
import Testing

/// `tideline docs` and `tideline info` on one Automerge file, as scripts see them.
@Suite struct DocumentCommandTests {
    private let folder: TemporaryFolder
    private let home: TemporaryFolder
    private let path: String
    private let other: String
    /// The hash of the change that both files start with.
    private let base: String

    /// Two files with a common first change and different values of `/k`.
    init() throws {
        folder = try TemporaryFolder()
        home = try TemporaryFolder()
        path = folder.appending("one.automerge")
        other = folder.appending("two.automerge")
        let one = Document()
        one.actor = try #require(ActorId(data: Data([1])))
        try one.put(obj: .ROOT, key: "k", value: .String("base"))
        one.commitWith(message: "begin", timestamp: Date(timeIntervalSince1970: 1_700_000_000))
        base = try #require(one.heads().first).debugDescription
        let two = one.fork()
        two.actor = try #require(ActorId(data: Data([2])))
        try one.put(obj: .ROOT, key: "k", value: .Int(1))
        try two.put(obj: .ROOT, key: "k", value: .Int(2))
        try one.save().write(to: URL(filePath: path))
        try two.save().write(to: URL(filePath: other))
    }

    private func tideline(_ arguments: String...) throws -> ProgramResult {
        try ProgramResult.tideline(arguments, home: home, device: nil)
    }

    private func result(_ arguments: String...) throws -> String {
        let result = try ProgramResult.tideline(arguments, home: home, device: nil)
        #expect(result.status == 0, "\(arguments): \(result.errors)")
        return result.output
    }

    @Test func otherFilesAreNotReplacedByDocuments() throws {
        let text = folder.appending("notes.txt")
        try Data("text".utf8).write(to: URL(filePath: text))
        #expect(try tideline("docs", "merge", path, other, "--output", text).status == 73)
        #expect(try Data(contentsOf: URL(filePath: text)) == Data("text".utf8))
        // An empty file is replaced, for example one that `mktemp` made.
        try Data().write(to: URL(filePath: text))
        #expect(try tideline("docs", "merge", path, other, "--output", text).status == 0)
        #expect(try tideline("docs", "merge", path, "--output", text).status == 0)
    }

    @Test func shallowExportHasTheContentAndReportsWhatItLacks() throws {
        let both = folder.appending("both.automerge")
        #expect(try tideline("docs", "merge", path, other, "--output", both).status == 0)
        let small = folder.appending("small.automerge")
        let exported = try tideline("docs", "export", "--shallow", both, small)
        #expect(exported.status == 0, "\(exported.errors)")
        #expect(
            exported.errors.contains(
                "it lacks 3 changes by 2 authors, and the losing sides of 1 conflict"),
            "\(exported.errors)")
        #expect(
            try tideline("docs", "show", small, "--json").output
                == tideline("docs", "show", both, "--json").output)
        let history = try tideline("docs", "history", small, "--json").output
        #expect(history.filter { $0 == "\n" }.count == 1)
        #expect(try tideline("docs", "check", small).status == 0)
        #expect(try tideline("docs", "conflicts", small, "--json").output.isEmpty)
        let before = try Data(contentsOf: URL(filePath: other))
        #expect(try tideline("docs", "export", "--shallow", both, other).status == 73)
        #expect(try Data(contentsOf: URL(filePath: other)) == before)
        #expect(try tideline("docs", "export", both, "doc", small).status == 65)
        #expect(try tideline("docs", "export", both, small).status == 64)
    }

    @Test func incompleteDocumentHasNoShallowCopy() throws {
        let document = try Document(Data(contentsOf: URL(filePath: path)))
        let missing = Document()
        try missing.put(obj: .ROOT, key: "m", value: .Int(1))
        missing.commitWith()
        let known = missing.heads()
        try missing.put(obj: .ROOT, key: "m", value: .Int(2))
        try document.applyEncodedChanges(encoded: missing.encodeChangesSince(heads: known))
        let file = folder.appending("waiting.automerge")
        try document.save().write(to: URL(filePath: file))
        let small = folder.appending("small.automerge")
        let refused = try tideline("docs", "export", "--shallow", file, small)
        #expect(refused.status == 65 && refused.errors.contains("not applied"), "\(refused.errors)")
        #expect(!FileManager.default.fileExists(atPath: small))
    }

    @Test func contentIsShownNowAndAtHeads() throws {
        #expect(try result("docs", "show", path, "--json") == "{\"k\":1}\n")
        #expect(try result("docs", "show", path, "--at", base, "--json") == "{\"k\":\"base\"}\n")
        #expect(try result("docs", "show", path) == "{\n  \"k\": 1\n}\n")
    }

    @Test func mergedFileKeepsBothSidesAsAConflict() throws {
        let merged = folder.appending("both.automerge")
        #expect(try result("docs", "merge", path, other, "--output", merged).isEmpty)
        #expect(
            try result("docs", "conflicts", merged, "--json")
                == #"{"others":[{"actor":"01","op":"2@01","value":1}],"pointer":"/k","#
                + #""winner":{"actor":"02","op":"2@02","value":2}}"# + "\n")
        #expect(try result("docs", "conflicts", path, "--json").isEmpty)
        #expect(try result("docs", "history", merged, "--json").split(separator: "\n").count == 3)
        // A merge can replace one of its input files.
        #expect(try result("docs", "merge", path, other, "--output", path).isEmpty)
        #expect(
            try Data(contentsOf: URL(filePath: path)) == Data(contentsOf: URL(filePath: merged)))
    }

    @Test func historyHasEveryFieldOfTheContract() throws {
        let line = try #require(
            try result("docs", "history", path, "--json").split(separator: "\n").first)
        #expect(
            line == #"{"actor":"01","date":"2023-11-14T22:13:20Z","deps":[],"hash":"\#(base)","#
                + #""message":"begin","ops":1,"seq":1,"startOp":1,"time":1700000000}"#)
    }

    @Test func listNamesChunksChangesAndHeads() throws {
        let output = try result("docs", "list", path, "--json")
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
        #expect(
            Set(object.keys) == [
                "workspace", "name", "document", "isIndex", "chunks", "snapshots", "bytes",
                "changes", "heads",
            ])
        #expect(object["name"] as? String == "one")
        #expect(object["changes"] as? Int == 2)
        #expect(object["snapshots"] as? Int == 1)
        #expect((object["heads"] as? [String])?.count == 1)
    }

    @Test func differencesPrintOneStepPerLine() throws {
        #expect(
            try result("docs", "diff", path, "--from", base, "--json")
                == #"{"action":"put","pointer":"/k","type":"integer","value":1}"# + "\n")
        #expect(try result("docs", "diff", path, "--from", base, "--to", base, "--json").isEmpty)
    }

    @Test func damagedFileExitsWith65AndNamesThePlace() throws {
        var bytes = try Data(contentsOf: URL(filePath: path))
        #expect(try tideline("docs", "check", path).status == 0)
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: URL(filePath: path))
        let check = try tideline("docs", "check", path, "--json")
        #expect(check.status == 65)
        #expect(check.output.contains(#""problemOffset":4"#))
        #expect(check.errors.contains("byte 4"))
        let shown = try tideline("docs", "show", path, "--json")
        #expect(shown.status == 65)
        #expect(shown.output.isEmpty)
        #expect(shown.errors.contains("docs check"))
        let merged = folder.appending("both.automerge")
        #expect(try tideline("docs", "merge", other, path, "--output", merged).status == 65)
        #expect(!FileManager.default.fileExists(atPath: merged))
        let info = try tideline("info", path, "--json")
        #expect(info.status == 65)
        #expect(info.output.contains("byte 4"))
        #expect(info.errors.contains("chunk damaged; byte 4"))
    }

    @Test func exitCodesDistinguishErrors() throws {
        let missing = folder.appending("missing")
        let unknown = String(repeating: "0", count: 64)
        #expect(try tideline("docs", "show", missing).status == 66)
        #expect(try tideline("docs", "check", missing).status == 66)
        #expect(try tideline("docs", "show", folder.path).status == 65)
        #expect(try tideline("docs", "show", path, "--at", unknown).status == 1)
        #expect(try tideline("docs", "diff", path, "--from", "no hash").status == 64)
        #expect(try tideline("docs", "merge", path, "--output", missing + "/x").status == 73)
        #expect(try tideline("docs", "merge", path).status == 64)
    }

    @Test func infoCountsTheContent() throws {
        #expect(
            try result("info", path, "--json")
                == #"{"counts":{"chunks":1,"conflicts":0,"documents":1},"devices":[],"#
                + #""format":"automerge","kind":"automerge","path":"\#(path)","problems":[]}"#
                + "\n")
    }

    @Test func readingChangesNothing() throws {
        let before = try FolderState(of: folder.path)
        for command in ["show", "list", "history", "conflicts", "diff", "check"] {
            _ = try result("docs", command, path)
        }
        _ = try result("--linear", path)
        #expect(try FolderState(of: folder.path) == before)
    }

    @Test func everyCommandHasHelpWithAnExample() throws {
        for command in [
            [], ["list"], ["show"], ["history"], ["conflicts"], ["diff"], ["check"], ["merge"],
        ] {
            let result = try ProgramResult.running(
                "tideline", ["docs"] + command + ["--help"], environment: [:])
            #expect(result.status == 0)
            #expect(result.output.contains("Example: tideline docs"), "\(command)")
        }
    }

    private static let fixtures = ProcessInfo.processInfo.environment["TIDELINE_FIXTURES"]

    @Test(.enabled(if: fixtures != nil, "TIDELINE_FIXTURES names no folder"))
    func everyScalarTypeIsShownExactly() throws {
        let file = try #require(Self.fixtures) + "/automerge/exemplar"
        #expect(
            try result("docs", "show", file, "--json")
                == #"{"bool":true,"bytes":[133,111,74,131],"counter":5,"fp":3.14159267,"#
                + #""int":-4,"location":"https://automerge.org/","notes":"🇬🇧👨‍👨‍👧‍👦😀","#
                + #""timestamp":-905182979000,"title":"Hello 🇬🇧👨‍👨‍👧‍👦😀","#
                + #""uint":18446744073709551615}"# + "\n")
    }

    @Test func unmergeableFileIsNamedInsteadOfTheOutput() throws {
        let bad = folder.appending("bad.automerge")
        try Data("neither this nor that".utf8).write(to: URL(filePath: bad))
        let output = folder.appending("both.automerge")
        let merged = try tideline("docs", "merge", path, bad, "--output", output)
        #expect(merged.status == 65)
        #expect(merged.errors.hasPrefix("tideline: \(bad): "), "\(merged.errors)")
        #expect(!FileManager.default.fileExists(atPath: output))
    }
}
