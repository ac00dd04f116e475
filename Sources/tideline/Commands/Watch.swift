import ArgumentParser
import Foundation
import KeyValueStore
import Replication
import TidelineCore

/// `tideline watch`: what arrives, as it arrives.
struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print what devices write, as it becomes visible, until interrupted.",
        discussion: "Example: tideline watch Notes.store --json")
    @OptionGroup var store: PathArgument
    @OptionGroup var json: JSONFlag

    func run() async throws {
        let store = KeyValueStore(package: try StorePackage(opening: store.path), device: nil)
        let events = store.events()
        try await store.load()
        for await event in events {
            guard let line = WatchLine(event) else { continue }
            if json.json {
                Output.json(.object(line.members))
            } else {
                Output.text(line.text)
            }
            Output.flush()
        }
    }
}

/// An event as `tideline watch` prints it.
private struct WatchLine {
    let members: [Name: JSONValue]
    let text: String

    init?(_ event: KeyValueStore.Event) {
        var members: [Name: JSONValue]
        let text: String
        switch event.kind {
        case .loaded(let devices, let keys, let rows):
            members = [
                "event": "loaded", "devices": .count(devices), "keys": .count(keys),
                "rows": .count(rows),
            ]
            text = "loaded: \(devices) devices, \(keys) keys, \(rows) rows"
        case .changed(let changes):
            members = ["event": "changed", "keys": .array(changes.keys.map(JSONValue.string))]
            text = "changed: \(changes.keys.joined(separator: " "))"
        case .synced(let sync):
            members = [
                "event": "synced", "device": .string(sync.device.name), "rows": .count(sync.rows),
                "keys": .array(sync.keys.map(JSONValue.string)),
                "milliseconds": sync.latency.map { .real($0 / .milliseconds(1)) } ?? .null,
            ]
            text = "\(sync.device): \(sync.rows) rows: \(sync.keys.joined(separator: " "))"
        case .conflict(let key, let devices):
            members = [
                "event": "conflict", "key": .string(key),
                "devices": .array(devices.map { .string($0.name) }),
            ]
            text = "conflict: \(key): \(devices.map(\.name).joined(separator: ", "))"
        case .resolved(let key):
            members = ["event": "resolved", "key": .string(key)]
            text = "resolved: \(key)"
        case .device(let status):
            members = [
                "event": "device", "device": .string(status.device.name),
                "state": .string(status.state.rawValue), "problem": .optional(status.problem),
            ]
            text =
                "\(status.device) is \(status.state.rawValue)"
                + (status.problem.map { ": \($0)" } ?? "")
        case .blob(let path):
            members = ["event": "blob", "blob": .string(path)]
            text = "blob: \(path)"
        case .deleted:
            members = ["event": "deleted"]
            text = "the package is gone; waiting for it to come back"
        case .returned:
            members = ["event": "returned"]
            text = "the package is there again"
        case .saveFailed: return nil
        }
        members["date"] = .string(Timestamp(event.date).iso8601)
        self.members = members
        self.text = Printable.line(text)
    }
}
