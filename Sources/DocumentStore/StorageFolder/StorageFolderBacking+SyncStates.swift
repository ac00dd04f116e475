import Foundation
import Replication
import Synchronization

/// The sync states with other stores. Each store that has an identifier has a file in `sync-state`.
///
/// A sync state only saves time: changes that both stores are known to have aren't compared again.
/// It may be missing or outdated, or written by another program that syncs with the same store. An
/// unreadable state counts as missing.
extension StorageFolderBacking {
    private static let folderName = "sync-state"
    private static let longestState: Int64 = 1 << 20
    /// The maximum number of sync states per document. There is a limit because the identifiers
    /// come from peers.
    private static let mostStates = 256

    private func steps(of document: UUID, _ known: StorageFolder.Listing) -> [String] {
        (known.steps[document] ?? StorageFolder.steps(of: document)) + [Self.folderName]
    }

    /// Identifiers are UUIDs, which other programs use as file names unchanged.
    private static func isName(_ storageID: String) -> Bool {
        (1...128).contains(storageID.utf8.count)
            && storageID.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    func syncState(of document: UUID, with storageID: String) -> Data? {
        guard Self.isName(storageID) else { return nil }
        let steps = state.withLock { self.steps(of: document, $0) }
        return try? folder.root.read(storageID, in: steps, limit: Self.longestState)
    }

    func syncStates(of document: UUID) -> [String: Data] {
        let steps = state.withLock { self.steps(of: document, $0) }
        let entries = (try? folder.root.entries(steps)) ?? []
        let names = entries.filter { !$0.isFolder && Self.isName($0.name) }.map(\.name)
        var states: [String: Data] = [:]
        for name in names.sorted().prefix(Self.mostStates) {
            states[name] = try? folder.root.read(name, in: steps, limit: Self.longestState)
        }
        return states
    }

    func keepSyncState(_ data: Data, of document: UUID, with storageID: String) throws {
        guard readOnlyReason == nil, Self.isName(storageID), data.count <= Self.longestState else {
            return
        }
        let steps = state.withLock { known -> [String]? in
            // A folder that contains only sync states isn't a document.
            known.steps[document] == nil ? nil : self.steps(of: document, known)
        }
        guard let steps else { return }
        let others = (try? folder.root.entries(steps)) ?? []
        guard others.count < Self.mostStates || others.contains(where: { $0.name == storageID })
        else { return }
        try folder.root.write(data, as: storageID, in: steps, by: 2, isFlushed: false)
    }

    func removeSyncStates(of document: UUID, _ known: StorageFolder.Listing) throws {
        let steps = steps(of: document, known)
        for entry in (try? folder.root.entries(steps)) ?? [] where !entry.isFolder {
            try folder.root.remove(entry.name, in: steps)
        }
    }
}
