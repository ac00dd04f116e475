import Foundation
import Glibc
import TestSupport
import Testing

/// `tideline docs sync` and `docs serve` as scripts see them, connected to each other.
///
/// The tests run one after another: each waits for programs on a thread that other tests need, too.
@Suite(.serialized) struct SyncCommandTests {
    private let folder: TemporaryFolder
    private let (one, two): (String, String)

    init() throws {
        folder = try TemporaryFolder()
        (one, two) = (folder.appending("One.store"), folder.appending("Two.store"))
        for store in [one, two] { try #require(tideline("kv", "create", store).status == 0) }
    }

    private func environment(_ device: String) -> [String: String] {
        ["HOME": folder.path, "TIDELINE_DEVICE": device, "PATH": "/usr/bin:/bin"]
    }

    @discardableResult
    private func tideline(
        _ arguments: String..., device: String = "desk"
    ) throws -> ProgramResult {
        try ProgramResult.running("tideline", arguments, environment: environment(device))
    }

    /// Creates a document in a store.
    private func document(in store: String, _ title: String) throws -> String {
        let id = try tideline("docs", "new", store, title).output
            .trimmingCharacters(in: .whitespacesAndNewlines)
        try set(store, id, "title", title)
        return id
    }

    private func set(_ store: String, _ id: String, _ key: String, _ value: String) throws {
        let result = try tideline("docs", "set", store, id, "/\(key)", value)
        #expect(result.status == 0, "\(result.errors)")
    }

    private func content(_ store: String, _ id: String) throws -> [String: String] {
        let shown = try tideline("docs", "show", store, id, "--json")
        return try JSONSerialization.jsonObject(with: Data(shown.output.utf8)) as? [String: String]
            ?? [:]
    }

    private func start(_ arguments: String...) throws -> EventProgram {
        try EventProgram(
            "tideline", ["docs"] + arguments + ["--json"], environment: environment("desk"),
            in: folder)
    }

    /// Starts a server for a store, and returns its address.
    private func serve(
        _ store: String, port: String = "0", _ options: String...
    ) throws -> (EventProgram, url: String) {
        let program = try EventProgram(
            "tideline", ["docs", "serve", store, "--port", port, "--json"] + options,
            environment: environment("desk"), in: folder)
        let event = try program.next("listening")
        return (program, try #require(event["address"] as? String))
    }

    @Test(.timeLimit(.minutes(30))) func onceOptionSyncsAndEnds() throws {
        let id = try document(in: one, "Plans")
        let (server, url) = try serve(one)
        let fetched = try tideline("docs", "sync", two, url, id, "--once", "--json")
        #expect(fetched.status == 0, "\(fetched.errors)")
        #expect(try content(two, id) == ["title": "Plans"])
        let events = try fetched.output.jsonObjects()
        #expect(events.first?["event"] as? String == "connecting")
        #expect(
            events.contains { $0["event"] as? String == "inSync" && $0["uuid"] as? String == id })
        #expect(events.allSatisfy { $0["date"] is String && $0["store"] as? String == "documents" })
        // Sync in the other direction, with a new document on this side, without naming a document.
        try set(two, id, "title", "changed")
        let own = try document(in: two, "Own")
        let sent = try tideline("docs", "sync", two, url, "--once")
        #expect(sent.status == 0, "\(sent.errors)")
        #expect(try server.end(by: SIGTERM) == 0)
        #expect(try content(one, id) == ["title": "changed"])
        #expect(try content(one, own) == ["title": "Own"])
    }

    @Test(.timeLimit(.minutes(30))) func tokensAreNotPrinted() throws {
        for format in [[], ["--json"]] {
            let result = try ProgramResult.running(
                "tideline",
                ["docs", "sync", two, "ws://127.0.0.1:1/?token=sekret", "--once", "--trace"]
                    + format,
                environment: environment("desk"))
            #expect(result.status == 74)
            #expect(result.output.contains("127.0.0.1:1"))
            #expect(!(result.output + result.errors).contains("sekret"))
        }
    }

    @Test(arguments: ["", "x", "*", "null", "https://a/b"])
    func textsThatAreNotOriginsAreRefused(_ origin: String) throws {
        let result = try tideline(
            "docs", "serve", one, "--port", "0", "--allow-origin", origin)
        #expect(result.status == 64)
        #expect(result.errors.contains("not an origin"))
    }

    @Test(.timeLimit(.minutes(30))) func missingDocumentIsNotFound() throws {
        let (server, url) = try serve(one)
        let id = "6F9619FF-8B86-D011-B42D-00CF4FC964FF"
        let result = try tideline("docs", "sync", two, url, id, "--once")
        #expect(result.status == 1)
        #expect(result.errors.hasPrefix("tideline: \(url): "))
        #expect(result.errors.contains("not available"))
        #expect(try server.end(by: SIGINT) == 0)
    }

    @Test(.timeLimit(.minutes(30))) func writesWhileProgramsRunArriveInBothDirections() throws {
        let id = try document(in: one, "Plans")
        let (server, url) = try serve(one)
        let client = try start("sync", two, url, id)
        try client.next("inSync", ["uuid": id])
        try set(two, id, "two", "2")
        try server.next("received", ["uuid": id])
        try set(one, id, "one", "1")
        try client.next("received", ["uuid": id])
        #expect(try client.end(by: SIGINT) == 0)
        #expect(try server.end(by: SIGINT) == 0)
        let all = ["title": "Plans", "one": "1", "two": "2"]
        #expect(try content(one, id) == all)
        #expect(try content(two, id) == all)
    }

    @Test(.timeLimit(.minutes(30))) func storesThatServeEachOtherAgree() throws {
        let id = try document(in: one, "Plans")
        let (first, second) = (try serve(one), try serve(two))
        let there = try start("sync", two, first.url, id)
        try there.next("inSync", ["uuid": id])
        let back = try start("sync", one, second.url, id)
        try back.next("inSync", ["uuid": id])
        for number in 0..<4 {
            try set(one, id, "one", "\(number)")
            try set(two, id, "two", "\(number)")
        }
        let all = ["title": "Plans", "one": "3", "two": "3"]
        // Each edit arrives over both connections; wait until the last ones have arrived.
        try? waitBlocking { try content(one, id) == all && content(two, id) == all }
        #expect(try content(one, id) == all)
        #expect(try content(two, id) == all)
        for program in [there, back, first.0, second.0] {
            #expect(try program.end(by: SIGTERM) == 0)
        }
    }

    @Test(.timeLimit(.minutes(30))) func killedAndRestartedProgramsAgreeAndLoseNothing() throws {
        var random = SeededRandom(seed: 20_261_122)
        let id = try document(in: one, "Plans")
        var (server, url) = try serve(one)
        let port = try #require(url.split(separator: ":").last.map(String.init))
        var client = try start("sync", two, url, id)
        try client.next("inSync", ["uuid": id])
        var expected = ["title": "Plans"]
        for round in 0..<runCount(6) {
            for (store, key) in [(one, "one-\(round)"), (two, "two-\(round)")] {
                try set(store, id, key, "\(round)")
                expected[key] = "\(round)"
            }
            usleep(.random(in: 0...60_000, using: &random))
            // Kills one or both programs while changes are being sent.
            let which = Int.random(in: 0..<3, using: &random)
            if which != 0 { client.kill() }
            if which != 1 {
                server.kill()
                (server, url) = try serve(one, port: port)
            }
            if which != 0 { client = try start("sync", two, url, id) }
        }
        let last = try tideline("docs", "sync", two, url, "--once")
        #expect(last.status == 0, "\(last.errors)")
        #expect(try content(one, id) == expected)
        #expect(try content(two, id) == expected)
        #expect(try client.end(by: SIGINT) == 0)
        #expect(try server.end(by: SIGINT) == 0)
        for store in [one, two] {
            #expect(try tideline("docs", "check", store).status == 0)
        }
    }

    @Test(.timeLimit(.minutes(30))) func readOnlyServerChangesNothing() throws {
        let id = try document(in: one, "Plans")
        try FileManager.default.copyItem(atPath: one, toPath: folder.appending("Copy.store"))
        let before = try FolderState(of: one)
        let (server, url) = try serve(one, port: "0", "--read-only")
        #expect(try tideline("docs", "sync", two, url, id, "--once").status == 0)
        try set(two, id, "title", "changed")
        let client = try start("sync", two, url)
        let refused = try server.next("refused", ["uuid": id])
        #expect(refused["changes"] as? Int == 1 && refused["problem"] is String)
        #expect(try client.end(by: SIGINT) == 0)
        #expect(try server.end(by: SIGINT) == 0)
        #expect(try FolderState(of: one) == before)
    }

    @Test(.timeLimit(.minutes(30))) func newDeviceIsReportedOnce() throws {
        let id = try document(in: one, "Plans")
        let (server, url) = try serve(one)
        let result = try tideline("docs", "sync", two, url, id, "--once", device: "new")
        let lines = result.errors.split(separator: "\n")
        #expect(lines.count == 1 && lines[0].hasPrefix("tideline: new "), "\(lines)")
        #expect(lines.last?.contains(two) == true)
        #expect(try server.end(by: SIGINT) == 0)
    }

    @Test(.timeLimit(.minutes(30))) func unixSocketIsAnotherTransport() throws {
        let id = try document(in: one, "Plans")
        let socket = folder.appending("s")
        let (server, address) = try serve(one, port: "0", "--socket", socket)
        // The two addresses are reported in any order.
        if address != "unix:\(socket)" {
            try server.next("listening", ["address": "unix:\(socket)"])
        }
        let result = try tideline("docs", "sync", two, "unix:\(socket)", id, "--once")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try content(two, id) == ["title": "Plans"])
        #expect(try server.end(by: SIGINT) == 0)
    }

    @Test(.timeLimit(.minutes(30))) func errorsHaveExitCodesAndOneLine() throws {
        let file = folder.appending("file")
        try Data("no store".utf8).write(to: URL(filePath: file))
        let (server, url) = try serve(one)
        let port = try #require(url.split(separator: ":").last.map(String.init))
        let cases: [([String], Int32)] = [
            (["sync", folder.appending("absent"), url], 66),
            (["serve", folder.appending("absent")], 66),
            (["sync", file, url], 65), (["serve", file], 65),
            (["sync", one, url, "no-id"], 64), (["sync", one, "http://localhost"], 64),
            (["sync", one], 64), (["serve"], 64),
            (["serve", one, "--port", "70000"], 64), (["serve", one, "--port", "x"], 64),
            (["serve", one, "--port", port], 73),
            (["sync", one, "ws://127.0.0.1:1", "--once"], 74),
            (["sync", one, "wss://127.0.0.1:\(port)", "--once"], 74),
            (["sync", one, "unix:\(file)", "--once"], 74),
        ]
        for (words, code) in cases {
            let result = try ProgramResult.running(
                "tideline", ["docs"] + words, environment: environment("desk"))
            #expect(result.status == code, "\(words): \(result.errors)")
            let lines = result.errors.split(separator: "\n")
            #expect(lines.first?.hasPrefix("tideline: ") == true, "\(words): \(lines)")
            #expect(lines.count <= 2, "\(words): \(lines)")
        }
        #expect(try server.end(by: SIGINT) == 0)
    }

    @Test func helpNeedsNoBrowserProgram() throws {
        for command in ["sync", "serve"] {
            let result = try tideline("docs", command, "--help")
            #expect(result.status == 0)
            #expect(result.output.contains("Example: tideline docs \(command)"))
        }
    }

    /// If only `tideline` was built, the error names the program to build.
    @Test func missingSyncProgramIsNamedWithTheBuildCommand() throws {
        let alone = folder.appending("tideline")
        let built = Programs.built("tideline")
        if link(built, alone) != 0 {
            try FileManager.default.copyItem(atPath: built, toPath: alone)
        }
        let result = try ProgramResult.running(
            executable: alone, ["docs", "serve", one],
            environment: ["HOME": folder.path, "PATH": "/nowhere"])
        #expect(result.status == 66)
        #expect(
            result.errors == """
                tideline: tideline-sync: neither next to tideline nor in PATH
                  to build it (takes a few minutes): swift build --product tideline-sync

                """)
    }
}
