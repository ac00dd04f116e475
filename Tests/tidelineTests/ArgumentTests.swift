import Foundation
import TestSupport
import Testing

/// Any text in a script's variables reaches the store unchanged or is refused with a message.
@Suite struct ArgumentTests: CommandSuite {
    let stage: CommandStage

    init() throws { stage = try CommandStage() }

    @Test(arguments: ["-h", "-help", "-hello", "-5", "-", "-as"])
    func valueWithALeadingDashIsWritten(_ value: String) throws {
        #expect(try tideline("kv", "set", store, "key", value).status == 0)
        #expect(try tideline("kv", "get", store, "key").output == "\(value)\n")
        let id = try tideline("entities", "add", store, "--type", "t").output.dropLast()
        #expect(try tideline("entities", "set", store, String(id), "name", value).status == 0)
        #expect(
            try tideline("entities", "list", store, "--where", "name=\(value)", "--json").output
                .contains("\"name\":\"\(value)\""))
        let document = String(try tideline("docs", "new", store, "notes").output.dropLast())
        #expect(try tideline("docs", "set", store, document, "/name", value).status == 0)
        #expect(
            try tideline("docs", "show", store, document, "--json").output
                == "{\"name\":\"\(value)\"}\n")
    }

    /// Arguments with a byte that isn't UTF-8, in the syntax of a shell.
    static let invalid = [
        #"kv set "$1" "$(printf 'k\377')" one"#, #"kv set "$1" k "$(printf 'a\377b')""#,
        #"entities add "$1" --type t "$(printf 'n=a\377b')""#,
        #"kv create "$1$(printf '\377')""#, #"info "$1$(printf '\377')""#,
        #"extract "$1" --prefix '' --output "$1$(printf '\300\200')""#,
        #""$(printf '\355\240\200')""#,
    ]

    @Test(arguments: invalid) func textThatIsNotUTF8IsRefused(_ arguments: String) throws {
        let before = try FolderState(of: folder.path)
        let result = try ProgramResult.running(
            executable: "/bin/sh",
            ["-c", "exec \"$0\" " + arguments, Programs.built("tideline"), store],
            environment: ["HOME": folder.path, "TIDELINE_DEVICE": "desk"])
        #expect(result.status == 64)
        #expect(result.errors.hasPrefix("tideline: argument "), "\(result.errors)")
        #expect(result.errors.contains("UTF-8"))
        #expect(try FolderState(of: folder.path) == before)
    }

    @Test func tildeThatTheShellKeepsIsPartOfTheName() throws {
        let script = """
            mkdir -p "$HOME/here/~" && cd "$HOME/here" && "$0" kv create '~/a.store' &&
            "$0" kv set '~/a.store' key '~/value' &&
            "$0" extract '~/a.store' key --output '~b.store' && "$0" kv get '~b.store' key
            """
        let result = try ProgramResult.running(
            executable: "/bin/sh", ["-c", script, Programs.built("tideline")],
            environment: ["HOME": folder.path, "TIDELINE_DEVICE": "desk"])
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.hasSuffix("~/value\n"))
        #expect(FileManager.default.fileExists(atPath: folder.appending("here/~/a.store/Devices")))
        #expect(FileManager.default.fileExists(atPath: folder.appending("here/~b.store/Devices")))
        #expect(!FileManager.default.fileExists(atPath: folder.appending("a.store")))
    }

    @Test func deviceOfTheEnvironmentMustBeUTF8() throws {
        let result = try ProgramResult.running(
            executable: "/bin/sh",
            [
                "-c", #"TIDELINE_DEVICE="$(printf 'd\377')" exec "$0" kv set "$1" k v"#,
                Programs.built("tideline"), store,
            ],
            environment: ["HOME": folder.path])
        #expect(result.status == 64)
        #expect(result.errors.hasPrefix("tideline: $TIDELINE_DEVICE: "), "\(result.errors)")
    }

    @Test func invalidDeviceOfTheEnvironmentIsNamed() throws {
        let result = try ProgramResult.tideline(
            ["kv", "set", store, "k", "v"], home: folder, device: "a/b")
        #expect(result.status == 64)
        #expect(
            result.errors.hasPrefix(
                "tideline: $TIDELINE_DEVICE: \"a/b\" is not a device identifier"),
            "\(result.errors)")
    }

    @Test(arguments: ["-6FF_a==", "-hx", "-json", "-"])
    func identifiersAndKeysCanStartWithADash(_ name: String) throws {
        #expect(try tideline("kv", "set", store, name, "value").status == 0)
        #expect(try tideline("kv", "get", store, name, "--json").output == "\"value\"\n")
        #expect(try tideline("kv", "unset", store, name).status == 0)
        let added = try tideline("entities", "add", store, "--type", "t", "--id=\(name)")
        #expect(added.status == 0, "\(added)")
        #expect(try tideline("entities", "set", store, name, "name", "x").status == 0)
        #expect(try tideline("entities", "relate", store, name, "self", name).status == 0)
        #expect(
            try tideline("entities", "show", store, name, "--json").output.contains("\"\(name)\""))
        #expect(
            try tideline("entities", "related", store, name).output.contains("self"))
        #expect(try tideline("entities", "unset", store, name, "name").status == 0)
        #expect(try tideline("entities", "delete", store, name).status == 0)
        let catalog = folder.appending("Catalog.db")
        _ = try tideline("servers", "create", catalog)
        // A missing server has another exit code than an invalid argument.
        #expect(try tideline("servers", "show", catalog, name).status == 1)
        #expect(try tideline("servers", "show", catalog, name, "--no-such").status == 64)
        #expect(try tideline("servers", "show", catalog).status == 64)
    }

    @Test func unknownCommandErrorSuggestsCommands() throws {
        let similar = try tideline("conflict", store)
        #expect(similar.status == 64)
        #expect(similar.errors.hasPrefix("tideline: conflict: "))
        #expect(similar.errors.hasSuffix(" conflicts?\n"))
        let other = try tideline("zonk", store)
        #expect(other.errors.contains("commands: ") && other.errors.contains(" doctor, "))
        let single = try tideline("conflict")
        #expect(single.status == 66 && single.errors == similar.errors)
        // A missing file is reported before a missing terminal.
        let missing = try tideline(folder.appending("missing.store"))
        #expect(missing.status == 66 && missing.errors.contains("missing.store"))
        let browser = try tideline(store)
        #expect(browser.status == 64 && browser.errors.contains("terminal"))
        // An existing store takes precedence over a command.
        #expect(try tideline(store, "zonk").errors.contains("Unexpected argument 'zonk'"))
    }

    @Test func unknownSubcommandErrorSuggestsSubcommands() throws {
        let similar = try tideline("kv", "gett", store, "key")
        #expect(similar.status == 64)
        #expect(similar.errors.contains("gett: "))
        #expect(similar.errors.contains(" get?"))
        #expect(try tideline("blobs", "zonk").errors.contains("commands: list, "))
        #expect(try tideline("kv", "help", "set").errors.contains("put --help after a command"))
        // An argument of a subcommand isn't a command.
        #expect(
            try tideline("kv", "list", store, "zonk").errors.contains("Unexpected argument 'zonk'"))
    }

    @Test func bytesAndDataAreTheSameType() throws {
        for (key, type) in [("a", "bytes"), ("b", "data")] {
            #expect(try tideline("kv", "set", store, key, "AAEC", "--as", type).status == 0)
            #expect(
                try tideline("kv", "get", store, key, "--json").output == "{\"$data\":\"AAEC\"}\n")
        }
    }

    @Test func demoNeedsThreeDevices() throws {
        let result = try tideline(
            "demo", folder.appending("Demo.store"), "--devices", "2", "--no-open")
        #expect(result.status == 64 && result.errors.contains("from 3 to 1,000"))
    }

    @Test func helpFitsIn80ColumnsWithEachExampleOnOneLine() throws {
        var groups: [[String]] = [[]]
        while let group = groups.popLast() {
            let help = try ProgramResult.running(
                "tideline", group + ["--help"], environment: ["COLUMNS": "80"]
            ).output
            let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
            for line in lines { #expect(line.count <= 80, "\(line)") }
            for (line, next) in zip(lines, lines.dropFirst()) where line.hasPrefix("Example: ") {
                #expect(next.isEmpty || next.hasPrefix("Example: "), "\(line)")
            }
            // A subcommand is indented by two spaces, and its description by more.
            guard let start = lines.firstIndex(where: { $0.hasSuffix("SUBCOMMANDS:") }) else {
                continue
            }
            for line in lines[start...] where line.hasPrefix("  ") && !line.hasPrefix("   ") {
                let name = line.dropFirst(2).prefix { $0 != " " }
                if name != "See" { groups.append(group + [String(name)]) }
            }
        }
    }

    @Test func helpOfAnUnknownCommandIsAnError() throws {
        for (arguments, error) in [
            (["help", "conflict"], "conflict: no such command"),
            (["help", "kv", "st"], "st: no such command"),
            (["kv", "zonk", "--help"], "zonk: no such command"),
            (["zonk", "-h"], "zonk: neither a command nor a store"),
        ] {
            let result = try ProgramResult.tideline(arguments, home: folder, device: nil)
            #expect(result.status == 64 && result.errors.contains(error), "\(arguments): \(result)")
        }
        #expect(try tideline("help", "conflict").errors.contains(" conflicts?"))
        #expect(try tideline("compare", store, store).errors.contains("did you mean diff?"))
        #expect(try tideline("help", "check").errors.contains("did you mean doctor?"))
        for arguments in [
            ["help"], ["help", "help"], ["help", "kv", "set"], ["kv", "set", store, "k", "--help"],
        ] {
            let result = try ProgramResult.tideline(arguments, home: folder, device: nil)
            #expect(result.status == 0 && result.output.contains("USAGE"), "\(arguments)")
        }
    }

    /// Values of these commands can be `-h`, so it isn't an option of theirs.
    @Test func shortOptionForHelpWorksAsTheOnlyWordOfACommand() throws {
        for words in [["kv", "set"], ["entities", "unset"], ["tables", "delete"], ["restore"]] {
            let long = try ProgramResult.tideline(words + ["--help"], home: folder, device: nil)
            let short = try ProgramResult.tideline(words + ["-h"], home: folder, device: nil)
            #expect(short.status == 0 && short.output == long.output, "\(words): \(short)")
        }
        #expect(try tideline("kv", "set", store, "-h").status == 64)
    }

    @Test func keysAndValuesThatLookLikeOptionsFollowADoubleDash() throws {
        for (key, value) in [("-k", "--help"), ("--json", "--"), ("k", "--json"), ("-h", "-h")] {
            #expect(try tideline("kv", "set", store, "--", key, value).status == 0, "\(key)")
            #expect(try tideline("kv", "get", store, "--", key).output == "\(value)\n", "\(key)")
        }
        #expect(try tideline("kv", "set", store, "k", "--", "--").status == 0)
        #expect(try tideline("kv", "get", store, "k").output == "--\n")
        #expect(try tideline("kv", "set", store, "k", "--no-such-option").status == 64)
        #expect(try tideline("kv", "get", store, "k").output == "--\n")
    }

    @Test func optionsAcceptValuesThatStartWithADash() throws {
        #expect(try tideline("kv", "set", store, "--", "-k", "v").status == 0)
        #expect(
            try tideline("kv", "list", store, "--prefix", "-", "--json").output
                == "{\"-k\":\"v\"}\n")
        for option in ["--key", "--prefix"] {
            #expect(try tideline("log", store, option, "-k").output.contains("-k"))
        }
        for name in ["-h", "-t"] {
            let added = try tideline("entities", "add", store, "--type", name, "--id", name)
            #expect(added.status == 0, "\(added)")
            let listed = try tideline("entities", "list", store, "--type", name)
            #expect(listed.output.contains(name))
            #expect(
                try tideline("entities", "relate", store, "--tag", name, name, "k", name).status
                    == 0)
            let copy = store + name
            #expect(
                try tideline("extract", store, "--entity", name, "--output", copy).status == 0)
            let set = try tideline(
                "kv", "set", store, "--device", name, "--new-device", "k", "v")
            #expect(set.status == 0, "\(set)")
            #expect(try tideline("log", store, "--device", name).output.contains("\"v\""))
        }
        // Times before 2001 are negative.
        #expect(try tideline("kv", "list", store, "--at", "-1", "--json").output == "{}\n")
        #expect(try tideline("log", store, "--since", "-1").output.contains("-k"))
        #expect(try tideline("log", store, "--until", "-1").output.isEmpty)
        #expect(try tideline("kv", "get", store, "--at", "-1", "--", "-k").status == 1)
    }

    @Test func errorSuggestsADoubleDashForWordsThatLookLikeOptions() throws {
        for arguments in [
            ["new", store, "-k"], ["show", store, "-k"], ["history", store, "-k"],
        ] {
            let result = try ProgramResult.tideline(["docs"] + arguments, home: folder)
            #expect(result.status == 64)
            #expect(result.errors.contains("put -- before"), "\(result.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: store + "/Devices/desk"))
    }

    @Test(arguments: [
        (["-1", "0", "5"], "<pos>", "-1"), (["0", "-2", "5"], "<delete>", "-2"),
        (["x", "0", "y"], "<pos>", "x"), (["0", "", "y"], "<delete>", ""),
    ])
    func invalidCharacterCountIsNamed(
        _ words: [String], _ name: String, _ word: String
    ) throws {
        let document = String(try tideline("docs", "new", store, "notes").output.dropLast())
        #expect(
            try tideline("docs", "set", store, document, "/t", "abcdef", "--as", "text").status
                == 0)
        func splice(_ words: [String]) throws -> ProgramResult {
            try ProgramResult.tideline(
                ["docs", "splice", store, document, "/t"] + words, home: folder)
        }
        let result = try splice(words)
        #expect(result.status == 64)
        #expect(
            result.errors.contains(
                "\(name) must be a number of characters, 0 or more, not '\(word)'"),
            "\(result.errors)")
        #expect(try splice(Array(words.prefix(0))).errors.contains("'<pos>'"))
        #expect(try splice(["1", "0"]).errors.contains("'<text>'"))
        #expect(try splice(["1", "0", "a", "b"]).errors.contains("4 values"))
        #expect(try splice(["1", "0", "--a"]).errors.contains("Unknown option '--a'"))
        func text() throws -> String {
            try tideline("docs", "show", store, document, "--json").output
        }
        #expect(try text() == "{\"t\":\"abcdef\"}\n")
        for more in [
            ["1", "1", "-5"], ["3", "0", "--", "--device"], ["--", "0", "0", "--"],
            ["--device", "desk", "0", "1", "--", "--"],
        ] {
            #expect(try splice(more).status == 0, "\(more)")
        }
        #expect(try text() == "{\"t\":\"---a-5--devicecdef\"}\n")
    }

    @Test func wordWithALeadingDashIsARowInTheRowPosition() throws {
        let database = folder.appending("negative.db")
        try runSQL(
            "CREATE TABLE t (a TEXT); INSERT INTO t (rowid, a) VALUES (-1, 'x'), (1, 'y')",
            at: database)
        func set(_ words: [String]) throws -> ProgramResult {
            try ProgramResult.tideline(["tables", "set", database, "t"] + words, home: folder)
        }
        for (words, missing) in [([], "rowid"), (["-1"], "column"), (["-1", "a"], "value")] {
            let result = try set(words)
            #expect(result.status == 64)
            #expect(result.errors.contains("'<\(missing)>'"), "\(result.errors)")
        }
        // The error names the wrong word, not its neighbor.
        let row = try set(["-2", "a", "-5"])
        #expect(row.status == 1 && row.errors.contains("-2: t "), "\(row.errors)")
        let column = try set(["-1", "-b", "-5"])
        #expect(column.status == 1 && column.errors.contains("-b: t "))
        let option = try set(["-1", "a", "--b"])
        #expect(option.status == 64 && option.errors.contains("Unknown option '--b'"))
        #expect(option.errors.contains("put -- before"), "\(option.errors)")
        #expect(try set(["-1", "a", "b", "c"]).errors.contains("4 values"))
        for (words, value) in [
            (["-1", "a", "-5"], "-5"), (["-1", "a", "--", "--b"], "--b"),
            (["--", "-1", "a", "--"], "--"), (["-1", "a", "--as", "null"], ""),
        ] {
            let result = try set(words)
            #expect(result.status == 0, "\(words): \(result.errors)")
            let shown = try tideline(
                "tables", "query", database, "SELECT a FROM t WHERE rowid = -1", "--json")
            let reported = value.isEmpty ? "null" : "\"\(value)\""
            #expect(shown.output == "{\"a\":\(reported)}\n", "\(words)")
        }
    }

    @Test func invalidTimeErrorExplainsTheFormat() throws {
        for arguments in [["kv", "list", store, "--at", "now"], ["log", store, "--since", "x"]] {
            let result = try ProgramResult.tideline(arguments, home: folder, device: nil)
            #expect(result.status == 64)
            let lines = result.errors.split(separator: "\n")
            #expect(lines.count == 2 && lines[1].contains("2026-11-21T09:15:00Z"), "\(lines)")
        }
    }

    @Test(arguments: [
        ("1764403200", "seconds since 1970; write 2025-11-29T08:00:00.000000Z"),
        ("1764403200123", "milliseconds since 1970; write 2025-11-29T08:00:00.123000Z"),
    ])
    func unixTimeIsRefused(_ time: String, _ advice: String) throws {
        try #require(tideline("kv", "set", store, "k", "v").status == 0)
        for arguments in [
            ["restore", store, "k", "--at"], ["kv", "list", store, "--at"],
            ["log", store, "--since"], ["diff", store, "--from"],
        ] {
            let result = try ProgramResult.tideline(arguments + [time], home: folder)
            #expect(result.status == 64)
            #expect(result.output.isEmpty && result.errors.contains(advice), "\(result)")
        }
        let set = try tideline("kv", "set", store, "k", time, "--as", "date")
        #expect(set.status == 64 && set.errors.contains(advice), "\(set)")
        #expect(try tideline("kv", "get", store, "k").output == "v\n")
    }

    @Test func emptyPathIsNamed() throws {
        let result = try tideline("info", "")
        #expect(result.status == 66 && result.errors.hasPrefix("tideline: \"\": "))
    }

    @Test func reasonDoesNotRepeatTheFileName() throws {
        #expect(
            try tideline("info", "/dev/null").errors
                == "tideline: /dev/null: it is not a regular file\n")
    }

    @Test func realOutOfRangeIsNotInfinity() throws {
        #expect(try tideline("kv", "set", store, "k", "1e400", "--as", "real").status == 64)
        #expect(try tideline("kv", "set", store, "k", "-inf", "--as", "real").status == 0)
        #expect(try tideline("kv", "get", store, "k", "--json").output == "{\"$real\":\"-inf\"}\n")
        let database = folder.appending("numbers.db")
        try runSQL("CREATE TABLE t (a REAL, b)", at: database)
        for (format, input) in [("json", #"[{"a": 1e400}]"#), ("csv", "a\n1e400\n")] {
            let imported = try tideline(
                "tables", "import", database, "t", "-", "--format", format, input: input)
            #expect(imported.status == 65, "\(imported)")
        }
        for cell in ["a:=1e400", "a=1e400"] {
            #expect(try tideline("tables", "insert", database, "t", cell).status == 64, "\(cell)")
        }
    }

    @Test func invalidJSONValueIsExplained() throws {
        for (text, reason) in [
            ("null", "null is not a value"),
            ("[1,]", "not JSON: expected a value (line 1, column 4)"),
            ("{\"$data\": 5}", "$data must contain base64 text"),
            ("1e400", "1e400 is too large for a double"),
        ] {
            let result = try tideline("kv", "set", store, "k", text, "--as", "json")
            #expect(result.status == 64)
            #expect(result.errors.hasPrefix("tideline: --as json: \(reason)"), "\(result.errors)")
        }
        let imported = try tideline(
            "kv", "import", store, "-", input: "{\"a\": 1, \"b\": {\"c\": [null]}}")
        #expect(imported.status == 65 && imported.errors.contains("\"b\": null"))
    }

    @Test func propertyListsAreValuesOfDocumentsAndTables() throws {
        let list = folder.appending("value.plist")
        func write(_ content: String) throws {
            try Data("<plist version=\"1.0\">\(content)</plist>".utf8).write(
                to: URL(filePath: list))
        }
        let document = String(try tideline("docs", "new", store, "notes").output.dropLast())
        try write("<dict><key>a</key><array><integer>1</integer><real>1</real></array></dict>")
        #expect(
            try tideline("docs", "set", store, document, "/p", list, "--as", "plist").status == 0)
        #expect(
            try tideline("docs", "show", store, document, "--json").output
                == "{\"p\":{\"a\":[1,1.0]}}\n")
        let database = folder.appending("shop.db")
        try runSQL(
            "CREATE TABLE t(a); INSERT INTO t VALUES (1);", at: database)
        try write("<integer>18</integer>")
        #expect(
            try tideline("tables", "set", database, "t", "1", "a", list, "--as", "plist").status
                == 0)
        #expect(try tideline("tables", "show", database, "t", "--json").output.contains("\"a\":18"))
    }
}
