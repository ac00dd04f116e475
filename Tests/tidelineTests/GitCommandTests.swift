import Automerge
import Foundation
import Glibc
import TestSupport
import Testing

/// `tideline git` in a real repository, with separate settings.
@Suite(.enabled(if: Programs.installed("git") != nil)) struct GitCommandTests {
    private let folder: TemporaryFolder
    private let repository: String
    private let store: String

    init() throws {
        folder = try TemporaryFolder()
        repository = folder.appending("repository")
        store = repository + "/Notes.store"
        try FileManager.default.createDirectory(
            atPath: repository, withIntermediateDirectories: true)
        try succeed(git("init", "--quiet", "--initial-branch", "main"))
        try succeed(run("tideline", "git", "setup", "--write"))
        try succeed(tideline("kv", "create", store))
    }

    @Test(.timeLimit(.minutes(30))) func pipeIsNotConvertedToText() throws {
        let pipe = folder.appending("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let result = try tideline("git", "textconv", pipe)
        #expect(result.status == 65)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains(pipe), "\(result.errors)")
    }

    private var environment: [String: String] {
        let programs = URL(filePath: Programs.built("tideline")).deletingLastPathComponent().path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return [
            "HOME": folder.path, "XDG_CONFIG_HOME": folder.appending("config"),
            "XDG_STATE_HOME": folder.appending("state"), "PATH": "\(programs):\(path)",
            "GIT_CONFIG_GLOBAL": folder.appending("gitconfig"), "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Anna", "GIT_AUTHOR_EMAIL": "anna@example.com",
            "GIT_COMMITTER_NAME": "Anna", "GIT_COMMITTER_EMAIL": "anna@example.com",
            "GIT_EDITOR": "true", "GIT_PAGER": "cat", "TIDELINE_DEVICE": "desk",
        ]
    }

    /// Runs a program in the repository.
    private func run(_ words: String...) throws -> ProgramResult {
        try ProgramResult.running(
            executable: "/bin/sh",
            ["-c", "cd \"$1\" && shift && exec \"$@\"", "sh", repository]
                + words, environment: environment)
    }

    private func git(_ arguments: String...) throws -> ProgramResult {
        try ProgramResult.running(
            executable: try #require(Programs.installed("git")), ["-C", repository] + arguments,
            environment: environment)
    }

    private func tideline(_ arguments: String..., input: String? = nil) throws -> ProgramResult {
        try ProgramResult.running(
            "tideline", arguments, environment: environment, input: input)
    }

    @discardableResult
    private func succeed(
        _ result: ProgramResult, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> ProgramResult {
        try #require(
            result.status == 0, "\(result.output) \(result.errors)", sourceLocation: sourceLocation)
        return result
    }

    private func commit(_ message: String) throws {
        try succeed(git("add", "--all"))
        try succeed(git("commit", "--quiet", "--message", message))
    }

    /// Commits `base`, then `ours` on the main branch and `theirs` on another, and stays on main.
    private func branch(
        base: () throws -> Void, ours: () throws -> Void, theirs: () throws -> Void
    ) throws {
        try base()
        try commit("base")
        try succeed(git("checkout", "--quiet", "-b", "other"))
        try theirs()
        try commit("theirs")
        try succeed(git("checkout", "--quiet", "main"))
        try ours()
        try commit("ours")
    }

    private func set(_ key: String, _ value: String) throws {
        try succeed(tideline("kv", "set", store, key, value))
    }

    private func values() throws -> String {
        try succeed(tideline("kv", "list", store, "--json")).output
    }

    @Test func differenceOfALogShowsItsRows() throws {
        try set("note/1/title", "Groceries")
        try commit("base")
        try set("note/1/title", "Shopping\nlist")
        try succeed(tideline("kv", "unset", store, "note/1/title"))
        let added = try succeed(git("diff")).output.split(separator: "\n").filter {
            $0.hasPrefix("+") && !$0.hasPrefix("+++")
        }
        try #require(added.count == 4, "\(added)")
        #expect(added[0].hasSuffix("Z note/1/title:"))
        #expect(added[1...2] == ["+  Shopping", "+  list"])
        #expect(added[3].hasSuffix("Z note/1/title deleted"))
        let log = try succeed(git("log", "-p")).output
        #expect(log.contains("note/1/title: Groceries"))
        #expect(try succeed(git("show", "HEAD")).output.contains("note/1/title: Groceries"))
    }

    @Test func everyKindOfFileHasAText() throws {
        let demo = folder.appending("Demo.store")
        try succeed(tideline("demo", demo, "--no-open"))
        let devices = try FileManager.default.subpathsOfDirectory(atPath: demo)
            .filter { $0.hasSuffix(".db") }
        #expect(devices.count > 4)
        for file in devices {
            let result = try succeed(tideline("git", "textconv", "\(demo)/\(file)"))
            #expect(result.output.split(separator: "\n").count > 1, "\(file)")
            #expect(result.errors.isEmpty)
        }
        let note = folder.appending("note.txt")
        try Data("plain\ntext\u{1B}[31m".utf8).write(to: URL(filePath: note))
        let text = try succeed(tideline("git", "textconv", note)).output
        #expect(text.hasPrefix("plain\ntext") && !text.contains("\u{1B}"))
        try Data([0, 1, 2]).write(to: URL(filePath: note))
        #expect(try succeed(tideline("git", "textconv", note)).output.hasPrefix("3 bytes, hash "))
        #expect(try tideline("git", "textconv", folder.appending("none")).status == 66)
        try Data([0x85, 0x6F, 0x4A, 0x83, 0]).write(to: URL(filePath: note))
        #expect(try succeed(tideline("git", "textconv", note)).output.hasPrefix("damaged, hash "))
    }

    @Test(arguments: ["merge", "rebase", "cherry-pick"])
    func logOfOneDeviceIsMerged(by command: String) throws {
        try branch {
            try set("base", "1")
        } ours: {
            try set("ours", "2")
        } theirs: {
            try set("theirs", "3")
        }
        try succeed(git(command, "other"))
        #expect(try values() == #"{"base":"1","ours":"2","theirs":"3"}"# + "\n")
        #expect(try git("status", "--porcelain").output.isEmpty)
        try succeed(tideline("doctor", store))
        // The same device continues its log.
        try set("later", "4")
        #expect(try values().contains(#""later":"4""#))
    }

    @Test func gitRevertOfAnEarlierWriteEndsInAConflict() throws {
        let path = repository + "/plan.automerge"
        let document = Document()
        for key in ["a", "b", "c"] {
            try set(key, "1")
            try document.put(obj: .ROOT, key: key, value: .String("1"))
            try document.save().write(to: URL(filePath: path))
            try commit(key)
        }
        let revert = try git("revert", "--no-edit", "HEAD~1")
        #expect(revert.status == 1)
        let text = revert.output + revert.errors
        for file in ["plan.automerge", "Notes.store/Devices/desk/Logs.db"] {
            #expect(text.contains("\(file): not merged: "), "\(text)")
        }
        #expect(try values() == #"{"a":"1","b":"1","c":"1"}"# + "\n")
    }

    @Test(arguments: ["merge", "rebase", "cherry-pick"])
    func automergeFileIsMerged(by command: String) throws {
        let path = repository + "/plan.automerge"
        func edit(_ key: String, _ value: String) throws {
            let data = FileManager.default.contents(atPath: path)
            let document = try data.map { try Document($0) } ?? Document()
            try document.put(obj: .ROOT, key: key, value: .String(value))
            try document.save().write(to: URL(filePath: path))
        }
        try branch {
            try edit("title", "Trip")
        } ours: {
            try edit("title", "Journey")
            try edit("ours", "1")
        } theirs: {
            try edit("title", "Voyage")
            try edit("theirs", "2")
        }
        let result = try succeed(git(command, "other"))
        #expect((result.output + result.errors).contains("with 1 place in conflict"))
        let shown = try succeed(tideline("docs", "show", path, "--json")).output
        #expect(shown.contains(#""ours":"1""#) && shown.contains(#""theirs":"2""#))
        #expect(
            try succeed(tideline("docs", "conflicts", path, "--json")).output.contains("/title"))
        let text = try succeed(tideline("git", "textconv", path)).output
        #expect(text.contains("/ours: 1\n") && text.contains("/title in conflict: "))
    }

    /// `--` is part of the settings. Repositories that were set up earlier have none.
    @Test(arguments: ["-- ", ""])
    func fileWhoseNameStartsWithADashIsShownAndMerged(_ separator: String) throws {
        try succeed(git("config", "diff.tideline.textconv", "tideline git textconv \(separator)"))
        try succeed(
            git(
                "config", "merge.tideline.driver",
                "tideline git merge-driver \(separator)%O %A %B %P"))
        let name = "-h.automerge"
        let path = "\(repository)/\(name)"
        func edit(_ key: String) throws {
            let data = FileManager.default.contents(atPath: path)
            let document = try data.map { try Document($0) } ?? Document()
            try document.put(obj: .ROOT, key: key, value: .String("1"))
            try document.save().write(to: URL(filePath: path))
        }
        try branch {
            try edit("base")
        } ours: {
            try edit("ours")
            let difference = try succeed(git("diff", "--", "./\(name)")).output
            #expect(difference.contains("+/ours: 1\n"))
        } theirs: {
            try edit("theirs")
        }
        try succeed(git("merge", "other"))
        let shown = try succeed(tideline("docs", "show", path, "--json")).output
        #expect(shown == #"{"base":"1","ours":"1","theirs":"1"}"# + "\n")
    }

    @Test func damagedVersionIsNamedByItsPath() throws {
        let path = repository + "/plan.automerge"
        let document = Document()
        func put(_ key: String) throws -> Data {
            try document.put(obj: .ROOT, key: key, value: .String("1"))
            return document.save()
        }
        try branch {
            try put("base").write(to: URL(filePath: path))
        } ours: {
            try put("ours").write(to: URL(filePath: path))
        } theirs: {
            try put("theirs").prefix(40).write(to: URL(filePath: path))
        }
        let merge = try git("merge", "other")
        #expect(merge.status == 1)
        let text = merge.output + merge.errors
        #expect(text.contains("plan.automerge: can't read"), "\(text)")
        #expect(!text.contains(".merge_file"), "\(text)")
    }

    @Test func currentVersionStaysIfTheResultCannotBeWritten() throws {
        let (ours, theirs) = (folder.appending("ours"), folder.appending("theirs"))
        for path in [ours, theirs] {
            let document = Document()
            try document.put(obj: .ROOT, key: path, value: .String("1"))
            try document.save().write(to: URL(filePath: path))
        }
        let before = FileManager.default.contents(atPath: ours)
        // Files can't get longer than 0 blocks.
        let result = try ProgramResult.running(
            executable: "/bin/sh",
            [
                "-c", "ulimit -f 0; exec \"$@\"", "sh", Programs.built("tideline"), "git",
                "merge-driver", ours, ours, theirs, "plan.automerge",
            ], environment: environment)
        #expect(result.status == 74)
        #expect(FileManager.default.contents(atPath: ours) == before)
    }

    @Test func printedCommandQuotesThePath() throws {
        let (ours, theirs) = ("\(repository)/ours.db", "\(repository)/theirs.db")
        try runSQL("CREATE TABLE t (a)", at: ours)
        try runSQL("CREATE TABLE t (b)", at: theirs)
        let result = try ProgramResult.running(
            "tideline", ["git", "merge-driver", ours, ours, theirs, "My files/a.db"],
            environment: environment)
        #expect(result.status == 1)
        #expect(result.errors.contains("git checkout --theirs -- 'My files/a.db'\n"))
    }

    @Test func temporaryFolderThatCantBeCreatedIsNamed() throws {
        try set("a", "1")
        // In /proc, no user can create a folder.
        let result = try ProgramResult.running(
            "tideline", ["git", "textconv", store + "/Devices/desk/Logs.db"],
            environment: environment.merging(["TMPDIR": "/proc"]) { _, new in new })
        #expect(result.status == 66)
        #expect(result.errors.hasPrefix("tideline: /proc/tideline-"), "\(result.errors)")
        #expect(result.errors.hasSuffix(": no such file or folder\n"), "\(result.errors)")
    }

    @Test func argumentsFromGitAreCounted() throws {
        for arguments in [["textconv"], ["textconv", "a", "b"], ["merge-driver", "a", "b", "-c"]] {
            let result = try ProgramResult.running(
                "tideline", ["git"] + arguments, environment: environment)
            #expect(result.status == 64, "\(arguments)")
        }
        for command in ["textconv", "merge-driver"] {
            let help = try succeed(tideline("git", command, "--help")).output
            #expect(help.contains("USAGE: tideline git \(command)"))
        }
    }

    @Test func documentsOfOneDeviceAreMerged() throws {
        var workspace = ""
        try branch {
            workspace = try succeed(tideline("docs", "new", store, "Plans")).output
                .trimmingCharacters(in: .newlines)
        } ours: {
            try succeed(tideline("docs", "set", store, workspace, "/ours", "1"))
        } theirs: {
            for number in 0..<8 {
                try succeed(tideline("docs", "set", store, workspace, "/theirs", "\(number)"))
            }
        }
        try succeed(git("merge", "other"))
        let shown = try succeed(tideline("docs", "show", store, workspace, "--json")).output
        #expect(shown == #"{"ours":"1","theirs":"7"}"# + "\n")
        try succeed(tideline("doctor", store))
    }

    @Test func versionWithMissingRowsIsAConflict() throws {
        let log = "Notes.store/Devices/desk/Logs.db"
        try branch {
            try set("base", "1")
        } ours: {
            try set("ours", "1")
        } theirs: {
            for key in ["a", "b", "c"] { try set(key, "1") }
            try runSQL("DELETE FROM log WHERE id = 3", at: "\(repository)/\(log)")
        }
        let merge = try git("merge", "other")
        #expect(merge.status == 1)
        #expect((merge.output + merge.errors).contains("\(log): not merged: rows of the other"))
        #expect(try git("diff", "--name-only", "--diff-filter=U").output == log + "\n")
    }

    @Test func entitiesOfBothBranchesAreAConflict() throws {
        func add(_ id: String) throws {
            try succeed(tideline("entities", "add", store, "--type", "note", "--id", id, "k=v"))
        }
        try branch {
            try add("base")
        } ours: {
            try add("ours")
        } theirs: {
            try add("theirs")
        }
        let merge = try git("merge", "other")
        #expect(merge.status == 1)
        let log = "Notes.store/Devices/desk/Entities.db"
        #expect((merge.output + merge.errors).contains("\(log): not merged: the device wrote"))
        #expect(try git("diff", "--name-only", "--diff-filter=U").output == log + "\n")
        let listed = try succeed(tideline("entities", "list", store, "--json")).output
        #expect(listed.contains(#""ours""#) && !listed.contains(#""theirs""#))
    }

    @Test func databaseOfAnotherProgramIsNotMerged() throws {
        let path = repository + "/shop.db"
        func write(_ sql: String) throws {
            try succeed(run("sqlite3", path, sql))
        }
        guard Programs.installed("sqlite3") != nil else { return }
        try branch {
            try write("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)")
        } ours: {
            try write("INSERT INTO item VALUES (1, 'ours')")
        } theirs: {
            try write("INSERT INTO item VALUES (1, 'theirs')")
        }
        let difference = try succeed(git("diff", "main", "other")).output
        #expect(difference.contains(#"-item {"id":1,"name":"ours"}"#))
        #expect(difference.contains(#"+item {"id":1,"name":"theirs"}"#))
        let merge = try git("merge", "other")
        #expect(merge.status == 1)
        #expect((merge.output + merge.errors).contains("shop.db: not merged: both versions"))
        #expect(try succeed(run("sqlite3", path, "SELECT name FROM item")).output == "ours\n")
        #expect(try git("status", "--porcelain").output.contains("UU shop.db"))
        try succeed(git("checkout", "--theirs", "--", "shop.db"))
        #expect(try succeed(run("sqlite3", path, "SELECT name FROM item")).output == "theirs\n")
    }

    @Test func setupIsPrintedWithoutChangingAnything() throws {
        let before = try FolderState(of: repository)
        let printed = try succeed(run("tideline", "git", "setup", "--global")).output
        #expect(printed.contains("*.automerge -text diff=tideline merge=tideline\n"))
        #expect(
            printed.contains(
                "git config --global diff.tideline.textconv 'tideline git textconv --'\n"))
        #expect(try FolderState(of: repository) == before)
        #expect(!FileManager.default.fileExists(atPath: folder.appending("gitconfig")))
    }

    @Test func setupAddsEachLineOnce() throws {
        let attributes = URL(filePath: repository + "/.gitattributes")
        let before = try Data(contentsOf: attributes)
        try succeed(run("tideline", "git", "setup", "--write"))
        #expect(try Data(contentsOf: attributes) == before)
        // A file in another encoding keeps its bytes.
        let old = Data("# caf".utf8) + [0xE9] + Data("\n*.txt text".utf8)
        try old.write(to: attributes)
        try succeed(run("tideline", "git", "setup", "--write"))
        let new = try Data(contentsOf: attributes)
        #expect(new.starts(with: old + Data("\n*.automerge ".utf8)))
        #expect(try succeed(git("config", "merge.tideline.driver")).output.contains("%O %A %B %P"))
    }

    @Test func setupKeepsTheLineEndsOfWindows() throws {
        let attributes = URL(filePath: repository + "/.gitattributes")
        try Data("*.txt text\r\n*.db -text diff=tideline merge=tideline\r\n*.md text".utf8)
            .write(to: attributes)
        try succeed(run("tideline", "git", "setup", "--write"))
        let text = String(decoding: try Data(contentsOf: attributes), as: UTF8.self)
        #expect(text.unicodeScalars.count { $0 == "\n" } == 6)
        #expect(text.components(separatedBy: "\r\n").count == 7)
        try succeed(run("tideline", "git", "setup", "--write"))
        #expect(try Data(contentsOf: attributes) == Data(text.utf8))
        let known = try succeed(git("check-attr", "diff", "a.sqlite")).output
        #expect(known == "a.sqlite: diff: tideline\n")
    }

    @Test func setupReportsAFolderInPlaceOfTheAttributesFile() throws {
        let attributes = repository + "/.gitattributes"
        try FileManager.default.removeItem(atPath: attributes)
        try FileManager.default.createDirectory(
            atPath: attributes, withIntermediateDirectories: false)
        let result = try run("tideline", "git", "setup", "--write")
        #expect(result.status == 65)
        #expect(result.errors.contains(".gitattributes: "), "\(result.errors)")
    }

    @Test func setupChangesTheRepositoryThatGitUses() throws {
        let other = folder.appending("other")
        try succeed(git("init", "--quiet", other))
        try succeed(
            run(
                "env", "GIT_DIR=\(other)/.git", "GIT_WORK_TREE=\(other)", "tideline", "git",
                "setup", "--write"))
        #expect(FileManager.default.fileExists(atPath: other + "/.gitattributes"))
        try succeed(git("-C", other, "config", "--local", "merge.tideline.driver"))
    }

    @Test func globalSetupIsWrittenToTheUsersFiles() throws {
        try succeed(run("tideline", "git", "setup", "--global", "--write"))
        let attributes = folder.appending("config/git/attributes")
        #expect(try String(contentsOfFile: attributes, encoding: .utf8).hasPrefix("*.automerge "))
        let settings = try String(contentsOfFile: folder.appending("gitconfig"), encoding: .utf8)
        #expect(settings.contains("tideline git textconv"))

        let other = folder.appending("my attributes")
        try succeed(git("config", "--global", "core.attributesFile", other))
        try succeed(run("tideline", "git", "setup", "--global", "--write"))
        #expect(FileManager.default.fileExists(atPath: other))

        let outside = try ProgramResult.running(
            executable: "/bin/sh", ["-c", "cd \"$1\" && tideline git setup --write", "sh", "/"],
            environment: environment)
        #expect(outside.status == 64)
        #expect(outside.errors.contains("--global"))
        #expect(outside.errors.split(separator: "\n").count == 2, "\(outside.errors)")
    }
}
