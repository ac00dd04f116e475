import Dispatch
import DocumentStore
import Foundation
import Replication
import Synchronization

/// The changes of documents that each device provably has, for the inspector of a device.
final class SeenDocumentChanges: Sendable {
    private let context: DocumentStoreContext
    /// The last result, and the store's revision when it was computed.
    private let found = Mutex<(revision: UInt64, seen: SeenChanges<DeviceID>)?>(nil)
    /// The maximum number of chunk bytes to read while the user waits.
    private static let mostBytes = 16 << 20
    /// The maximum number of documents in a detail.
    private static let documentLimit = 1_000

    init(_ context: DocumentStoreContext) { self.context = context }

    /// Returns the changes of another device that a device provably has; `nil` if the store has no
    /// documents.
    func section(of device: DeviceID, about other: DeviceID) async -> Detail.Section? {
        guard let store = context.store else { return nil }
        let documents = store.documentSummaries()
        guard !documents.isEmpty else { return nil }
        guard documents.reduce(0, { $0 + $1.byteCount }) <= Self.mostBytes else {
            return Detail.Section(
                "Documents",
                [Detail.Line("", "too large to read here: use tideline devices --seen", .dim)])
        }
        let total = await seenChanges(in: store).total(of: device, about: other)
        var lines: [Detail.Line] = []
        if let newest = total.newestSeen {
            lines.append(
                Detail.Line(
                    "newest change", newest.fullText, .timestamp, instant: newest, writer: other))
            lines.append(Detail.Line("behind", total.timeBehind?.age ?? ""))
        } else {
            let text = total.seenCount == 0 ? "never" : "without a time"
            lines.append(Detail.Line("newest change", text, .dim))
        }
        lines += [
            Detail.Line("changes seen", Counted.grouped(total.seenCount), .number),
            Detail.Line("changes behind", Counted.grouped(total.behindCount), .number),
        ]
        let behind = total.documentsBehind
        lines += behind.prefix(Self.documentLimit).map { id in
            Detail.Line(
                "behind in", context.title(of: id), .link,
                link: Detail.Link(pane: .documents, row: RowID(store.text(of: id))))
        }
        if behind.count > Self.documentLimit {
            let rest = Counted.grouped(behind.count - Self.documentLimit)
            lines.append(Detail.Line("", "and \(rest) more", .dim))
        }
        return Detail.Section("Documents", lines)
    }

    private func seenChanges(in store: AutomergeStore) async -> SeenChanges<DeviceID> {
        let revision = context.revision
        let former = found.withLock { $0 }
        if let former, former.revision == revision { return former.seen }
        let seen = await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(returning: store.seenChanges())
            }
        }
        found.withLock { $0 = (revision, seen) }
        return seen
    }
}
