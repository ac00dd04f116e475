import Foundation
import Glibc
import TestSupport
import Testing

/// `tideline watch` as scripts see it.
@Suite struct WatchCommandTests {
    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        folder = try TemporaryFolder()
        store = folder.appending("Notes.store")
        try #require(tideline("kv", "create", store).status == 0)
    }

    @discardableResult
    private func tideline(
        _ arguments: String..., device: String = "phone", input: String? = nil
    ) throws -> ProgramResult {
        try ProgramResult.tideline(arguments, home: folder, device: device, input: input)
    }

    @Test func folderOfStoresAndFileSuggestTheRightCommand() throws {
        let inFolder = try tideline("watch", folder.path)
        #expect(inFolder.status == 65)
        #expect(inFolder.errors.contains("tideline watch \(store)\n"), "\(inFolder.errors)")
        try #require(tideline("kv", "set", store, "a", "b").status == 0)
        let file = "\(store)/Devices/phone/Logs.db"
        let ofFile = try tideline("watch", file)
        #expect(ofFile.status == 65)
        #expect(ofFile.errors.contains("tideline \(file)\n"), "\(ofFile.errors)")
    }

    /// A running `tideline watch` whose output goes to a file.
    private final class Watching {
        private let program: RunningProgram
        private let path: String
        private var taken = 0

        init(_ store: String, _ folder: TemporaryFolder, _ options: [String] = []) throws {
            path = folder.appending("lines-\(UInt32.random(in: 0 ... .max))")
            program = try RunningProgram(
                "tideline", ["watch", store, "--json"] + options,
                environment: [
                    "HOME": folder.path, "TIDELINE_DEVICE": "desk", "PATH": "/usr/bin:/bin",
                ], output: .file(path), errors: .null)
            _ = try next("loaded", "keys")
        }

        deinit { end() }

        /// Ends the program as a script does.
        func end() {
            _ = try? program.end(by: SIGTERM)
        }

        var isRunning: Bool { program.isRunning }

        var all: [[String: Any]] {
            let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            return text.split(separator: "\n").compactMap {
                try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
            }
        }

        /// The next line about this event in this store.
        func next(_ event: String, _ store: String) throws -> [String: Any] {
            var found: [String: Any]?
            try? waitBlocking {
                let lines = all
                let number = lines.indices.dropFirst(taken).first {
                    lines[$0]["event"] as? String == event
                        && lines[$0]["store"] as? String == store
                }
                guard let number else { return false }
                (found, taken) = (lines[number], number + 1)
                return true
            }
            return try #require(found, "no \(event) of \(store) in \(all.dropFirst(taken))")
        }

        func count(_ event: String) -> Int { all.count { $0["event"] as? String == event } }
    }

    @Test func everyStoreOfAPackageIsReported() throws {
        let watching = try Watching(store, folder)
        try tideline("kv", "set", store, "k", "v")
        let synced = try watching.next("synced", "keys")
        #expect(synced["device"] as? String == "phone")
        #expect(synced["keys"] as? [String] == ["k"])
        #expect(synced["milliseconds"] is NSNumber)
        #expect((synced["date"] as? String)?.hasSuffix("Z") == true)
        try tideline("entities", "add", store, "--type", "person", "--id", "anna", "name=Anna")
        let made = try watching.next("synced", "entities")
        #expect(made["keys"] as? [String] == ["anna"])
        #expect(made["device"] as? String == "phone")
        try tideline("servers", "create", store)
        #expect(try watching.next("synced", "catalog")["device"] as? String == "phone")
        try tideline("blobs", "put", store, "a/b", "-", input: "x")
        #expect(try watching.next("blob", "blobs")["blob"] as? String == "a/b")
        try tideline("blobs", "delete", store, "a/b")
        _ = try watching.next("blob", "blobs")
        #expect(watching.all.allSatisfy { $0["date"] is String && $0["store"] is String })
    }

    @Test func linesOfTextShowTheTimeTheKeyAndItsValue() throws {
        let out = folder.appending("text")
        let program = try RunningProgram(
            "tideline", ["watch", store],
            environment: ["HOME": folder.path, "TIDELINE_DEVICE": "desk", "PATH": "/usr/bin:/bin"],
            output: .file(out), errors: .null)
        defer { _ = try? program.end(by: SIGTERM) }
        /// Waits for a line that contains a text.
        func line(with text: String) throws -> String {
            var line: Substring?
            try waitBlocking {
                let all = (try? String(contentsOfFile: out, encoding: .utf8)) ?? ""
                line = all.split(separator: "\n").first { $0.contains(text) }
                return line != nil
            }
            return String(try #require(line, "no line with \(text)"))
        }
        _ = try line(with: " 0 keys")
        try tideline("kv", "set", store, "note/1", "milk")
        let written = try line(with: "note/1")
        #expect(written.contains(/^[0-9]{4}-.*Z  phone: \+1 note\/1.*  "milk"$/), "\(written)")
    }

    @Test func removedKeysAreDistinguishedFromSetKeys() throws {
        let watching = try Watching(store, folder)
        try tideline("kv", "set", store, "k", "v")
        let set = try watching.next("synced", "keys")
        #expect(set["keys"] as? [String] == ["k"] && set["removed"] as? [String] == [])
        #expect(set["rows"] as? Int == 1)
        let late = try #require(set["late"] as? Double)
        #expect(late >= 0)
        try tideline("kv", "unset", store, "k")
        #expect(try watching.next("synced", "keys")["removed"] as? [String] == ["k"])
        try tideline("entities", "add", store, "--type", "person", "--id", "anna")
        #expect(try watching.next("synced", "entities")["removed"] as? [String] == [])
        try tideline("entities", "delete", store, "anna")
        #expect(try watching.next("synced", "entities")["removed"] as? [String] == ["anna"])
    }

    @Test func documentsAreReportedByIdentifier() throws {
        let watching = try Watching(store, folder)
        let workspace = String(try tideline("docs", "new", store, "plans").output.dropLast())
        let made = try watching.next("synced", "documents")
        #expect(made["device"] as? String == "phone")
        #expect(made["keys"] as? [String] == [workspace])
        let document = String(try tideline("docs", "add", store, workspace).output.dropLast())
        #expect(try watching.next("synced", "documents")["keys"] as? [String] == [document])
        try tideline("docs", "set", store, workspace, "/a", "b", device: "desk")
        #expect(try watching.next("changed", "documents")["keys"] as? [String] == [workspace])
        try tideline("docs", "delete", store, workspace)
        let deleted = try watching.next("synced", "documents")
        #expect(deleted["device"] as? String == "phone")
        #expect(deleted["keys"] as? [String] == [document, workspace].sorted())
    }

    @Test func ownWritesAreChanges() throws {
        let watching = try Watching(store, folder)
        try tideline("kv", "set", store, "k", "v", device: "desk")
        #expect(try watching.next("changed", "keys")["keys"] as? [String] == ["k"])
        try tideline("entities", "add", store, "--type", "t", "--id", "e", device: "desk")
        #expect(try watching.next("changed", "entities")["keys"] as? [String] == ["e"])
        #expect(watching.count("synced") == 0)
    }

    @Test func signalsBlockedByTheParentEndTheProgram() throws {
        var (blocked, before) = (sigset_t(), sigset_t())
        sigemptyset(&blocked)
        sigaddset(&blocked, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &blocked, &before)
        let watching = try Watching(store, folder)
        pthread_sigmask(SIG_SETMASK, &before, nil)
        watching.end()
        #expect(!watching.isRunning)
    }

    @Test func blobIsReportedOnce() throws {
        let watching = try Watching(store, folder)
        try tideline("blobs", "put", store, "one", "-", input: "x")
        try tideline("blobs", "put", store, "two", "-", input: "y")
        try tideline("kv", "set", store, "k", "v")
        _ = try watching.next("synced", "keys")
        #expect(watching.count("blob") == 2)
        try tideline("blobs", "put", store, "one", "-", input: "x")
        try waitBlocking { watching.count("blob") >= 3 }
    }

    @Test func deviceWithOnlyEntitiesIsSound() throws {
        let watching = try Watching(store, folder)
        try tideline("entities", "add", store, "--type", "person", "--id", "anna")
        _ = try watching.next("synced", "entities")
        try tideline("kv", "set", store, "k", "v")
        _ = try watching.next("synced", "keys")
        let reported = watching.all.filter { $0["event"] as? String == "device" }
        #expect(reported.allSatisfy { $0["device"] as? String == "phone" })
        // A file may be seen while it is being created; it is reported as incomplete.
        #expect(reported.allSatisfy { $0["state"] as? String != "absent" })
        #expect(reported.last?["state"] as? String == "ok")
        #expect(try tideline("info", store, "--json").output.contains(#""state":"ok""#))
    }

    @Test func deletedLogOfThisDeviceIsReported() throws {
        try tideline("kv", "set", store, "k", "v", device: "desk")
        let watching = try Watching(store, folder)
        try FileManager.default.removeItem(atPath: "\(store)/Devices/desk/Logs.db")
        let reported = try watching.next("device", "package")
        #expect(reported["device"] as? String == "desk")
        #expect(reported["state"] as? String == "absent")
    }

    @Test func movedPackageIsWaitedFor() throws {
        let watching = try Watching(store, folder)
        for place in [store, store + "/Devices"] {
            let away = folder.appending("away")
            try FileManager.default.moveItem(atPath: place, toPath: away)
            _ = try watching.next("deleted", "package")
            try FileManager.default.moveItem(atPath: away, toPath: place)
            _ = try watching.next("returned", "package")
            try tideline("kv", "set", store, "k", place)
            #expect(try watching.next("synced", "keys")["keys"] as? [String] == ["k"])
            try tideline("entities", "add", store, "--type", "t")
            _ = try watching.next("synced", "entities")
        }
        #expect(watching.isRunning)
    }

    @Test func commandRunsForEachLine() throws {
        let out = folder.appending("out")
        let watching = try Watching(store, folder, ["--exec", "cat >> '\(out)'; exit 3"])
        try tideline("kv", "set", store, "k", "v")
        _ = try watching.next("synced", "keys")
        var text = ""
        try waitBlocking {
            text = (try? String(contentsOfFile: out, encoding: .utf8)) ?? ""
            return text.contains("synced")
        }
        let lines = text.split(separator: "\n")
        #expect(lines.first?.contains(#""event":"loaded""#) == true)
        #expect(lines.contains { $0.contains(#""event":"synced""#) })
    }
}
