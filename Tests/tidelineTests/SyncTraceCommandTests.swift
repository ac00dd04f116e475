import Foundation
import Glibc
import TestSupport
import Testing

/// `--trace` and `--status` of `tideline docs sync` and `docs serve`.
@Suite(.serialized) struct SyncTraceCommandTests {
    private let folder: TemporaryFolder
    private let (one, two): (String, String)
    private let id: String

    init() throws {
        folder = try TemporaryFolder()
        (one, two) = (folder.appending("One.store"), folder.appending("Two.store"))
        for store in [one, two] {
            try #require(
                ProgramResult.tideline(["kv", "create", store], home: folder).status == 0)
        }
        let made = try ProgramResult.tideline(["docs", "new", one, "Plans"], home: folder)
        id = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
        try set("title", "Plans")
    }

    private func set(_ key: String, _ value: String) throws {
        let result = try ProgramResult.tideline(
            ["docs", "set", one, id, "/\(key)", value], home: folder)
        try #require(result.status == 0, "\(result.errors)")
    }

    private func start(_ arguments: String...) throws -> EventProgram {
        try EventProgram(
            "tideline", ["docs"] + arguments + ["--json"],
            environment: [
                "HOME": folder.path, "TIDELINE_DEVICE": "desk", "PATH": "/usr/bin:/bin",
            ], in: folder)
    }

    private func serve(_ options: String...) throws -> (EventProgram, url: String) {
        let program = try EventProgram(
            "tideline", ["docs", "serve", one, "--port", "0", "--json"] + options,
            environment: [
                "HOME": folder.path, "TIDELINE_DEVICE": "desk", "PATH": "/usr/bin:/bin",
            ], in: folder)
        return (program, try #require(try program.next("listening")["address"] as? String))
    }

    /// The traced messages among the lines of standard error.
    private func traced(_ errors: String) throws -> [[String: Any]] {
        try errors.split(separator: "\n").filter { $0.hasPrefix("{") }.joined(separator: "\n")
            .jsonObjects()
    }

    @Test(.timeLimit(.minutes(30))) func traceHasALinePerMessage() throws {
        let (server, url) = try serve("--trace")
        let sync = ["docs", "sync", two, url, id, "--once", "--trace"]
        let json = try ProgramResult.tideline(sync + ["--json"], home: folder)
        #expect(json.status == 0, "\(json.errors)")
        let messages = try traced(json.errors)
        #expect(
            messages.map { "\($0["direction"] ?? "") \($0["type"] ?? "")" } == [
                "sent join", "received peer", "sent request", "received sync", "sent sync",
            ])
        #expect(messages.allSatisfy { $0["event"] as? String == "message" && $0["bytes"] is Int })
        #expect(messages.dropFirst(2).allSatisfy { $0["uuid"] as? String == id })
        #expect(messages.map { $0["changes"] as? Int ?? 0 }.reduce(0, +) > 0)
        let heads = messages.last?["heads"] as? [String]
        #expect(heads?.map(\.utf8.count) == [64])
        // Events on standard output are not mixed with messages.
        #expect(!json.output.contains(#""event":"message""#) && json.output.contains("inSync"))

        let text = try ProgramResult.tideline(sync, home: folder)
        let lines = text.errors.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(lines.allSatisfy { ["→", "←"].contains($0[1]) }, "\(text.errors)")
        #expect(lines.first?[3] == "join" && lines.dropFirst().first?[3] == "peer")
        let head = try #require(heads?.first).prefix(8)
        #expect(text.errors.contains("heads \(head); "), "\(text.errors)")
        #expect(try server.end(by: SIGTERM) == 0)
        // The server traces the same messages in the other direction. It may not receive the last
        // one, because the client disconnects.
        let other = try traced(server.errors).prefix(4)
        #expect(
            other.map { "\($0["direction"] ?? "") \($0["type"] ?? "")" } == [
                "received join", "sent peer", "received request", "sent sync",
            ])
    }

    @Test(.timeLimit(.minutes(30))) func hostileTextIsPrintableAndBounded() throws {
        let socket = folder.appending("s")
        let server = try RunningProgram(
            "tideline", ["docs", "serve", one, "--port", "0", "--socket", socket, "--trace"],
            environment: ["HOME": folder.path, "TIDELINE_DEVICE": "desk", "PATH": "/usr/bin:/bin"],
            errors: .file(folder.appending("errors")))
        var lines: [String] = []
        while lines.count < 2 {
            lines.append(try #require(try server.line(within: .seconds(180))))
        }
        let name = "\u{1b}[2J\u{9b}1m\n\u{202e}→ sync " + String(repeating: "x", count: 400)
        let peer = try RawPeer(socket)
        try peer.send([("type", name), ("senderId", name)])
        try peer.send([("type", "join"), ("senderId", name)])
        try peer.send([("type", name + "\r")])
        try peer.send([("type", "error"), ("message", name)])
        // The server closes the connection after an error of the peer.
        while try peer.receive() {}
        while !lines.contains(where: { $0.hasPrefix("disconnected") }) {
            lines.append(try #require(try server.line(within: .seconds(180))))
        }
        server.send(SIGTERM)
        #expect(try server.wait().code == 0)
        let errors = try String(contentsOfFile: folder.appending("errors"), encoding: .utf8)
        let traced = errors.split(separator: "\n").filter { $0.contains("←") }
        #expect(traced.count == 4, "\(errors)")
        #expect(errors.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 })
        for forbidden in ["\u{1b}", "\u{9b}", "\u{202e}"] as [Unicode.Scalar] {
            #expect(!errors.unicodeScalars.contains(forbidden))
        }
        #expect(traced.allSatisfy { $0.utf8.count < 1_500 }, "\(errors)")
    }

    @Test(.timeLimit(.minutes(30))) func statusIsPrintedOnASignalAndAtTheEnd() throws {
        let (server, url) = try serve("--read-only", "--status")
        let client = try start("sync", two, url, id)
        try client.next("inSync", ["uuid": id])
        client.send(SIGUSR1)
        let now = try client.next("status")
        #expect(now["state"] as? String == "inSync" && now["uuid"] as? String == id)
        #expect(now["unacknowledgedChanges"] as? Int == 0)
        #expect(now["lastSent"] is String && now["problem"] is NSNull)
        // A Bloom filter can contain one of the changes by mistake. It is not sent then, and the
        // read-only server doesn't ask for it.
        for number in 1...4 {
            let edit = try ProgramResult.tideline(
                ["docs", "set", two, id, "/own", "\(number)"], home: folder)
            #expect(edit.status == 0, "\(edit.errors)")
        }
        try server.next("refused", ["uuid": id])
        client.send(SIGUSR1)
        let later = try client.next("status")
        #expect(later["state"] as? String == "different")
        #expect((1...4).contains(later["unacknowledgedChanges"] as? Int ?? 0))
        #expect(try server.end(by: SIGINT) == 0)
        let last = try #require(server.events.last { $0["event"] as? String == "status" })
        #expect(last["problem"] is String)
        #expect((last["missingHeads"] as? [String])?.count == 1)
        #expect(try client.end(by: SIGINT) == 0)
        // Without the option, nothing is printed at the end.
        #expect(client.events.count { $0["event"] as? String == "status" } == 2)
    }

    @Test(.timeLimit(.minutes(30))) func statusOfADisconnectedPeerIsKept() throws {
        let (server, url) = try serve()
        let client = try start("sync", two, url, id)
        try client.next("inSync", ["uuid": id])
        #expect(try server.end(by: SIGINT) == 0)
        try client.next("retrying")
        let edit = try ProgramResult.tideline(["docs", "set", two, id, "/own", "1"], home: folder)
        #expect(edit.status == 0, "\(edit.errors)")
        var status: [String: Any] = [:]
        repeat {
            client.send(SIGUSR1)
            status = try client.next("status")
        } while status["unacknowledgedChanges"] as? Int != 1
        #expect(status["isConnected"] as? Bool == false && status["uuid"] as? String == id)
        #expect(status["lastSent"] is String && status["lastReceived"] is String)
        #expect(try client.end(by: SIGINT) == 0)
        #expect(client.errors.contains("last problem 20"), "\(client.errors)")
    }

    @Test(.timeLimit(.minutes(30))) func onceWithStatusPrintsEachDocument() throws {
        let (server, url) = try serve()
        let result = try ProgramResult.tideline(
            ["docs", "sync", two, url, id, "--once", "--status"], home: folder)
        #expect(result.status == 0, "\(result.errors)")
        let lines = result.output.split(separator: "\n").filter { $0.hasPrefix("status: ") }
        #expect(lines.count == 1)
        #expect(lines.first?.contains(": in sync; last sent 20") == true, "\(result.output)")
        #expect(try server.end(by: SIGINT) == 0)
    }
}

/// A peer that sends any texts over a Unix-domain socket.
private final class RawPeer {
    private let socket: Int32

    init(_ path: String) throws {
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let result = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0)
    }

    deinit { close(socket) }

    /// Sends a CBOR map of texts, after its length in four bytes.
    func send(_ fields: [(String, String)]) throws {
        var message = [0xA0 + UInt8(fields.count)]
        for (key, value) in fields {
            for text in [key, value] {
                let bytes = Array(text.utf8)
                message += [0x79, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
            }
        }
        let length = UInt32(message.count).bigEndian
        let bytes = withUnsafeBytes(of: length) { Array($0) } + message
        try #require(write(socket, bytes, bytes.count) == bytes.count)
    }

    /// Reads and discards bytes.
    ///
    /// - Returns: `false` at the end.
    func receive() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1_024)
        return read(socket, &buffer, buffer.count) > 0
    }
}
