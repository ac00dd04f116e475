import Foundation
import TestSupport
import Testing

/// A full disk, a file with a size limit, and a disk that turns read-only while the program runs: a
/// write that is reported as failed is never written, not even later.
@Suite(.serialized) struct FullDiskTests {
    /// A copy of the browser's store on a small disk.
    private final class Stage {
        let browser: BrowserStage
        let disk: SmallDisk
        let store: String

        init() throws {
            browser = try BrowserStage()
            disk = try SmallDisk(at: browser.folder.appending("disk"), bytes: 1 << 20)
            store = disk.path + "/Notes.store"
            let source = browser.store
            let copied = try disk.shell("cp -R '\(source)' \"$0/Notes.store\"")
            #expect(copied.status == 0, "\(copied.errors)")
        }

        func tideline(_ arguments: String..., input: String? = nil) throws -> ProgramResult {
            let (program, words) = disk.starting(Programs.built("tideline"), arguments)
            return try ProgramResult.running(
                executable: program, words,
                environment: BrowserStage.environment(browser.folder, "desk"), input: input)
        }

        /// The whole content of the store, for comparison.
        func everything() throws -> [String] {
            [
                try tideline("kv", "list", store, "--json").output,
                try tideline("log", store, "--json").output,
                try tideline("conflicts", store, "--json").output,
                try tideline("entities", "list", store, "--json").output,
                try tideline("blobs", "list", store, "--json").output,
            ]
        }

        func openBrowser(
            _ options: [String] = ["-w"], sees text: String = " 1/7"
        ) throws -> PseudoTerminal {
            let (program, words) = disk.starting(Programs.built("tideline"), [store] + options)
            let terminal = try PseudoTerminal(
                program, words, environment: browser.terminalEnvironment())
            try terminal.wait(for: "keys") { $0.shows(text) && $0.shows("LIVE") }
            return terminal
        }
    }

    private static let disk = Comment(rawValue: SmallDisk.problem ?? "")

    @Test(.enabled(if: SmallDisk.isPossible, disk))
    func commandsOnAFullDiskFailAndWriteNothingLater() throws {
        let stage = try Stage()
        #expect(
            try stage.tideline("entities", "add", stage.store, "--type", "t", "a=1").status == 0)
        #expect(
            try stage.tideline("blobs", "put", stage.store, "b", "-", input: "old").status == 0)
        let before = try stage.everything()
        try stage.disk.fill()
        let text = String(repeating: "long ", count: 4_000)
        let results = [
            try stage.tideline("kv", "set", stage.store, "alpha", text),
            try stage.tideline("kv", "unset", stage.store, "alpha"),
            try stage.tideline("resolve", stage.store, "delta", "--take", "phone"),
            try stage.tideline("entities", "add", stage.store, "--type", "t", "a=\(text)"),
            try stage.tideline("blobs", "put", stage.store, "b", "-", input: text),
            try stage.tideline("blobs", "put", stage.store, "new/c", "-", input: text),
        ]
        for (index, result) in results.enumerated() {
            #expect(result.status == 74, "\(index): \(result.errors)")
            #expect(result.errors.hasPrefix("tideline: "), "\(index): \(result.errors)")
        }
        #expect(try stage.everything() == before)
        try stage.disk.empty()
        #expect(try stage.everything() == before)
        #expect(try stage.tideline("kv", "set", stage.store, "other", "1").status == 0)
        #expect(
            try stage.tideline("kv", "get", stage.store, "alpha").output == "first of all\n")
        #expect(try stage.disk.shell("find \"$0\" -name '*.tideline-*'").output.isEmpty)
    }

    @Test(.enabled(if: SmallDisk.isPossible, disk))
    func importOnAFullDiskAddsNothingAndNamesTheDatabase() throws {
        let stage = try Stage()
        let original = stage.browser.folder.appending("t.db")
        try runSQL("CREATE TABLE t (v)", at: original)
        let copied = try stage.disk.shell("cp '\(original)' \"$0/t.db\"")
        try #require(copied.status == 0, "\(copied.errors)")
        let row = String(repeating: "x", count: 100) + "\n"
        let rows = stage.browser.folder.appending("rows.csv")
        try Data(("v\n" + String(repeating: row, count: 20_000)).utf8)
            .write(to: URL(filePath: rows))
        let database = stage.disk.path + "/t.db"
        try stage.disk.fill()
        let result = try stage.tideline("tables", "import", database, "t", rows)
        #expect(result.status == 74)
        #expect(result.errors.hasPrefix("tideline: \(database): "), "\(result.errors)")
        try stage.disk.empty()
        #expect(try stage.tideline("tables", "show", database, "t", "--json").output.isEmpty)
    }

    @Test(.enabled(if: SmallDisk.isPossible, disk))
    func importThatFillsTheDiskIsRolledBackAtOnce() throws {
        let stage = try Stage()
        let original = stage.browser.folder.appending("t.db")
        try runSQL("CREATE TABLE t (v)", at: original)
        let copied = try stage.disk.shell("cp '\(original)' \"$0/t.db\"")
        try #require(copied.status == 0, "\(copied.errors)")
        // More than SQLite's cache, so that pages are written before the commit.
        let row = String(repeating: "x", count: 400) + "\n"
        let rows = stage.browser.folder.appending("rows.csv")
        try Data(("v\n" + String(repeating: row, count: 20_000)).utf8)
            .write(to: URL(filePath: rows))
        let result = try stage.tideline(
            "tables", "import", stage.disk.path + "/t.db", "t", rows)
        #expect(result.status == 74)
        let files = try stage.disk.shell(
            "find \"$0\" -name 't.db-journal' -size +0; wc -c < \"$0/t.db\"")
        #expect(Int(files.output.trimmingCharacters(in: .whitespacesAndNewlines)) == 8_192)
    }

    @Test(.enabled(if: SmallDisk.isPossible, disk))
    func firstFileOfADeviceIsNotLeftHalfMade() throws {
        let commands = [
            ["kv", "set", "a", "b"], ["entities", "add", "--type", "t"], ["docs", "new", "Plans"],
            ["servers", "create"],
        ]
        for words in commands {
            let stage = try Stage()
            let arguments = Array(words.prefix(2)) + [stage.store] + words.dropFirst(2)
            func run() throws -> ProgramResult {
                let (program, words) = stage.disk.starting(
                    Programs.built("tideline"), arguments + ["--device", "new", "--new-device"])
                return try ProgramResult.running(
                    executable: program, words,
                    environment: BrowserStage.environment(stage.browser.folder, "desk"))
            }
            let before = try stage.disk.shell("find \"$0\" -type f | sort").output
            try stage.disk.fill()
            #expect(try run().status == 74, "\(words)")
            try stage.disk.empty()
            #expect(try stage.disk.shell("find \"$0\" -type f | sort").output == before, "\(words)")
            let again = try run()
            #expect(again.status == 0, "\(words): \(again.errors)")
        }
    }

    @Test(.enabled(if: SmallDisk.isPossible, disk))
    func doctorNotesAReadOnlyDisk() throws {
        let stage = try Stage()
        try #require(try stage.tideline("kv", "set", stage.store, "a", "1").status == 0)
        let before = try stage.tideline("doctor", stage.store, "--json")
        try stage.disk.forbidWriting()
        let found = try stage.tideline("doctor", stage.store, "--json")
        #expect(found.status == before.status)
        #expect(!found.output.contains("chmod"))
        let new = found.output.split(separator: "\n").filter {
            !before.output.split(separator: "\n").contains($0)
        }
        #expect(new.count == 1)
        #expect(new.first?.contains("\"note\"") == true, "\(new)")
        try stage.disk.allowWriting()
    }

    @Test(.enabled(if: SmallDisk.isPossible, disk))
    func catalogIsCreatedWholeOrNotAtAll() throws {
        let folder = try TemporaryFolder()
        var statuses: Set<Int32> = []
        // The disk is full at each step of the creation in turn.
        for pageCount in Array(1...32) + [512] {
            let disk = try SmallDisk(
                at: folder.appending("disk-\(pageCount)"), bytes: pageCount * 4_096)
            let (program, words) = disk.starting(
                Programs.built("tideline"), ["servers", "create", disk.path + "/Catalog.db"])
            let result = try ProgramResult.running(
                executable: program, words, environment: ["HOME": folder.path])
            statuses.insert(result.status)
            let files = try disk.shell("ls -A \"$0\"").output.split(separator: "\n")
            if result.status == 0 {
                #expect(files.contains("Catalog.db"), "\(pageCount)")
            } else {
                #expect(files.isEmpty, "\(pageCount): \(files)")
            }
        }
        #expect(statuses == [0, 74])
    }

    @Test(.enabled(if: SmallDisk.isPossible, disk))
    func browserOnAFullDiskShowsTheOldValueAndWritesNothingLater() throws {
        let stage = try Stage()
        try refuseInBrowser(stage, by: { try stage.disk.fill() }, until: { try stage.disk.empty() })
    }

    @Test(.enabled(if: SmallDisk.isPossible, disk))
    func browserOnAReadOnlyDiskShowsTheOldValueAndWritesNothingLater() throws {
        let stage = try Stage()
        try refuseInBrowser(
            stage, by: { try stage.disk.forbidWriting() },
            until: { try stage.disk.allowWriting() })
    }

    private func refuseInBrowser(
        _ stage: Stage, by refuse: () throws -> Void, until allow: () throws -> Void
    ) throws {
        let terminal = try stage.openBrowser()
        // The first write opens the file, which is still open when the disk turns read-only.
        try terminal.append(" and more")
        try terminal.confirmWrite()
        let before = try stage.tideline("log", stage.store, "--json").output
        try refuse()
        try terminal.append(" REFUSED")
        try terminal.dropRefusedWrite()
        // The typed text isn't lost.
        try terminal.wait(for: "the text") {
            $0.shows("REFUSED") && $0.shows("Enter: preview")
        }
        terminal.type("\u{1B}")
        try terminal.wait(for: "the list") { !$0.shows("Enter: preview") }
        terminal.type("d")
        try terminal.dropRefusedWrite()
        terminal.type("z")
        try terminal.wait(forText: "Undo this change?")
        try terminal.dropRefusedWrite()
        try terminal.wait(for: "the old value") {
            $0.shows("first of all and more") && !$0.shows("REFUSED") && !$0.shows("UNSAVED")
        }
        try allow()
        // The next write doesn't bring the refused one along.
        terminal.type("G")
        try terminal.wait(forText: " 7/7")
        try terminal.append(" again")
        try terminal.confirmWrite()
        terminal.type("q")
        #expect(try terminal.end() == 0)
        let after = try stage.tideline("log", stage.store, "--json").output
        let new = after.split(separator: "\n").dropFirst(before.split(separator: "\n").count)
        #expect(after.hasPrefix(before))
        #expect(new.count == 1, "\(new)")
        #expect(!after.contains("REFUSED"))
        #expect(new.first?.contains("\"a game again\"") == true)
    }

    @Test(.enabled(if: SmallDisk.isPossible, disk))
    func readOnlyDiskIsNoticedWhenWritingIsUnlocked() throws {
        let stage = try Stage()
        try stage.disk.forbidWriting()
        let terminal = try stage.openBrowser(sees: "writing stays locked: the file system of")
        #expect(terminal.screen.shows("[RO]"))
        terminal.type("j")
        try terminal.wait(forText: " 2/7")
        terminal.type("w")
        try terminal.wait(for: "the reason") {
            $0.shows("writing stays locked: the file system of") && $0.shows("[RO]")
        }
        try stage.disk.allowWriting()
        terminal.type("w")
        try terminal.wait(forText: "[WRITE]")
        terminal.type("q")
        #expect(try terminal.end() == 0)
    }

    /// Files with a size limit, which works even if nothing can be mounted.
    @Test(.enabled(if: Programs.installed("prlimit") != nil, "prlimit is not installed"))
    func writesBeyondAFileSizeLimitFail() throws {
        let stage = try BrowserStage()
        try stage.tideline("entities", "add", stage.store, "--type", "t", "a=1")
        let before = try stage.tideline("log", stage.store, "--json").output
        let entities = try stage.tideline("entities", "list", stage.store, "--json").output
        let text = String(repeating: "long ", count: 20_000)
        let file = stage.folder.appending("long")
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        for arguments in [
            ["kv", "set", stage.store, "alpha", text],
            ["entities", "add", stage.store, "--type", "t", "a=\(text)"],
            ["blobs", "put", stage.store, "b", file],
        ] {
            let result = try ProgramResult.running(
                executable: try #require(Programs.installed("prlimit")),
                ["--fsize=65536", "--", Programs.built("tideline")] + arguments,
                environment: BrowserStage.environment(stage.folder, "desk"))
            #expect(result.status == 74, "\(arguments[0]): \(result.errors)")
        }
        #expect(try stage.tideline("log", stage.store, "--json").output == before)
        #expect(
            try stage.tideline("entities", "list", stage.store, "--json").output == entities)
        #expect(try stage.tideline("blobs", "list", stage.store, "--json").output.isEmpty)
        try stage.tideline("kv", "set", stage.store, "alpha", "fits")
    }
}

extension PseudoTerminal {
    /// Appends to the value under the cursor, up to the preview.
    fileprivate func append(_ text: String) throws {
        type("i")
        try wait(forText: "Enter: preview")
        type(text + "\r")
    }

    fileprivate func confirmWrite() throws {
        try wait(forText: "y: write")
        type("y")
        try wait(forText: "(z: undo)")
    }

    /// Confirms a write that fails, and drops it.
    ///
    /// Waits for the line in the dialog, because the line at the bottom may still show the previous
    /// failure.
    fileprivate func dropRefusedWrite() throws {
        try wait(forText: "y: write")
        type("y")
        // Waits for both lines, because a frame can arrive in parts, and because Esc directly
        // before another key would be Alt.
        try wait(for: "the refusal") { $0.shows("│ ! ") && $0.shows("y: write") }
        type("\u{1B}")
        try wait(for: "no preview") { !$0.shows("y: write") }
    }
}
