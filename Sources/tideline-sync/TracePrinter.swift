import Automerge
import CommandSupport
import DocumentSync
import Foundation
import Replication
import TidelineCore

/// A printer of messages to standard error, one per line.
///
/// The length of a line is limited, because messages of peers can contain any number of hashes.
struct TracePrinter: Sendable {
    let isJSON: Bool

    /// Returns a function that prints a message; `nil` if `isOn` is false.
    static func trace(_ isOn: Bool, isJSON: Bool) -> DocumentExchange.MessageTrace? {
        guard isOn else { return nil }
        let printer = TracePrinter(isJSON: isJSON)
        return { printer.print($0) }
    }

    private func print(_ message: TracedMessage) {
        // Both forms can contain any text of the peer, so escape control characters. Escaped JSON
        // is still valid JSON.
        Output.note(isJSON ? JSONValue.object(Self.members(of: message)).line : Self.text(message))
    }

    // MARK: Text

    private static let columns = 64

    private static func text(_ message: TracedMessage) -> String {
        let time = Timestamp(message.date).iso8601
        let peer = message.peer?.text ?? message.address
        var line =
            "\(time) \(message.direction == .sent ? "→" : "←") "
            + "\(clipped(peer)) \(clipped(message.type))"
        if let document = message.document { line += " \(clipped(document.text))" }
        line += " \(Counted.text(message.byteCount, "byte"))"
        var parts: [String] = []
        if let sync = message.sync { parts += Self.parts(of: sync) }
        if let problem = message.problem {
            parts.append(Printable.clipped(problem, columns: columns * 4))
        }
        return parts.isEmpty ? line : line + ": " + parts.joined(separator: "; ")
    }

    private static func parts(of sync: TracedMessage.SyncContent) -> [String] {
        var parts = ["heads " + Printable.hashes(sync.heads)]
        if !sync.need.isEmpty { parts.append("need " + Printable.hashes(sync.need)) }
        parts += sync.have.map { have in
            let filter = "filter of \(Counted.text(have.filterByteCount, "byte"))"
            return have.lastSync.isEmpty
                ? "have \(filter)" : "have \(Printable.hashes(have.lastSync)) + \(filter)"
        }
        parts.append(Counted.text(sync.changeCount, "change"))
        return parts
    }

    private static func clipped(_ text: String) -> String {
        text.isEmpty ? text.quoted : Printable.clipped(text, columns: columns)
    }

    // MARK: JSON

    private static let jsonHashCount = 64

    private static func members(of message: TracedMessage) -> [Name: JSONValue] {
        var members: [Name: JSONValue] = [
            "event": "message", "store": "documents",
            "date": .string(Timestamp(message.date).iso8601),
            "direction": .string(message.direction.rawValue),
            "address": .string(message.address), "peer": .optional(message.peer?.text),
            "type": .string(message.type), "bytes": .count(message.byteCount),
        ]
        if let document = message.document {
            members["document"] = .string(document.text)
            members["uuid"] = .optional(document.uuid?.uuidString)
        }
        if let problem = message.problem { members["problem"] = .string(problem) }
        guard let sync = message.sync else { return members }
        members["changes"] = .count(sync.changeCount)
        members["heads"] = json(sync.heads)
        members["need"] = json(sync.need)
        members["have"] = .array(
            sync.have.map { have in
                ["lastSync": json(have.lastSync), "filterBytes": .count(have.filterByteCount)]
            })
        let lists = [sync.heads, sync.need] + sync.have.map(\.lastSync)
        let left = lists.reduce(0) { $0 + max(0, $1.count - jsonHashCount) }
        if left > 0 { members["omittedHashes"] = .count(left) }
        return members
    }

    private static func json(_ hashes: [ChangeHash]) -> JSONValue {
        .array(hashes.prefix(jsonHashCount).map { .string($0.debugDescription) })
    }
}
