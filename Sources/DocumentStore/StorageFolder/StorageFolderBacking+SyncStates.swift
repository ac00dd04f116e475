import Foundation
import Replication
import Synchronization

/// What is shared with other stores, a file of `sync-state` for each that has an identifier.
///
/// A state only saves comparing what both are known to have: it may be missing, older, or of another
/// program that shares with the same store, and one that cannot be read is as good as none.
extension StorageFolderBacking {
    private static let folderName = "sync-state"
    private static let longestState: Int64 = 1 << 20
    /// How many other stores are remembered of one document: their identifiers come from peers.
    private static let mostStates = 256

    private func steps(of document: UUID, _ known: StorageFolder.Listing) -> [String] {
        (known.steps[document] ?? StorageFolder.steps(of: document)) + [Self.folderName]
    }

    /// Identifiers are UUIDs, of which other programs make file names as they are.
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

    func keepSyncState(_ data: Data, of document: UUID, with storageID: String) throws {
        guard readOnlyReason == nil, Self.isName(storageID), data.count <= Self.longestState else {
            return
        }
        let steps = state.withLock { known -> [String]? in
            // A folder with nothing else in it is no document.
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
