import Foundation
import Glibc
import TestSupport
import Testing

/// The command line as scripts see it: the built program's output and exit codes.
@Suite struct CommandLineTests {
    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        folder = try TemporaryFolder()
        store = folder.appending("Notes.store")
    }

    /// Runs `tideline` as `device`, with a separate state folder.
    private func tideline(
        _ arguments: String..., device: String? = "desk", input: String? = nil
    ) throws -> ProgramResult {
        try ProgramResult.tideline(arguments, home: folder, device: device, input: input)
    }

    private func makeStore() throws { try #require(tideline("kv", "create", store).status == 0) }

    @Test func setValueIsReadBack() throws {
        try makeStore()
        #expect(try tideline("kv", "set", store, "a", "1", "--as", "integer").status == 0)
        let result = try tideline("kv", "get", store, "a", "--json")
        #expect(result.output == "1\n")
        #expect(try tideline("kv", "list", store, "--json").output == "{\"a\":1}\n")
    }

    @Test func stringThatReplacesAnotherTypeIsReported() throws {
        try makeStore()
        try #require(tideline("kv", "set", store, "a", "true", "--as", "boolean").status == 0)
        let result = try tideline("kv", "set", store, "a", "false")
        #expect(result.status == 0)
        #expect(result.errors.hasSuffix("to keep the type: --as boolean\n"), "\(result.errors)")
        #expect(try tideline("kv", "get", store, "a", "--json").output == "\"false\"\n")
        #expect(try tideline("kv", "set", store, "a", "true").errors.isEmpty)
        #expect(try tideline("kv", "set", store, "a", "1", "--as", "integer").errors.isEmpty)
    }

    @Test func stringThatReplacesAnotherTypeOfAPropertyIsReported() throws {
        func set(_ words: [String]) throws -> String {
            let command = ["entities", "set", store, "e"]
            return try ProgramResult.tideline(command + words, home: folder).errors
        }
        try makeStore()
        for id in ["e", "f"] {
            try #require(
                tideline("entities", "add", store, "--type", "t", "--id", id).status == 0)
        }
        #expect(try set(["done", "true", "--as", "boolean"]).isEmpty)
        #expect(try set(["done", "later", "--append"]).isEmpty)
        #expect(try set(["due", "2026-11-21", "--as", "date"]).isEmpty)
        #expect(
            try set(["due", "2026-11-22"]) == """
                tideline: due of e: a string replaces a value of the type date
                  to keep the type: --as date

                """)
        #expect(try set(["due", "2026-11-23"]).isEmpty)
        try #require(tideline("entities", "relate", store, "e", "friend", "f").status == 0)
        #expect(
            try set(["friend", "Ben"]).hasSuffix("to keep the type: tideline entities relate\n"))
    }

    @Test func stringThatReplacesAnotherTypeInADocumentIsReported() throws {
        func set(_ words: [String]) throws -> String {
            let command = ["docs", "set", store, "Plans"]
            return try ProgramResult.tideline(command + words, home: folder).errors
        }
        try makeStore()
        try #require(tideline("docs", "new", store, "Plans").status == 0)
        #expect(try set(["/done", "true", "--as", "boolean"]).isEmpty)
        #expect(
            try set(["/done", "false"]) == """
                tideline: /done: a string replaces a value of the type boolean
                  to keep the type: --as boolean

                """)
        #expect(try set(["/done", "true"]).isEmpty)
        #expect(try set(["/todos", "[1]", "--as", "json"]).isEmpty)
        #expect(try set(["/todos/-", "Call Nina"]).isEmpty)
        #expect(try set(["/todos", "none"]).hasSuffix("to keep the type: --as json\n"))
        #expect(try set(["/body", "Bring the kite", "--as", "text"]).isEmpty)
        #expect(try set(["/body", "Bring the red kite"]).isEmpty)
    }

    @Test func firstPackageFormatIsCreatedAndWritten() throws {
        let made = try tideline("kv", "create", store, "--format", "parstore-1")
        #expect(made.status == 0 && made.output.isEmpty)
        #expect(made.errors.contains("creating its folder"))
        #expect(try tideline("info", store, "--json").output.contains("\"format\":\"parstore-1\""))
        #expect(try tideline("kv", "set", store, "k", "1", "--as", "integer").status == 0)
        #expect(try tideline("kv", "set", store, "k", "2", device: "phone").status == 0)
        #expect(try tideline("kv", "list", store, "--json").output == "{\"k\":\"2\"}\n")
        let info = try tideline("info", store, "--json").output
        #expect(info.contains("\"format\":\"parstore-1\"") && !info.contains("tideline-2"))
        #expect(try tideline("kv", "create", store, "--format", "parstore-1").status == 73)
        #expect(
            try tideline("kv", "create", folder.appending("x"), "--format", "parstore").status == 64
        )
    }

    @Test func columnsFitTheirContent() throws {
        try makeStore()
        for device in ["desk", "日本語"] {
            try #require(tideline("kv", "set", store, "k", "v", device: device).status == 0)
        }
        let lines = try tideline("info", store).output.split(separator: "\n")
        let starts = ["desk", "日本語"].compactMap { device in
            lines.first { $0.hasPrefix(device) }?.components(separatedBy: "tideline-2")
                .first?.count
        }
        // Three characters, which appear twice, are two columns wide each.
        #expect(starts.count == 2 && starts[0] - starts[1] == 6, "\(lines)")
    }

    @Test func missingItemExitsWithOne() throws {
        try makeStore()
        for arguments in [
            ["kv", "get", store, "x"], ["kv", "unset", store, "x"],
            ["resolve", store, "x", "--value", "1"], ["blobs", "get", store, "x"],
        ] {
            let result = try ProgramResult.tideline(arguments, home: folder)
            #expect(result.status == 1, "\(arguments)")
            #expect(result.output.isEmpty)
            #expect(result.errors.hasPrefix("tideline: "))
        }
    }

    @Test func exitCodesDistinguishErrors() throws {
        try makeStore()
        let damaged = folder.appending("damaged.db")
        try Data("this is no database".utf8).write(to: URL(filePath: damaged))
        let missing = folder.appending("missing")
        let json = folder.appending("bad.json")
        try Data("{\"a\":".utf8).write(to: URL(filePath: json))
        #expect(try tideline("info", missing).status == 66)
        #expect(try tideline("info", damaged).status == 65)
        #expect(try tideline("kv", "list", missing).status == 66)
        #expect(try tideline("kv", "nonsense").status == 64)
        #expect(try tideline("kv", "set", store, "a", "x", "--as", "integer").status == 64)
        #expect(try tideline("kv", "set", store, "a", "x", "--as", "color").status == 64)
        #expect(try tideline("kv", "set", store, "a", "x", "--device", "../x").status == 64)
        #expect(try tideline("kv", "import", store, json).status == 65)
        #expect(try tideline("kv", "create", store).status == 73)
        #expect(try tideline("blobs", "put", store, "../x", damaged).status == 64)
        #expect(try tideline("kv", "list", store, "--at", "soon").status == 64)
    }

    @Test func errorIsOneLineAndAnOptionalSuggestion() throws {
        for arguments in [["info", "/nowhere"], ["kv", "frobnicate"], ["demo", folder.path]] {
            let result = try ProgramResult.running("tideline", arguments, environment: [:])
            #expect(result.output.isEmpty)
            let lines = result.errors.split(separator: "\n")
            #expect((1...2).contains(lines.count), "\(result.errors)")
            #expect(lines.first?.hasPrefix("tideline: ") == true)
        }
    }

    @Test func killedDemoIsRebuilt() throws {
        let demo = folder.appending("Demo.store")
        let words = ["demo", demo, "--no-open"]
        let slow = try RunningProgram(
            "tideline", words + ["--rows", "50000000"], errors: .null)
        try waitBlocking {
            try !FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty
        }
        try slow.end()
        #expect(!FileManager.default.fileExists(atPath: demo))
        let again = try ProgramResult.running("tideline", words, environment: [:])
        #expect(again.status == 0, "\(again.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["Demo.store"])
        #expect(
            try ProgramResult.running("tideline", ["info", demo], environment: [:]).status == 0)
    }

    @Test func damagedLogIsNamedAndOtherRowsAreListed() throws {
        try makeStore()
        for number in 0..<40 {
            let text = String(repeating: "ben \(number) ", count: 60)
            #expect(try tideline("kv", "set", store, "ben", text, device: "ben").status == 0)
        }
        for key in ["anna", "ben"] {
            #expect(try tideline("kv", "set", store, key, "by anna", device: "anna").status == 0)
        }
        // A damaged page in the middle; the newest row of each key is still readable.
        let path = store + "/Devices/ben/Logs.db"
        var log = try Data(contentsOf: URL(filePath: path))
        let place = try #require(log.range(of: Data("ben 20 ben 20".utf8))).lowerBound / 4096 * 4096
        log.replaceSubrange(place..<place + 4096, with: Data(count: 4096))
        try log.write(to: URL(filePath: path))

        let all = try tideline("log", store, "--json")
        #expect(all.status == 0)
        #expect(all.output.split(separator: "\n").count { $0.contains("\"device\":\"anna\"") } == 2)
        #expect(all.errors.contains("the log of ben "))
        #expect(try tideline("log", store, "--device", "ben").status == 65)
        let past = try tideline("kv", "list", store, "--json", "--at", "2001-01-01T00:00:01Z")
        #expect(past.status == 0)
        #expect(past.output == "{}\n")
        let value = try tideline("kv", "get", store, "ben", "--at", "2200-01-01T00:00:00Z")
        #expect(value.output == "by anna\n")
    }

    @Test func deviceWithADamagedLogWritesNothing() throws {
        try makeStore()
        #expect(try tideline("kv", "set", store, "a", "1").status == 0)
        #expect(try tideline("kv", "set", store, "b", "2", device: "other").status == 0)
        let path = store + "/Devices/desk/Logs.db"
        var log = try Data(contentsOf: URL(filePath: path))
        log.replaceSubrange(4096..<log.count, with: Data(count: log.count - 4096))
        try log.write(to: URL(filePath: path))
        let result = try tideline("kv", "set", store, "a", "3")
        #expect(result.status == 65)
        #expect(result.errors.contains("nothing is written"))
        #expect(result.errors.contains("--device"))
        #expect(try Data(contentsOf: URL(filePath: path)) == log)
        #expect(try tideline("kv", "list", store, "--json").output == "{\"b\":\"2\"}\n")
        #expect(try tideline("kv", "set", store, "a", "3", device: "other").status == 0)
    }

    @Test func browserNeedsATerminal() throws {
        try makeStore()
        let result = try tideline(store)
        #expect(result.status == 64)
        #expect(result.errors.contains("conflicts"))
    }

    @Test func importIsOneTransactionWithOneTimestamp() throws {
        try makeStore()
        let result = try tideline(
            "kv", "import", store, "-",
            input: #"{"a":1,"b":{"$data":"AAE="},"c":{"$date":"2026-11-21T09:15:00Z"},"d":1.0}"#)
        #expect(result.status == 0)
        let rows = try tideline("log", store, "--json").output.jsonObjects()
        let times = try rows.map { try #require($0["timestamp"] as? Int) }
        #expect(times.count == 4)
        #expect(Set(times).count == 1)
        #expect(
            try tideline("kv", "list", store, "--json").output
                == #"{"a":1,"b":{"$data":"AAE="},"c":{"$date":"2026-11-21T09:15:00Z"},"d":1.0}"#
                + "\n")
        #expect(try tideline("kv", "import", store, "-", input: #"{"a":null}"#).status == 0)
        #expect(try tideline("kv", "get", store, "a").status == 1)
    }

    @Test func importWritesOnlyKeysThatChange() throws {
        try makeStore()
        let input = #"{"a":1,"b":"x","c":null}"#
        let first = try tideline("kv", "import", store, "-", input: input)
        #expect(first.errors.hasSuffix("3 keys changed, 0 unchanged\n"), "\(first.errors)")
        let before = try FolderState(of: store)
        let second = try tideline("kv", "import", store, "-", input: input)
        #expect(second.status == 0)
        #expect(second.errors == "0 keys changed, 3 unchanged\n")
        #expect(try FolderState(of: store) == before)
        let third = try tideline("kv", "import", store, "-", input: #"{"a":1.0,"b":"x"}"#)
        #expect(third.errors == "1 key changed, 1 unchanged\n")
        #expect(try tideline("log", store).output.split(separator: "\n").count == 4)
    }

    @Test func concurrentWritesConflictUntilResolved() throws {
        try makeStore()
        let copy = folder.appending("Copy.store")
        #expect(try tideline("kv", "set", store, "k", "base").status == 0)
        try FileManager.default.copyItem(atPath: store, toPath: copy)
        #expect(try tideline("kv", "set", store, "k", "mine", device: "desk").status == 0)
        #expect(try tideline("kv", "set", copy, "k", "theirs", device: "phone").status == 0)
        #expect(try tideline("conflicts", store).output.isEmpty)
        try FileManager.default.copyItem(
            atPath: copy + "/Devices/phone", toPath: store + "/Devices/phone")
        let conflict = try tideline("conflicts", store, "--json").output
        #expect(conflict.contains(#""key":"k""#))
        #expect(
            conflict.contains("mine") && conflict.contains("theirs") && conflict.contains("base"))
        #expect(try tideline("resolve", store, "k", "--take", "desk", device: "third").status == 0)
        #expect(try tideline("conflicts", store).output.isEmpty)
        #expect(try tideline("kv", "get", store, "k").output == "mine\n")
    }

    @Test func stringThatResolvesAConflictOfAnotherTypeIsReported() throws {
        try makeStore()
        let copy = folder.appending("Copy.store")
        try #require(tideline("kv", "set", store, "k", "0", "--as", "integer").status == 0)
        try FileManager.default.copyItem(atPath: store, toPath: copy)
        for (path, device, value) in [(store, "desk", "1"), (copy, "phone", "2")] {
            let set = try tideline(
                "kv", "set", path, "k", value, "--as", "integer", device: device)
            try #require(set.status == 0)
        }
        try FileManager.default.copyItem(
            atPath: copy + "/Devices/phone", toPath: store + "/Devices/phone")
        let result = try tideline("resolve", store, "k", "--value", "3")
        #expect(result.status == 0)
        #expect(result.errors.hasSuffix("to keep the type: --as integer\n"), "\(result.errors)")
    }

    @Test func membersOfRowsAndConflictsAreSorted() throws {
        try makeStore()
        #expect(try tideline("kv", "set", store, "k", "base").status == 0)
        #expect(try tideline("kv", "unset", store, "k").status == 0)
        let copy = folder.appending("Copy.store")
        try FileManager.default.copyItem(atPath: store, toPath: copy)
        #expect(try tideline("kv", "set", store, "k", "mine", device: "desk").status == 0)
        #expect(try tideline("kv", "set", copy, "k", "theirs", device: "phone").status == 0)
        try FileManager.default.copyItem(
            atPath: copy + "/Devices/phone", toPath: store + "/Devices/phone")
        let log = try tideline("log", store, "--json").output.split(separator: "\n")
        let conflicts = try tideline("conflicts", store, "--json").output.split(separator: "\n")
        #expect(log.count == 4 && conflicts.count == 1)
        #expect(log.contains { $0.contains(#""deleted":true"#) && $0.hasSuffix(#""value":null}"#) })
        for line in log + conflicts {
            let sorted = try JSONSerialization.data(
                withJSONObject: JSONSerialization.jsonObject(with: Data(line.utf8)),
                options: [.sortedKeys, .withoutEscapingSlashes])
            #expect(String(decoding: sorted, as: UTF8.self) == line)
        }
    }

    @Test func readingChangesNothing() throws {
        try makeStore()
        #expect(try tideline("kv", "set", store, "k", "v").status == 0)
        let before = try FolderState(of: store)
        for arguments in [
            ["info", store], ["kv", "list", store], ["kv", "get", store, "k"], ["log", store],
            ["conflicts", store], ["blobs", "list", store], ["--linear", store],
            ["kv", "list", store, "--at", "2026-01-01T00:00:00Z"],
        ] {
            let result = try ProgramResult.tideline(arguments, home: folder, device: "other")
            #expect(result.status == 0, "\(arguments): \(result.errors)")
        }
        #expect(try FolderState(of: store) == before)
    }

    @Test func firstWriteAnnouncesTheNewDevice() throws {
        try makeStore()
        #expect(try tideline("kv", "set", store, "k", "v", device: "new").errors.contains("new"))
        #expect(try tideline("kv", "set", store, "k", "w", device: "new").errors.isEmpty)
    }

    @Test func everyCommandHasHelpWithAnExample() throws {
        for command in [
            [], ["info"], ["watch"], ["demo"], ["kv"], ["kv", "list"], ["kv", "get"],
            ["kv", "set"],
            ["kv", "unset"], ["kv", "import"], ["kv", "create"], ["log"], ["conflicts"],
            ["resolve"], ["merge"], ["blobs"], ["blobs", "list"], ["blobs", "get"],
            ["blobs", "put"], ["blobs", "delete"],
            ["blobs", "conflicts"], ["blobs", "resolve"],
        ] {
            let result = try ProgramResult.running(
                "tideline", command + ["--help"], environment: [:])
            #expect(result.status == 0)
            #expect(result.output.contains("Example: tideline"), "\(command)")
        }
    }

    @Test func blobsAreCopiedInAndOut() throws {
        try makeStore()
        #expect(try tideline("blobs", "put", store, "a/b.txt", "-", input: "hello").status == 0)
        #expect(try tideline("blobs", "get", store, "a/b.txt").output == "hello")
        #expect(try tideline("blobs", "list", store, "--json").output.contains("a/b.txt"))
        #expect(try tideline("blobs", "delete", store, "a/b.txt").status == 0)
        #expect(try tideline("blobs", "list", store, "--json").output.isEmpty)
    }

    @Test func blobIsWrittenThroughLinksAndPipes() throws {
        try makeStore()
        #expect(try tideline("blobs", "put", store, "b", "-", input: "hello").status == 0)
        let target = folder.appending("target")
        let link = folder.appending("link")
        try Data("old".utf8).write(to: URL(filePath: target))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        #expect(try tideline("blobs", "get", store, "b", link).status == 0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
        #expect(try Data(contentsOf: URL(filePath: target)) == Data("hello".utf8))
        let pipe = folder.appending("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(try tideline("blobs", "get", store, "b", pipe).status == 73)
        var status = stat()
        #expect(lstat(pipe, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
        #expect(
            try tideline("blobs", "get", store, "b", folder.appending("no/file")).status == 73)
    }

    @Test func multilineNameIsPrintedOnOneLine() throws {
        try makeStore()
        #expect(try tideline("kv", "set", store, "k", "v").status == 0)
        let device = store + "/Devices/two\nlines"
        try FileManager.default.createDirectory(
            atPath: device, withIntermediateDirectories: false)
        try Data("no database".utf8).write(to: URL(filePath: device + "/Logs.db"))
        let result = try tideline("kv", "list", store, "--json")
        #expect(result.output == "{\"k\":\"v\"}\n")
        let lines = result.errors.split(separator: "\n")
        #expect(lines.count == 1)
        #expect(lines.first?.contains("two␊lines") == true)
    }

    @Test func directionMarksAreEscapedInOutput() throws {
        try makeStore()
        #expect(try tideline("kv", "set", store, "k", "a\u{202e}b").status == 0)
        #expect(
            try tideline("entities", "add", store, "--type", "t", "title=a\u{202e}b").status == 0)
        for arguments in [
            ["kv", "list", store, "--json"], ["log", store, "--json"],
            ["entities", "export", store], ["kv", "list", store],
        ] {
            let result = try ProgramResult.tideline(arguments, home: folder, device: nil)
            #expect(result.status == 0)
            #expect(!result.output.unicodeScalars.contains("\u{202e}"), "\(arguments)")
            #expect(result.output.contains("\\u202e") || result.output.contains("\\u{202e}"))
        }
    }

    @Test func pipeInPlaceOfAFileDoesNotBlock() throws {
        let pipe = folder.appending("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        for arguments in [
            ["info", pipe], ["servers", "list", pipe], ["docs", "show", pipe],
            ["entities", "list", pipe], ["kv", "list", pipe], ["--linear", pipe],
        ] {
            let result = try ProgramResult.tideline(arguments, home: folder, device: nil)
            #expect(result.status == 65 || result.status == 66, "\(arguments): \(result)")
            #expect(result.errors.contains(pipe), "\(arguments): \(result.errors)")
        }
    }

    @Test func plainLinesLabelTimesAndEmptyPanes() throws {
        try makeStore()
        #expect(try tideline("kv", "set", store, "k", "v", device: "desk").status == 0)
        let line = try tideline(store, "--linear", "--pane", "keys").output
        #expect(line.contains(", date 2") && !line.contains("age "), "\(line)")
        #expect(
            try tideline(store, "--linear", "--pane", "conflicts").output == "Conflicts: no rows\n")
        for name in ["keys", "types", "problems", "history", "events"] {
            #expect(try tideline("demo", "--help").output.contains(name))
        }
    }

    @Test func unknownPaneErrorListsThePanes() throws {
        #expect(try tideline("kv", "create", store).status == 0)
        let result = try tideline(store, "--linear", "--pane", "nope")
        #expect(result.status == 64)
        #expect(result.errors.contains("no such pane"))
        #expect(result.errors.contains("keys, log, conflicts"))
    }
}
