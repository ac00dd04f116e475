import Foundation
import Glibc
import TestSupport
import Testing

/// The same failure has the same message and exit code in every command.
@Suite struct ErrorContractTests {
    private let folder: TemporaryFolder
    private let store: String
    private let catalog: String
    private let document: String
    private let json: String

    init() throws {
        folder = try TemporaryFolder()
        store = folder.appending("Notes.store")
        catalog = folder.appending("Catalog.db")
        document = folder.appending("Notes.automerge")
        json = folder.appending("input.json")
        try Data("{}".utf8).write(to: URL(filePath: json))
    }

    // MARK: The commands

    /// The kind of store that a command takes.
    enum Kind: CaseIterable { case package, entities, catalog, document, any }

    /// Arguments, with `PATH` for the store and `FILE` for an input file.
    struct Command: CustomTestStringConvertible, Sendable {
        let kind: Kind
        let words: [String]
        init(_ kind: Kind, _ line: String) {
            self.kind = kind
            words = line.split(separator: " ").map(String.init)
        }
        var testDescription: String { words.joined(separator: " ") }
        var readsFile: Bool { words.contains("FILE") }
        func arguments(_ path: String, file: String) -> [String] {
            words.map { $0 == "PATH" ? path : $0 == "FILE" ? file : $0 }
        }
    }

    static let reading = [
        Command(.any, "info PATH"), Command(.any, "PATH --linear"),
        Command(.package, "watch PATH"), Command(.package, "kv list PATH"),
        Command(.package, "kv get PATH k"), Command(.package, "kv list PATH --at 0"),
        Command(.package, "log PATH"), Command(.package, "conflicts PATH"),
        Command(.package, "blobs list PATH"), Command(.package, "blobs get PATH b"),
        Command(.package, "blobs conflicts PATH"),
        Command(.entities, "entities list PATH"), Command(.entities, "entities show PATH e"),
        Command(.entities, "entities related PATH e"), Command(.entities, "entities export PATH"),
        Command(.catalog, "servers list PATH"), Command(.catalog, "servers groups PATH"),
        Command(.catalog, "servers show PATH s"), Command(.catalog, "servers first PATH"),
        Command(.document, "docs list PATH"), Command(.document, "docs show PATH"),
        Command(.document, "docs history PATH"), Command(.document, "docs conflicts PATH"),
        Command(.document, "docs check PATH"),
    ]

    static let writing = [
        Command(.package, "kv set PATH k v"), Command(.package, "kv unset PATH k"),
        Command(.package, "kv import PATH FILE"), Command(.package, "resolve PATH k --value v"),
        Command(.package, "merge PATH PATH"), Command(.package, "blobs put PATH b FILE"),
        Command(.package, "blobs delete PATH b"),
        Command(.package, "blobs resolve PATH b --take b"),
        Command(.entities, "entities add PATH --type t"),
        Command(.entities, "entities set PATH e k v"),
        Command(.entities, "entities unset PATH e k"), Command(.entities, "entities delete PATH e"),
        Command(.entities, "entities relate PATH e k e"),
        Command(.entities, "entities import PATH FILE"),
        Command(.catalog, "servers import PATH FILE"), Command(.catalog, "servers loads PATH FILE"),
        Command(.catalog, "servers prune PATH FILE"),
    ]

    private func run(_ arguments: [String], input: String? = nil) throws -> ProgramResult {
        try ProgramResult.tideline(arguments, home: folder, input: input)
    }

    private func makeStore() throws { try #require(run(["kv", "create", store]).status == 0) }

    /// Expects one line in the form of the contract, with an optional suggestion and without a
    /// framework's wording.
    private func expect(
        _ result: ProgramResult, _ status: Int32, _ subject: String, _ reason: String? = nil,
        _ comment: String
    ) {
        #expect(result.status == status, "\(comment): \(result.errors)")
        // Findings are the result of a check.
        if !comment.hasPrefix("docs check") { #expect(result.output.isEmpty, "\(comment)") }
        let lines = result.errors.split(separator: "\n").filter { !$0.hasPrefix("  ") }
        #expect(lines.count == 1, "\(comment): \(result.errors)")
        let line = lines.last.map(String.init) ?? ""
        if let reason {
            #expect(line == "tideline: \(subject): \(reason)", "\(comment)")
        } else {
            #expect(line.hasPrefix("tideline: \(subject): "), "\(comment): \(line)")
        }
        for word in ["The file", "couldn", "Domain", "NSError", "Cocoa", "POSIX"] {
            #expect(!result.errors.contains(word), "\(comment): \(result.errors)")
        }
    }

    // MARK: Nothing there, or something else

    @Test(arguments: reading + writing)
    func missingStoreIsNamed(_ command: Command) throws {
        let missing = folder.appending("missing")
        for path in [missing, "\(json)/deeper"] {
            expect(
                try run(command.arguments(path, file: json)), 66, path,
                "no such file or folder", command.testDescription)
        }
        #expect(!FileManager.default.fileExists(atPath: missing))
    }

    /// The browser lists the stores that will be in the folder.
    @Test(arguments: (reading + writing).filter { $0.testDescription != "PATH --linear" })
    func emptyFolderIsNotAStore(_ command: Command) throws {
        let empty = folder.appending("empty")
        try FileManager.default.createDirectory(
            atPath: empty, withIntermediateDirectories: false)
        let reason =
            command.kind == .document
            ? nil : #"it has no folder "Devices", so it is not a store package"#
        expect(
            try run(command.arguments(empty, file: json)), 65, empty, reason,
            command.testDescription)
        #expect(try FileManager.default.contentsOfDirectory(atPath: empty).isEmpty)
    }

    @Test(arguments: reading + writing)
    func fileOfAnotherKindIsNamed(_ command: Command) throws {
        let file = folder.appending("file.txt")
        let content = Data("neither this nor that, and longer than a header".utf8)
        try content.write(to: URL(filePath: file))
        expect(
            try run(command.arguments(file, file: json)), 65, file,
            command.kind == .package ? "a file, not a store package" : nil,
            command.testDescription)
        #expect(try Data(contentsOf: URL(filePath: file)) == content)
    }

    // MARK: Permission

    /// Runs the program as a user without root's permissions. Returns `nil` if that isn't possible
    /// here.
    private func runUnprivileged(
        _ arguments: [String], _ environment: [String: String]? = nil
    ) throws -> ProgramResult? {
        let environment = environment ?? ["HOME": folder.path, "TIDELINE_DEVICE": "desk"]
        guard geteuid() == 0 else {
            return try ProgramResult.running("tideline", arguments, environment: environment)
        }
        let setpriv = "/usr/bin/setpriv"
        guard FileManager.default.isExecutableFile(atPath: setpriv) else { return nil }
        func nobody(_ arguments: [String]) throws -> ProgramResult {
            let user = ["--reuid", "65534", "--regid", "65534", "--clear-groups"]
            return try ProgramResult.running(
                executable: setpriv, user + [Programs.built("tideline")] + arguments,
                environment: environment)
        }
        guard try nobody(["--version"]).status == 0 else { return nil }
        return try nobody(arguments)
    }

    @Test(arguments: reading + writing)
    func unreadableStoreIsNamed(_ command: Command) throws {
        try makeStore()
        chmod(folder.path, 0o755)
        chmod(store, 0)
        defer { chmod(store, 0o755) }
        guard let result = try runUnprivileged(command.arguments(store, file: json)) else { return }
        expect(result, 77, store, "permission denied", command.testDescription)
    }

    @Test(arguments: [
        "kv set PATH k v", "entities add PATH --type t", "servers create PATH",
        "blobs put PATH b FILE",
    ])
    func unwritableStoreIsReported(_ line: String) throws {
        try makeStore()
        for path in [folder.path, store, "\(store)/Devices"] { chmod(path, 0o555) }
        defer { for path in [folder.path, store, "\(store)/Devices"] { chmod(path, 0o755) } }
        let command = Command(.any, line)
        guard let result = try runUnprivileged(command.arguments(store, file: json)) else { return }
        #expect(result.status == 77, "\(line): \(result.errors)")
        #expect(result.errors.contains(": permission denied\n"), "\(line): \(result.errors)")
        #expect(!result.errors.contains("creating its folder"), "\(line): \(result.errors)")
    }

    @Test func restoreIntoReadOnlyFolderIsReported() throws {
        try makeStore()
        try #require(run(["kv", "set", store, "k", "v"]).status == 0)
        let device = "\(store)/Devices/desk"
        let log = "\(device)/Logs.db"
        let paths = [folder.path, store, "\(store)/Devices", device]
        // SQLite also has to create the journal in the folder.
        unlink("\(log)-journal")
        chmod(log, 0o666)
        for path in paths { chmod(path, 0o555) }
        defer { for path in paths { chmod(path, 0o755) } }
        let restore = ["restore", store, "k", "--at", "2001-01-02"]
        guard let result = try runUnprivileged(restore) else { return }
        #expect(result.status == 77, "\(result.errors)")
        #expect(result.errors.hasSuffix("\(log): permission denied\n"), "\(result.errors)")
    }

    @Test func importIntoReadOnlyDatabaseNamesTheDatabase() throws {
        let (database, rows) = (folder.appending("t.db"), folder.appending("rows.csv"))
        try runSQL("CREATE TABLE t (v)", at: database)
        try Data("v\n1\n".utf8).write(to: URL(filePath: rows))
        chmod(folder.path, 0o755)
        chmod(rows, 0o644)
        chmod(database, 0o444)
        let arguments = ["tables", "import", database, "t", rows]
        guard let result = try runUnprivileged(arguments) else { return }
        expect(result, 77, database, "permission denied", "tables import")
    }

    @Test func forbiddenFileIsNotReplacedByADocument() throws {
        try makeStore()
        let file = folder.appending("notes")
        let id = try run(["docs", "new", store, "Plans"]).output
            .trimmingCharacters(in: .newlines)
        try #require(run(["docs", "export", store, id, document]).status == 0)
        try Data("text".utf8).write(to: URL(filePath: file))
        chmod(folder.path, 0o777)
        chmod(document, 0o644)
        chmod(file, 0)
        defer { chmod(file, 0o644) }
        let arguments = ["docs", "merge", document, "--output", file]
        guard let result = try runUnprivileged(arguments) else { return }
        expect(result, 77, file, "permission denied", "docs merge")
        chmod(folder.path, 0o755)
        let versions = [document, document, document, "Plans.automerge"]
        guard let merge = try runUnprivileged(["git", "merge-driver"] + versions) else { return }
        expect(merge, 77, "Plans.automerge", "permission denied", "git merge-driver")
        chmod(file, 0o644)
        #expect(try Data(contentsOf: URL(filePath: file)) == Data("text".utf8))
    }

    @Test func unreadableDeviceFolderIsOneProblem() throws {
        try makeStore()
        for device in ["desk", "phone"] {
            let writer = ["--device", device, "--new-device"]
            try #require(run(["kv", "set", store, "k", "v"] + writer).status == 0)
            try #require(run(["entities", "add", store, "--type", "t"] + writer).status == 0)
        }
        for path in [folder.path, store, "\(store)/Devices", "\(store)/Devices/phone"] {
            chmod(path, 0o755)
        }
        let closed = "\(store)/Devices/desk"
        chmod(closed, 0)
        defer { chmod(closed, 0o755) }
        guard let found = try runUnprivileged(["doctor", store]),
            let info = try runUnprivileged(["info", store, "--json"])
        else { return }
        #expect(found.output.components(separatedBy: "permission denied").count == 2)
        #expect(found.output.contains("chmod"))
        #expect(info.output.components(separatedBy: "\"desk: ").count == 2, "\(info.output)")
    }

    @Test func unreadableLogIsNotAnEmptyLog() throws {
        try makeStore()
        try #require(run(["kv", "set", store, "k", "v"]).status == 0)
        let log = "\(store)/Devices/desk/Logs.db"
        for path in [folder.path, store, "\(store)/Devices", "\(store)/Devices/desk"] {
            chmod(path, 0o755)
        }
        chmod(log, 0)
        defer { chmod(log, 0o644) }
        guard let result = try runUnprivileged(["log", store, "--device", "desk", "--json"]) else {
            return
        }
        #expect(result.status == 65 && result.output.isEmpty)
        #expect(result.errors.hasSuffix("\(log): permission denied\n"), "\(result.errors)")
        #expect(try #require(try runUnprivileged(["log", store, "--json"])).status == 0)
    }

    @Test(arguments: [
        ("Logs.db", "kv get PATH zz"), ("Logs.db", "blame PATH zz"),
        ("Entities.db", "entities show PATH zz"), ("Documents.db", "docs show PATH zz"),
    ])
    func itemThatAForbiddenFileMayHoldIsNotReportedAsAbsent(_ file: String, _ line: String) throws {
        try makeStore()
        let asking = Command(.package, line).arguments(store, file: json)
        try #require(run(["kv", "set", store, "k", "v"]).status == 0)
        try #require(run(["entities", "add", store, "--type", "t"]).status == 0)
        try #require(run(["docs", "new", store, "Plans"]).status == 0)
        let device = "\(store)/Devices/desk"
        for path in [folder.path, store, "\(store)/Devices", device] { chmod(path, 0o755) }
        #expect(try run(asking).status == 1)
        chmod("\(device)/\(file)", 0)
        guard let result = try runUnprivileged(asking) else { return }
        #expect(result.status == 77, "\(result.errors)")
        #expect(result.errors.contains("permission denied"), "\(result.errors)")
    }

    @Test func plainLinesOfAFolderNameUnreadableStores() throws {
        try makeStore()
        let (closed, cut) = (folder.appending("Closed.store"), folder.appending("cut.db"))
        let forbidden = folder.appending("forbidden.db")
        try #require(run(["kv", "create", closed]).status == 0)
        try runSQL("CREATE TABLE t (v)", at: forbidden)
        try Data(contentsOf: URL(filePath: forbidden)).prefix(100).write(to: URL(filePath: cut))
        for path in [folder.path, store, "\(store)/Devices"] { chmod(path, 0o755) }
        for path in [closed, forbidden] { chmod(path, 0) }
        defer { chmod(closed, 0o755) }
        guard let result = try runUnprivileged([folder.path, "--linear"]) else { return }
        #expect(result.status == 0)
        #expect(result.output.contains("store Notes.store, kind package"), "\(result.output)")
        for problem in [
            "\(closed): permission denied", "\(forbidden): permission denied",
            "\(cut) is incomplete: 100 of ",
        ] {
            #expect(result.errors.contains("tideline: \(problem)"), "\(result.errors)")
        }
    }

    @Test func infoShowsTheRestIfBlobsAreUnreadable() throws {
        try makeStore()
        try #require(run(["blobs", "put", store, "b", "-"], input: "x").status == 0)
        for path in [folder.path, store, "\(store)/Devices"] { chmod(path, 0o755) }
        let blobs = "\(store)/Blobs"
        chmod(blobs, 0)
        defer { chmod(blobs, 0o755) }
        guard let result = try runUnprivileged(["info", store, "--json"]) else { return }
        #expect(result.status == 0)
        #expect(result.output.contains("\"keys\":0"))
        #expect(result.output.contains("\(blobs): permission denied"))
    }

    @Test func unreadableStateFolderDoesNotPreventReading() throws {
        try makeStore()
        try #require(run(["kv", "set", store, "k", "v"]).status == 0)
        chmod(folder.path, 0o755)
        let state = folder.appending("state")
        try FileManager.default.createDirectory(
            atPath: state + "/tideline", withIntermediateDirectories: true)
        try Data("desk\n".utf8).write(to: URL(filePath: state + "/tideline/device"))
        chmod(state, 0)
        defer { chmod(state, 0o755) }
        let environment = ["HOME": folder.path, "XDG_STATE_HOME": state]
        for arguments in [["doctor", store], ["servers", "list", store], ["info", store]] {
            guard let result = try runUnprivileged(arguments, environment) else { return }
            #expect(result.status != 77, "\(arguments): \(result.errors)")
        }
        let writing = try #require(
            try runUnprivileged(["kv", "set", store, "k", "v"], environment))
        #expect(writing.status == 77)
    }

    @Test func rejectedIdentifierIsReportedWithTheReason() throws {
        try makeStore()
        let file = folder.appending("file")
        try Data().write(to: URL(filePath: file))
        let result = try ProgramResult.running(
            "tideline", ["kv", "set", store, "k", "v"],
            environment: ["HOME": folder.path, "XDG_STATE_HOME": file])
        #expect(result.status == 73)
        #expect(
            result.errors == """
                tideline: \(file)/tideline: can't save a device id: its folder doesn't exist
                  specify a device with --device or TIDELINE_DEVICE

                """)
    }

    @Test func unwritableDatabaseIsReported() throws {
        let file = folder.appending("shop.db")
        try runSQL("CREATE TABLE t (a); INSERT INTO t VALUES (1)", at: file)
        chmod(folder.path, 0o755)
        chmod(file, 0o444)
        guard let result = try runUnprivileged(["tables", "set", file, "t", "1", "a", "2"]) else {
            return
        }
        expect(result, 77, file, "permission denied", "tables set")
    }

    // MARK: Links

    @Test(arguments: [
        ("Logs.db", "kv set PATH k v"), ("Logs.db-journal", "kv set PATH k v"),
        ("Entities.db", "entities add PATH --type t"), ("Documents.db", "docs new PATH name"),
        ("Catalog.db", "servers list PATH"), ("Catalog.db", "servers import PATH FILE"),
    ])
    func linkInPlaceOfAFileIsDamagedData(_ name: String, _ line: String) throws {
        try makeStore()
        for words in [
            ["kv", "set", store, "k", "v"], ["entities", "add", store, "--type", "t"],
            ["docs", "new", store, "name"], ["servers", "create", store],
        ] { try #require(run(words).status == 0) }
        let file = "\(store)/Devices/desk/\(name)"
        let victim = folder.appending("victim")
        let command = line.split(separator: " ").map {
            $0 == "PATH" ? store : $0 == "FILE" ? json : String($0)
        }
        for target in [victim, folder.appending("missing")] {
            if target == victim { try Data("x".utf8).write(to: URL(filePath: victim)) }
            unlink(file)
            try #require(symlink(target, file) == 0)
            let result = try run(command)
            #expect(result.status == 65, "\(target): \(result.errors)")
            #expect(try Data(contentsOf: URL(filePath: victim)) == Data("x".utf8))
        }
        #expect(!FileManager.default.fileExists(atPath: folder.appending("missing")))
    }

    @Test func linkAmongTheBlobsIsDamagedData() throws {
        try makeStore()
        try #require(run(["blobs", "put", store, "a", "-"], input: "a").status == 0)
        try #require(symlink("/etc/hostname", "\(store)/Blobs/link") == 0)
        for words in [["get"], ["put"], ["delete"]] {
            let result = try run(
                ["blobs"] + words + [store, "link"] + (words == ["put"] ? ["-"] : []), input: "x")
            #expect(result.status == 65, "\(words): \(result.errors)")
        }
        #expect(try run(["blobs", "get", store, "../a"]).status == 64)
    }

    @Test func blobIsNotCopiedOverAFileOfTheStore() throws {
        try makeStore()
        try #require(run(["blobs", "put", store, "a", "-"], input: "a").status == 0)
        try #require(run(["blobs", "put", store, "b", "-"], input: "b").status == 0)
        try #require(run(["kv", "set", store, "key", "value"]).status == 0)
        let (link, logLink) = (folder.appending("link.store"), folder.appending("log"))
        let log = "\(store)/Devices/desk/Logs.db"
        try #require(symlink(store, link) == 0)
        try #require(symlink(log, logLink) == 0)
        let content = try Data(contentsOf: URL(filePath: log))
        for file in [
            log, "\(link)/Devices/desk/Logs.db", logLink, "\(store)/Blobs/b", "\(store)/new",
        ] {
            for path in [store, link] {
                expect(
                    try run(["blobs", "get", path, "a", file]), 73, file, "it is inside the store",
                    file)
            }
        }
        #expect(try Data(contentsOf: URL(filePath: log)) == content)
        #expect(try run(["blobs", "get", store, "b"]).output == "b")
        #expect(!FileManager.default.fileExists(atPath: "\(store)/new"))
    }

    // MARK: Locks

    @Test(arguments: [
        ("Logs.db", "kv set PATH k v"), ("Entities.db", "entities add PATH --type t"),
        ("Catalog.db", "servers prune PATH FILE"),
    ])
    func lockedFileHasOneError(_ name: String, _ line: String) throws {
        try makeStore()
        for words in [
            ["kv", "set", store, "k", "v"], ["entities", "add", store, "--type", "t"],
            ["servers", "create", store],
        ] { try #require(run(words).status == 0) }
        let file = open("\(store)/Devices/desk/\(name)", O_RDWR)
        try #require(file >= 0)
        defer { close(file) }
        // The bytes that SQLite locks: <https://www.sqlite.org/lockingv3.html>.
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 0x4000_0000
        lock.l_len = 512
        try #require(fcntl(file, F_SETLK, &lock) == 0)
        let list = folder.appending("logicals.json")
        try Data(#"{"LogicalServers":[]}"#.utf8).write(to: URL(filePath: list))
        let result = try run(Command(.any, line).arguments(store, file: list))
        #expect(result.status == 74, "\(line): \(result.errors)")
        #expect(result.errors.contains("locked"), "\(line): \(result.errors)")
    }

    // MARK: Files that are read

    @Test(arguments: writing.filter(\.readsFile))
    func unreadableInputIsNamed(_ command: Command) throws {
        try makeStore()
        try #require(run(["servers", "create", store]).status == 0)
        let missing = folder.appending("none.json")
        expect(
            try run(command.arguments(store, file: missing)), 66, missing,
            "no such file or folder", command.testDescription)
        expect(
            try run(command.arguments(store, file: folder.path)), 65, folder.path,
            "a folder, not a file", command.testDescription)
    }

    @Test(arguments: [
        "kv import PATH FILE", "kv set PATH k FILE --as plist", "entities import PATH FILE",
    ])
    func badInputIsNamed(_ line: String) throws {
        try makeStore()
        let bad = folder.appending("bad.json")
        try Data("{\"a\":".utf8).write(to: URL(filePath: bad))
        let result = try run(Command(.any, line).arguments(store, file: bad))
        expect(result, 65, bad, nil, line)
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(store)/Devices").isEmpty)
    }

    // MARK: Making

    @Test func failedCreationExitsWith73() throws {
        try makeStore()
        try #require(
            run(["entities", "add", store, "--type", "t", "--id", "anna"]).status == 0)
        try #require(run(["servers", "create", catalog]).status == 0)
        try #require(run(["blobs", "put", store, "b", "-"], input: "x").status == 0)
        let file = folder.appending("file.txt")
        try Data("x".utf8).write(to: URL(filePath: file))
        let deep = folder.appending("nope/deep")
        let noFolder = "its folder doesn't exist"
        let taken = "the path already exists"
        let cases: [(arguments: [String], subject: String?, reason: String?)] = [
            (["kv", "create", deep], deep, noFolder),
            (["kv", "create", "\(file)/x"], "\(file)/x", noFolder),
            (["kv", "create", file], file, taken), (["kv", "create", store], store, taken),
            (["kv", "create", folder.path], folder.path, taken),
            (["entities", "create", deep], deep, noFolder),
            (["entities", "create", file], file, taken),
            (["entities", "create", store], store, taken),
            (["entities", "add", store, "--type", "t", "--id", "anna"], nil, nil),
            (["servers", "create", catalog], nil, nil), (["servers", "create", deep], nil, nil),
            (["blobs", "get", store, "b", deep], deep, noFolder),
            (["blobs", "get", store, "b", folder.path], folder.path, nil),
            (["demo", store, "--no-open"], store, taken),
        ]
        for (arguments, subject, reason) in cases {
            let result = try run(arguments)
            let comment = arguments.joined(separator: " ")
            #expect(result.status == 73, "\(comment): \(result.errors)")
            if let subject { expect(result, 73, subject, reason, comment) }
        }
    }

    // MARK: Words

    @Test func onlyCompletedWorkIsAnnounced() throws {
        try makeStore()
        let other = folder.appending("Other.store")
        try #require(run(["kv", "create", other]).status == 0)
        for arguments in [
            ["kv", "unset", store, "x"], ["resolve", store, "x", "--value", "1"],
            ["merge", store, other], ["entities", "unset", store, "e", "k"],
            ["entities", "delete", store, "e"], ["kv", "import", store, json],
        ] {
            let result = try run(arguments)
            #expect(!result.errors.contains("creating its folder"), "\(arguments)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(store)/Devices").isEmpty)
        #expect(
            try run(["kv", "set", store, "k", "v"]).errors
                == "tideline: desk is new to \(store): creating its folder\n")
        #expect(try run(["kv", "set", store, "k", "w"]).errors.isEmpty)
    }

    @Test func valuesMayStartWithADash() throws {
        try makeStore()
        for (value, type, printed) in [
            ("-5", "integer", "-5"), ("-12.5", "real", "-12.5"), ("-inf", "real", "-inf"),
            ("-9223372036854775808", "integer", "-9223372036854775808"),
            ("-x", "string", "-x"), ("-5", "json", "-5"), ("-1000000", "date", nil),
        ] as [(String, String, String?)] {
            for arguments in [
                ["kv", "set", store, "k", value, "--as", type],
                ["kv", "set", store, "--as", type, "k", value],
                ["kv", "set", "--as", type, store, "k", "--", value],
            ] {
                let result = try run(arguments)
                #expect(result.status == 0, "\(arguments): \(result.errors)")
            }
            if let printed {
                #expect(try run(["kv", "get", store, "k"]).output == printed + "\n", "\(value)")
            }
        }
        try #require(run(["entities", "add", store, "--type", "t", "--id", "e"]).status == 0)
        #expect(try run(["entities", "set", store, "e", "n", "-5", "--as", "integer"]).status == 0)
        #expect(try run(["entities", "list", store, "--where", "n=-5"]).output.contains("n=-5"))
        #expect(try run(["entities", "unset", store, "e", "n", "--value", "-5"]).status == 0)
        #expect(try run(["entities", "list", store, "--where", "n=-5"]).output.isEmpty)
        for arguments in [
            ["kv", "set", store, "k"], ["kv", "set", store, "k", "a", "b"],
            ["kv", "set", store, "k", "a", "--dveice", "b"], ["kv", "set", store, "k", "--as"],
            ["kv", "set", store, "k", "--nonsense"],
        ] { #expect(try run(arguments).status == 64, "\(arguments)") }
        #expect(try run(["kv", "set", store, "k", "--help"]).output.contains("Example: tideline"))
    }

    @Test func emptyDeviceIsNotAnIdentifier() throws {
        try makeStore()
        let result = try run(["kv", "set", store, "k", "v", "--device", ""])
        #expect(result.status == 64)
        #expect(result.errors.contains("identifier"))
        for arguments in [
            ["log", store, "--device", ""], ["servers", "list", store, "--device", ""],
            ["watch", store, "--device", ""],
        ] { #expect(try run(arguments).status == 64, "\(arguments)") }
    }

    @Test func packageWithOnlyEntitiesHasATimeRange() throws {
        try makeStore()
        try #require(run(["entities", "add", store, "--type", "t"]).status == 0)
        let info = try run(["info", store, "--json"]).output
        #expect(info.contains(#""first":"20"#))
        #expect(info.contains(#""state":"ok""#))
    }

    @Test func bookIsFoundByItsSecondAuthor() throws {
        try makeStore()
        for (type, id) in [("person", "ann"), ("person", "ben"), ("book", "moby")] {
            try #require(run(["entities", "add", store, "--type", type, "--id", id]).status == 0)
        }
        for author in ["ann", "ben"] {
            try #require(run(["entities", "relate", store, "moby", "author", author]).status == 0)
        }
        func books(_ author: String) throws -> String {
            try run(["entities", "list", store, "--where", "author=\(author)", "--json"]).output
        }
        #expect(try books("ann").contains("moby") && books("ben").contains("moby"))
        let unset = ["entities", "unset", store, "moby", "author", "--value"]
        #expect(try run(unset + ["ann"]).status == 0)
        #expect(try run(unset + ["ann"]).status == 1)
        #expect(try books("ann").isEmpty && books("ben").contains("moby"))
    }
}
