import Automerge
import Foundation
public import Replication

extension AutomergeStore {
    /// Returns the changes that each device provably has.
    ///
    /// Changes are attributed to devices as in ``authors(of:)``.
    ///
    /// - Complexity: O(*n* * *m*) in the number of changes and of devices with changes, for each
    ///   document. Documents are opened one at a time.
    public func seenChanges() -> SeenChanges<DeviceID> {
        seenChanges { document, changes, _ in
            var starts: [DeviceID: [Int]] = [:]
            for (number, change) in changes.enumerated() {
                if let author = change.author { starts[author, default: []].append(number) }
            }
            return starts
        }
    }

    /// Returns the changes that each peer had after the last recorded sync, by the identifier of
    /// the peer's store. Only storage folders of automerge-repo record them.
    ///
    /// - Complexity: As ``seenChanges()``.
    public func seenChangesOfPeers() -> SeenChanges<String> {
        seenChanges { document, _, id in
            let states = backing.syncStates(of: id)
            return states.compactMapValues { data in
                // A state is not trusted, and may name changes that are not in the document.
                let heads = (try? SyncState(bytes: data))?.sharedHeads
                return heads?.compactMap(document.changeNumber)
            }
        }
    }

    /// Returns the changes that each device or peer provably has, in all documents.
    ///
    /// - Parameter starts: Returns changes that each device or peer provably has, given the
    ///   document, the author of each change, and the document's identifier.
    private func seenChanges<Holder>(
        _ starts: (Automerge.Document, [AuthoredChange], UUID) -> [Holder: [Int]]
    ) -> SeenChanges<Holder> {
        var seen = SeenChanges<Holder>()
        forEachDocument { summary, opened in
            switch opened {
            case .success(nil): break
            case .success(let opened?):
                let document = opened.automerge
                let changes = changes(of: document, by: authors(of: summary.id))
                var content = SeenChanges<Holder>.Content(changeCount: changes.count)
                for change in changes {
                    guard let author = change.author else { continue }
                    content.counts[author, default: 0] += 1
                    content.newest.note(change)
                }
                for (holder, numbers) in starts(document, changes, summary.id) {
                    let isSeen = document.ancestors(of: numbers)
                    content.entries[holder] = .init(isSeen, in: document, changes)
                    for (change, isSeen) in zip(changes, isSeen) where isSeen {
                        content.newestSeen[holder, default: [:]].note(change)
                    }
                }
                seen.contents[summary.id] = content
            case .failure(let error): seen.unread[summary.id] = String.reason(of: error)
            }
        }
        return seen
    }

    /// Returns the device and the time of each change.
    private func changes(
        of document: Automerge.Document, by devices: [ActorId: DeviceID]
    ) -> [AuthoredChange] {
        let batch = 4_096
        var changes: [AuthoredChange] = []
        for start in stride(from: 0, to: document.changeCount, by: batch) {
            changes += document.recordedChanges(start..<start + batch).map {
                AuthoredChange(
                    author: devices[$0.actor], time: ChangeTime(recorded: $0.time).timestamp)
            }
        }
        return changes
    }
}

/// The device and the time of a change, if known.
private struct AuthoredChange {
    let author: DeviceID?
    let time: Timestamp?
}

extension [DeviceID: Timestamp] {
    /// Keeps the newest time of each device.
    fileprivate mutating func note(_ change: AuthoredChange) {
        guard let author = change.author, let time = change.time else { return }
        self[author] = self[author].map { Swift.max($0, time) } ?? time
    }
}

extension SeenChanges.Entry {
    /// Creates the entry for the changes that a device or peer has seen.
    fileprivate init(
        _ isSeen: [Bool], in document: Automerge.Document, _ changes: [AuthoredChange]
    ) {
        heads = document.heads(where: isSeen)
        behindCount = 0
        behind = [:]
        for (change, isSeen) in zip(changes, isSeen) where !isSeen {
            behindCount += 1
            if let author = change.author { behind[author, default: 0] += 1 }
        }
    }
}
