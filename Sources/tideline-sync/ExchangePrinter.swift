import Automerge
import CommandSupport
import DocumentSync
import Foundation
import Replication
import Synchronization
import TidelineCore

/// A printer of the events of an exchange, and of the status of each document with each peer, one
/// per line.
final class ExchangePrinter: Sendable {
    private let exchange: DocumentExchange
    private let isJSON: Bool
    private let isAtEnd: Bool
    /// The last failed connection.
    private let lastFailure = Mutex<DocumentExchange.Problem?>(nil)

    init(_ exchange: DocumentExchange, _ arguments: ReportArguments, isJSON: Bool) {
        self.exchange = exchange
        self.isJSON = isJSON
        isAtEnd = arguments.status
    }

    /// Starts printing events, until the exchange ends.
    func printEvents() -> Task<Void, Never> {
        let events = exchange.events()
        return Task {
            for await event in events {
                if case .retrying(let error, _) = event.kind {
                    let problem = DocumentExchange.Problem(date: event.date, message: error.message)
                    lastFailure.withLock { $0 = problem }
                }
                let line = SyncEventLine(event)
                print(line.members, line.text)
                Output.flush()
            }
        }
    }

    /// Prints the status if `--status` is given. Call this method before the connections end.
    func printStatusAtEnd() async {
        if isAtEnd { await printStatus() }
    }

    private func print(_ members: [Name: JSONValue], _ text: String) {
        if isJSON {
            Output.json(.object(members))
        } else {
            // A peer's name and messages can contain any characters. Escape the characters that
            // would control the terminal.
            Output.line(Printable.line(text))
        }
    }

    private func printFailure() {
        let failure = lastFailure.withLock { $0 }.map { problem in
            "; last problem \(Timestamp(problem.date).iso8601): "
                + Printable.clipped(problem.message, columns: 256)
        }
        Output.note("tideline: no peer is connected\(failure ?? "")")
    }

    func printStatus() async {
        var peers = await exchange.status
        if peers.isEmpty { printFailure() }
        peers += await exchange.disconnectedPeers
        for peer in peers {
            for (id, status) in peer.documents.sorted(by: { $0.key < $1.key }) {
                var line = StatusLine(
                    document: id, status: status, peer: peer.peer, isConnected: peer.isConnected)
                do {
                    line.pending = try await exchange.pendingChanges(of: id, with: peer.peer)
                } catch {
                    line.unreadable = String.reason(of: error)
                }
                print(line.members, line.text)
            }
        }
        Output.flush()
    }
}

/// The status of a document with a peer, as text and as JSON.
private struct StatusLine {
    let document: DocumentID
    let status: DocumentExchange.DocumentStatus
    let peer: PeerID
    let isConnected: Bool
    var pending: DocumentExchange.PendingChanges?
    /// The reason why the document can't be read; `nil` if it can.
    var unreadable: String?

    var text: String {
        var parts = ["status: \(document): \(peer): \(standing)"]
        if let pending {
            let count = pending.unacknowledgedCount
            if count > 0 {
                parts.append("\(count) \(count == 1 ? "change" : "changes") not acknowledged")
            }
            if !pending.missingHeads.isEmpty {
                parts.append("lacks heads " + Printable.hashes(pending.missingHeads))
            }
        }
        let refused = status.refusedChangeCount
        if refused > 0 { parts.append("\(refused) \(refused == 1 ? "change" : "changes") refused") }
        if let unreadable { parts.append("unreadable: \(unreadable)") }
        parts.append("last sent \(Self.time(status.lastSent) ?? "never")")
        parts.append("last received \(Self.time(status.lastReceived) ?? "never")")
        if let problem = status.lastProblem {
            parts.append(
                "last problem \(Self.time(problem.date) ?? ""): "
                    + Printable.clipped(problem.message, columns: 256))
        }
        return parts.joined(separator: "; ")
    }

    private var standing: String {
        guard isConnected else { return "not connected" }
        return switch status.standing {
        case .different: "different"
        case .inSync: "in sync"
        case .unavailable: "unavailable"
        }
    }

    var members: [Name: JSONValue] {
        [
            "event": "status", "store": "documents", "date": .string(Timestamp(Date()).iso8601),
            "document": .string(document.text), "uuid": .optional(document.uuid?.uuidString),
            "peer": .string(peer.text), "isConnected": .boolean(isConnected),
            "state": .string(status.standing.rawValue),
            "unacknowledgedChanges": pending.map { .count($0.unacknowledgedCount) } ?? .null,
            "missingHeads": pending.map {
                .array($0.missingHeads.prefix(64).map { .string($0.debugDescription) })
            } ?? .null,
            "refusedChanges": .count(status.refusedChangeCount),
            "lastSent": .optional(Self.time(status.lastSent)),
            "lastReceived": .optional(Self.time(status.lastReceived)),
            "problem": .optional(unreadable ?? status.lastProblem?.message),
            "problemDate": .optional(Self.time(status.lastProblem?.date)),
        ]
    }

    private static func time(_ date: Date?) -> String? { date.map { Timestamp($0).iso8601 } }
}
