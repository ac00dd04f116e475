import DocumentStore
import Foundation

/// The documents that were used last, so that they stay open.
struct HeldDocuments {
    private struct Entry {
        let document: AutomergeStore.Document
        let byteCount: Int
        var lastUse: Int
    }

    private var entries: [UUID: Entry] = [:]
    private var uses = 0
    private var byteCount = 0
    /// So many are held whatever their sizes.
    private static let few = 64
    private static let most = 1_024
    /// Stored bytes; in memory a document takes several times as many.
    static let mostBytes = 8 << 20

    /// Holds a document, and lets go of those used longest ago where they are too many.
    ///
    /// - Parameter size: How many bytes are stored of it.
    mutating func use(_ document: AutomergeStore.Document, size: () -> Int) {
        uses += 1
        if entries[document.id]?.document.automerge === document.automerge {
            entries[document.id]?.lastUse = uses
            return
        }
        byteCount -= entries[document.id]?.byteCount ?? 0
        let entry = Entry(document: document, byteCount: size(), lastUse: uses)
        entries[document.id] = entry
        byteCount += entry.byteCount
        if isTooMuch { drop() }
    }

    private var isTooMuch: Bool {
        entries.count > Self.most || (entries.count > Self.few && byteCount > Self.mostBytes)
    }

    /// A quarter at a time, so that using one costs little.
    private mutating func drop() {
        let oldest = entries.sorted { $0.value.lastUse < $1.value.lastUse }
        for (id, entry) in oldest.prefix(max(1, min(entries.count / 4, entries.count - Self.few))) {
            entries[id] = nil
            byteCount -= entry.byteCount
        }
    }
}
