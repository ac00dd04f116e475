import Automerge
import CommandSupport
import DocumentStore
import Foundation
import Replication
import TidelineCore

/// The document changes that each device of a package provably has.
struct SeenDocuments: Sendable {
    private let seen: SeenChanges<DeviceID>
    private let names: [UUID: String]

    /// Reads the documents of a package. Warns about unreadable documents.
    ///
    /// - Returns: `nil` if the package has no documents.
    /// - Throws: ``Failure``.
    init?(ofPackage path: String) throws {
        let store = try Failure.of(path) { try DocumentStores.open(path) }
        guard let store, !store.documentSummaries().isEmpty else { return nil }
        seen = store.seenChanges()
        names = seen.names(in: store)
    }

    /// Prints a table with a row for each pair of devices.
    func print(of devices: [SessionStatus.Device]) {
        var table = Table(
            "DEVICE", "HAS SEEN", "UP TO", "CHANGES", "CHANGES BEHIND", "TIME BEHIND",
            "DOCUMENTS BEHIND")
        for device in devices {
            for other in devices where other.id != device.id {
                let total = seen.total(of: device.id, about: other.id)
                table.add(
                    device.id.name, other.id.name,
                    total.seenCount == 0 ? "never" : total.newestSeen?.iso8601 ?? "unknown",
                    String(total.seenCount), String(total.behindCount), total.timeBehind?.age ?? "",
                    String(total.documentsBehind.count))
            }
        }
        Output.line("")
        table.print()
    }

    /// Returns the changes that `device` has seen, by writing device, and the states of documents
    /// on `device`, in the documented form.
    func json(
        of device: DeviceID, among devices: [SessionStatus.Device]
    ) -> [Name: JSONValue] {
        var totals: [Name: JSONValue] = [:]
        for other in devices where other.id != device {
            let total = seen.total(of: device, about: other.id)
            totals[Name(other.id.name)] = [
                "changes": .count(total.seenCount), "changesBehind": .count(total.behindCount),
                "timestamp": .optional(total.newestSeen?.microseconds),
                "date": .optional(total.newestSeen?.iso8601),
                "secondsBehind": .optional(total.timeBehind?.components.seconds),
                "documentsBehind": .array(
                    total.documentsBehind.map { .string(names[$0] ?? $0.uuidString) }),
            ]
        }
        return ["seenDocuments": .object(totals), "documents": seen.json(of: device, names)]
    }
}

/// The peers of a storage folder of automerge-repo, and the changes that each peer had after the
/// last sync.
struct StoredPeers {
    private let seen: SeenChanges<String>
    private let names: [UUID: String]

    /// Reads the sync states of the store at `path`.
    ///
    /// - Throws: ``Failure``.
    init(of path: String) throws {
        guard let store = try Failure.of(path, { try DocumentStores.open(path) }) else {
            throw Failure(.badData, path, "not a store of documents")
        }
        seen = store.seenChangesOfPeers()
        names = seen.names(in: store)
    }

    /// Prints a table, or one line of JSON per peer.
    func print(isJSON: Bool) {
        let peers = seen.holders.sorted()
        if isJSON {
            for peer in peers {
                Output.json(["peer": .string(peer), "documents": seen.json(of: peer, names)])
            }
            return
        }
        var table = Table("PEER", "DOCUMENT", "HEADS", "CHANGES BEHIND")
        for peer in peers {
            for document in seen.documents(of: peer) {
                let entry = seen.entry(of: peer, in: document)
                table.add(
                    peer, names[document] ?? document.uuidString,
                    Printable.hashes(entry.heads.sorted()), String(entry.behindCount))
            }
        }
        table.print()
    }
}

extension SeenChanges {
    /// Returns the names of the documents, and warns about unreadable documents.
    fileprivate func names(in store: AutomergeStore) -> [UUID: String] {
        for (id, problem) in unread.sorted(by: { $0.key < $1.key }) {
            Output.note("tideline: the document \(store.text(of: id)) is left out: \(problem)")
        }
        return Dictionary(uniqueKeysWithValues: documents.map { ($0, store.text(of: $0)) })
    }

    /// Returns the states of the documents that a device or a peer has, in the documented form.
    fileprivate func json(of holder: Holder, _ names: [UUID: String]) -> JSONValue {
        var members: [Name: JSONValue] = [:]
        for document in documents(of: holder) {
            let entry = entry(of: holder, in: document)
            members[Name(names[document] ?? document.uuidString)] = [
                "heads": .array(entry.heads.sorted().map { .string($0.debugDescription) }),
                "changesBehind": .count(entry.behindCount),
            ]
        }
        return .object(members)
    }
}
