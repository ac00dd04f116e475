import DocumentStore
import Foundation
import ServerCatalog
import TestSupport
import Testing

/// Each flush of each kind of write fails once. The exit codes for "not written" and for "written,
/// but not confirmed" must be true.
@Suite struct FailingFlushTests {
    /// A command that writes, and a query whose output shows whether the write is there.
    struct Write: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Commands that run first in a new folder, with `STORE` for the store's path.
        let before: [[String]]
        let command: [String]
        let question: [String]
        /// Text that the output of the query contains after the write.
        let answer: String
        var isDeletion = false
    }

    private static let create = ["kv", "create", "STORE"]

    static let writes: [Write] = [
        Write(
            testDescription: "first key", before: [create],
            command: ["kv", "set", "STORE", "key", "value"],
            question: ["kv", "get", "STORE", "key"], answer: "value"),
        Write(
            testDescription: "another key", before: [create, ["kv", "set", "STORE", "a", "1"]],
            command: ["kv", "set", "STORE", "key", "value"],
            question: ["kv", "get", "STORE", "key"], answer: "value"),
        Write(
            testDescription: "entity",
            before: [create, ["entities", "add", "STORE", "--type", "t", "--id", "first"]],
            command: ["entities", "add", "STORE", "--type", "t", "--id", "second"],
            question: ["entities", "list", "STORE", "--json"], answer: "second"),
        Write(
            testDescription: "workspace", before: [create, ["docs", "new", "STORE", "first"]],
            command: ["docs", "new", "STORE", "second"],
            question: ["docs", "list", "STORE", "--json"], answer: "second"),
        Write(
            testDescription: "servers", before: [create, ["servers", "create", "STORE"]],
            command: ["servers", "import", "STORE", "SERVERS"],
            question: ["servers", "list", "STORE", "--json"], answer: samples[0].id),
        Write(
            testDescription: "first servers", before: [create],
            command: ["servers", "import", "STORE", "SERVERS"],
            question: ["servers", "list", "STORE", "--json"], answer: samples[0].id),
        Write(
            testDescription: "first entity", before: [create],
            command: ["entities", "add", "STORE", "--type", "t", "--id", "second"],
            question: ["entities", "list", "STORE", "--json"], answer: "second"),
        Write(
            testDescription: "first workspace", before: [create],
            command: ["docs", "new", "STORE", "second"],
            question: ["docs", "list", "STORE", "--json"], answer: "second"),
        Write(
            testDescription: "blob", before: [create],
            command: ["blobs", "put", "STORE", "in/blob", "FILE"],
            question: ["blobs", "list", "STORE", "--json"], answer: "in/blob"),
        Write(
            testDescription: "deleted blob",
            before: [create, ["blobs", "put", "STORE", "blob", "FILE"]],
            command: ["blobs", "delete", "STORE", "blob"],
            question: ["blobs", "list", "STORE", "--json"], answer: "blob", isDeletion: true),
        Write(
            testDescription: "store", before: [], command: create,
            question: ["kv", "list", "STORE", "--json"], answer: "{"),
    ]

    private static let samples = SampleServers(count: 3, countryCount: 2).servers()

    private static let problem = Comment(rawValue: FailingSystem.problem ?? "")

    @Test(.enabled(if: FailingSystem.problem == nil, problem), arguments: writes)
    func exitCodeShowsWhetherTheWriteIsInTheFile(write: Write) throws {
        var unconfirmed = 0
        for number in 1...60 {
            let folder = try TemporaryFolder()
            let files = ["SERVERS": folder.appending("servers"), "FILE": folder.appending("file")]
            try LogicalsWriter.logicals(Self.samples).write(
                to: URL(filePath: folder.appending("servers")))
            try Data("text".utf8).write(to: URL(filePath: folder.appending("file")))
            func run(
                _ words: [String], _ environment: [String: String] = [:]
            ) throws -> ProgramResult {
                try ProgramResult.running(
                    "tideline",
                    words.map { $0 == "STORE" ? folder.appending("Notes.store") : files[$0] ?? $0 },
                    environment: [
                        "XDG_STATE_HOME": folder.appending("state"), "HOME": folder.path,
                        "TIDELINE_DEVICE": "desk",
                    ].merging(environment) { $1 })
            }
            for command in write.before {
                let result = try run(command)
                try #require(result.status == 0, "\(result.errors)")
            }
            let trace = folder.appending("trace")
            let failing = try FailingSystem.environment(failingFlush: number, trace: trace)
            let result = try run(write.command, failing)
            let answer = try run(write.question).output
            let isWritten = answer.contains(write.answer) != write.isDeletion
            guard FileManager.default.fileExists(atPath: trace) else {
                #expect(result.status == 0 && isWritten)
                break
            }
            // Harmless failures, such as those of a folder that SQLite flushes, are ignored.
            let says = [0, 75].contains(result.status)
            #expect(says == isWritten, "flush \(number): \(result.status) \(result.errors)")
            if result.status == 75 {
                unconfirmed += 1
                #expect(result.errors.contains("did not confirm"))
            }
            // The store stays writable.
            #expect(
                try run(["kv", "set", "STORE", "next", "1"]).status == 0 || write.before.isEmpty)
        }
        #expect(unconfirmed > 0)
    }

    @Test(.enabled(if: FailingSystem.problem == nil, problem))
    func storageFolderKeepsAnUnconfirmedChange() throws {
        var statuses: Set<Int32> = []
        for number in 1...60 {
            let folder = try TemporaryFolder()
            let storage = folder.appending("storage")
            try AutomergeStore(creatingStorageFolder: storage).close()
            func docs(_ words: String..., failing: [String: String] = [:]) throws -> ProgramResult {
                try ProgramResult.running(
                    "tideline", ["docs"] + words,
                    environment: ["HOME": folder.path, "TIDELINE_DEVICE": "desk"]
                        .merging(failing) { $1 })
            }
            let id = try docs("new", storage, "").output.trimmingCharacters(in: .newlines)
            let trace = folder.appending("trace")
            let result = try docs(
                "set", storage, id, "/key", "new value",
                failing: try FailingSystem.environment(failingFlush: number, trace: trace))
            let isWritten = try docs("show", storage, id).output.contains("new value")
            guard FileManager.default.fileExists(atPath: trace) else { break }
            statuses.insert(result.status)
            #expect(
                [0, 75].contains(result.status) == isWritten,
                "flush \(number): \(result.status) \(result.errors)")
        }
        #expect(statuses.contains(75))
    }
}
