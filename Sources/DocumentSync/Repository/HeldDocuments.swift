import Automerge
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
    /// How many bytes they took in memory when they were opened.
    private var byteCount = 0
    private static let most = 1_024
    /// Bytes in memory. Of stored bytes a document usually takes ten times as many, but a few
    /// kilobytes may stand for a hundred megabytes.
    private static let mostMemory = 256 << 20
    /// Stored bytes of documents that are opened ahead.
    static let mostBytes = 8 << 20

    /// Holds a document, and lets go of those used longest ago where they are too many.
    ///
    mutating func use(_ document: AutomergeStore.Document) {
        uses += 1
        if entries[document.id]?.document.automerge === document.automerge {
            entries[document.id]?.lastUse = uses
            return
        }
        byteCount -= entries[document.id]?.byteCount ?? 0
        let entry = Entry(
            document: document, byteCount: document.automerge.memoryEstimate,
            lastUse: uses)
        entries[document.id] = entry
        byteCount += entry.byteCount
        if isTooMuch { drop() }
    }

    private var isTooMuch: Bool {
        entries.count > Self.most || (entries.count > 1 && byteCount > Self.mostMemory)
    }

    /// A quarter at a time, so that using one costs little.
    private mutating func drop() {
        let oldest = entries.sorted { $0.value.lastUse < $1.value.lastUse }
        for (id, entry) in oldest.prefix(max(1, entries.count / 4)) {
            entries[id] = nil
            byteCount -= entry.byteCount
        }
        if isTooMuch { drop() }
    }
}
