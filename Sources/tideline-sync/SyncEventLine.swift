import Automerge
import DocumentSync
import Foundation
import Replication
import TidelineCore

/// An event as JSON and as text.
struct SyncEventLine {
    var members: [Name: JSONValue] = ["store": .string("documents")]
    private(set) var text = ""

    init(_ event: SyncEvent) {
        members["date"] = .string(Timestamp(event.date).iso8601)
        switch event.kind {
        case .listening(let address):
            set("listening", "listening at \(address)", ["address": .string(address)])
        case .connecting(let address):
            set("connecting", "connecting to \(address)", ["address": .string(address)])
        case .connected(let peer, let address):
            set("connected", "connected: \(peer)", peer, ["address": .string(address)])
        case .disconnected(let peer, let error):
            set(
                "disconnected", "disconnected: \(peer)" + Self.problem(error), peer,
                ["problem": .optional(error?.message)])
        case .retrying(let error, let pause):
            set("retrying", error.message, tryingAgainAfter: pause, error)
        case .requested(let id, let peer): set("requested", id, peer)
        case .created(let id, let peer): set("created", id, peer)
        case .received(let id, let peer, let amount): set("received", id, peer, amount)
        case .sent(let id, let peer, let amount): set("sent", id, peer, amount)
        case .inSync(let id, let peer):
            set("inSync", "in sync: \(id): \(peer)", peer)
            name(id)
        case .restarted(let id, let peer): set("restarted", id, peer)
        case .unavailable(let id, let peer): set("unavailable", id, peer)
        case .refused(let id, let peer, let amount, let reason):
            set("refused", id, peer, amount)
            text += ": \(reason)"
            members["problem"] = .string(reason)
        case .ephemeral(let id, let peer, let data):
            set("ephemeral", id, peer)
            text += ": \(Counted.text(data.count, "byte"))"
            members["value"] = .data(Data(data))
        case .notSaved(let id, let error, let pause):
            let text = "not saved: \(id): \(error.message)"
            set("notSaved", text, tryingAgainAfter: pause, error)
            name(id)
        case .saved(let id):
            set("saved", "saved: \(id)", [:])
            name(id)
        case .failed(let id, let error):
            set(
                "failed", "failed: \(id.map { "\($0): " } ?? "")\(error.message)",
                [
                    "document": .optional(id?.text), "problem": .string(error.message),
                ])
        }
    }

    private mutating func set(
        _ event: String, _ text: String, tryingAgainAfter pause: Duration, _ error: SyncError
    ) {
        let seconds = (pause / .milliseconds(100)).rounded() / 10
        set(
            event, "\(text); trying again in \(seconds) s",
            [
                "problem": .string(error.message),
                "milliseconds": .real((pause / .milliseconds(1)).rounded()),
            ])
    }

    private static func problem(_ error: SyncError?) -> String {
        error.map { ": \($0.message)" } ?? ""
    }

    private mutating func set(_ event: String, _ text: String, _ more: [Name: JSONValue]) {
        members["event"] = .string(event)
        members.merge(more) { _, new in new }
        self.text = text
    }

    private mutating func set(
        _ event: String, _ text: String, _ peer: PeerID, _ more: [Name: JSONValue] = [:]
    ) {
        set(event, text, more)
        members["peer"] = .string(peer.text)
    }

    private mutating func name(_ id: DocumentID) {
        members["document"] = .string(id.text)
        if let uuid = id.uuid { members["uuid"] = .string(uuid.uuidString) }
    }

    private mutating func set(
        _ event: String, _ id: DocumentID, _ peer: PeerID, _ amount: SyncEvent.Amount? = nil
    ) {
        var text = "\(event): \(id): \(peer)"
        if let amount {
            text += ": \(Counted.text(amount.changes, "change"))"
            text += ", \(Counted.text(amount.bytes, "byte"))"
        }
        set(event, text, peer)
        name(id)
        if let amount {
            members["changes"] = .count(amount.changes)
            members["bytes"] = .count(amount.bytes)
        }
    }
}
