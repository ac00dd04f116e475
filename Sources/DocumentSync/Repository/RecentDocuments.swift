import Automerge
import DocumentStore
import Foundation

/// The recently used documents, which are held so that they stay open.
struct RecentDocuments {
    private struct Entry {
        let document: AutomergeStore.Document
        let byteCount: Int
        var lastUse: Int
    }

    private var entries: [UUID: Entry] = [:]
    private var uses = 0
    /// The total size of the documents in memory, measured when they were opened.
    private var byteCount = 0
    private static let most = 1_024
    /// The maximum number of bytes in memory. Documents usually take ten times as many bytes in
    /// memory as in the store, but a few kilobytes may expand to a hundred megabytes.
    private static let mostMemory = 256 << 20
    /// The maximum number of stored bytes of documents that are opened ahead of time.
    static let mostBytes = 8 << 20

    /// Holds a document, and drops the least recently used ones if too many are held.
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

    /// Drops a quarter of the documents at a time, so that the cost per use is small.
    private mutating func drop() {
        let oldest = entries.sorted { $0.value.lastUse < $1.value.lastUse }
        for (id, entry) in oldest.prefix(max(1, entries.count / 4)) {
            entries[id] = nil
            byteCount -= entry.byteCount
        }
        if isTooMuch { drop() }
    }
}
