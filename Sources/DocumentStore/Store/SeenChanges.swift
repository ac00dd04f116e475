public import Automerge
public import Foundation
public import Replication

/// The changes of documents that devices or peers provably have.
///
/// A device has the changes that it wrote and all changes that these changes depend on. For each
/// peer, a storage folder of automerge-repo records the heads that both sides had after the last
/// sync. A device or a peer may have more changes, because reading alone leaves no proof.
public struct SeenChanges<Holder: Hashable & Sendable>: Sendable {
    /// The changes of a document that a device or a peer provably has.
    public struct Entry: Hashable, Sendable {
        /// The heads of the newest state that the device or peer provably had; empty if there is
        /// none.
        public internal(set) var heads: Set<ChangeHash>
        /// The number of changes of the document that ``heads`` don't include.
        public internal(set) var behindCount: Int
        /// The number of changes that ``heads`` don't include, by the device that made them.
        /// Changes of unknown devices are left out.
        public internal(set) var behind: [DeviceID: Int]
    }

    /// A document's changes.
    struct Content: Sendable {
        /// The number of changes.
        var changeCount = 0
        /// The number of changes by device.
        var counts: [DeviceID: Int] = [:]
        /// The time of the newest change by device. Changes without a time are left out.
        var newest: [DeviceID: Timestamp] = [:]
        var entries: [Holder: Entry] = [:]
        /// The times of the newest changes that each device or peer provably has, as in ``newest``.
        var newestSeen: [Holder: [DeviceID: Timestamp]] = [:]
    }

    /// The documents that could not be opened, with the reasons. Their changes don't count.
    public internal(set) var unread: [UUID: String] = [:]
    var contents: [UUID: Content] = [:]

    /// The documents that could be opened, in ascending order.
    public var documents: [UUID] { contents.keys.sorted() }

    /// The devices with changes of any document, or the peers with a stored sync state.
    public var holders: Set<Holder> { Set(contents.values.flatMap(\.entries.keys)) }

    /// Returns the documents of which the device or peer provably has changes, or for which the
    /// peer's sync state is stored, in ascending order.
    public func documents(of holder: Holder) -> [UUID] {
        contents.filter { $0.value.entries[holder] != nil }.keys.sorted()
    }

    /// Returns the changes of a document that a device or a peer provably has.
    public func entry(of holder: Holder, in document: UUID) -> Entry {
        let content = contents[document] ?? Content()
        return content.entries[holder]
            ?? Entry(heads: [], behindCount: content.changeCount, behind: content.counts)
    }
}

extension SeenChanges<DeviceID> {
    /// The changes of one device that another device provably has, totaled across documents.
    public struct Total: Hashable, Sendable {
        /// The number of changes that the other device provably has.
        public internal(set) var seenCount = 0
        /// The number of changes that the other device doesn't provably have.
        public internal(set) var behindCount = 0
        /// The documents with changes that the other device doesn't provably have, in ascending
        /// order.
        public internal(set) var documentsBehind: [UUID] = []
        /// The time of the newest change that the other device provably has, by the clock of the
        /// change's author; `nil` if the other device has none, or only changes without a time.
        public internal(set) var newestSeen: Timestamp?
        /// The time of the author's newest change.
        public internal(set) var newest: Timestamp?

        /// The time from ``newestSeen`` to ``newest``; zero if all changes were seen, and `nil` if
        /// one of the times isn't known.
        public var timeBehind: Duration? {
            guard behindCount > 0 else { return newestSeen.map { _ in .zero } }
            guard let newest, let newestSeen else { return nil }
            let (behind, overflow) = newest.microseconds.subtractingReportingOverflow(
                newestSeen.microseconds)
            return overflow ? nil : .microseconds(max(0, behind))
        }
    }

    /// Returns the changes of `other` that `device` provably has.
    ///
    /// - Complexity: O(*n* log *n*) in the number of documents.
    public func total(of device: DeviceID, about other: DeviceID) -> Total {
        var total = Total()
        for (id, content) in contents {
            guard let count = content.counts[other] else { continue }
            let behind =
                device == other ? 0 : content.entries[device].map { $0.behind[other] ?? 0 } ?? count
            total.seenCount += count - behind
            total.behindCount += behind
            if behind > 0 { total.documentsBehind.append(id) }
            let newest = content.newest[other]
            let seen = device == other ? newest : content.newestSeen[device]?[other]
            total.newest = [total.newest, newest].compactMap(\.self).max()
            total.newestSeen = [total.newestSeen, seen].compactMap(\.self).max()
        }
        total.documentsBehind.sort()
        return total
    }
}
