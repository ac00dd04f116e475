import Automerge
import Foundation
public import Replication

extension AutomergeStore {
    /// Returns the changes that each device provably has.
    ///
    /// The devices of changes are those of ``authors(of:)``.
    ///
    /// - Complexity: O(*n* * *m*) in the number of changes and of devices with changes, for each
    ///   document. Documents are opened one at a time.
    public func seenChanges() -> SeenChanges<DeviceID> {
        seenChanges { document, authors, _ in
            var starts: [DeviceID: [Int]] = [:]
            for (number, author) in authors.enumerated() {
                if let author { starts[author, default: []].append(number) }
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

    /// - Parameter starts: Returns changes that each holder provably has, given the document, the
    ///   author of each change, and the document's identifier.
    private func seenChanges<Holder>(
        _ starts: (Automerge.Document, [DeviceID?], UUID) -> [Holder: [Int]]
    ) -> SeenChanges<Holder> {
        var seen = SeenChanges<Holder>()
        forEachDocument { summary, opened in
            switch opened {
            case .success(nil): break
            case .success(let opened?):
                let document = opened.automerge
                let authors = authors(ofChangesIn: document, self.authors(of: summary.id))
                var content = SeenChanges<Holder>.Content(changeCount: authors.count)
                for case let author? in authors { content.counts[author, default: 0] += 1 }
                for (holder, numbers) in starts(document, authors, summary.id) {
                    content.entries[holder] = .init(numbers, in: document, authors)
                }
                seen.contents[summary.id] = content
            case .failure(let error): seen.unread[summary.id] = Self.reason(of: error)
            }
        }
        return seen
    }

    /// Returns the device of each change.
    private func authors(
        ofChangesIn document: Automerge.Document, _ devices: [ActorId: DeviceID]
    ) -> [DeviceID?] {
        let batch = 4_096
        var authors: [DeviceID?] = []
        for start in stride(from: 0, to: document.changeCount, by: batch) {
            authors += document.recordedChanges(start..<start + batch).map { devices[$0.actor] }
        }
        return authors
    }
}

extension SeenChanges.Entry {
    /// Creates the entry for changes with these numbers and all their ancestors.
    fileprivate init(
        _ numbers: [Int], in document: Automerge.Document, _ authors: [DeviceID?]
    ) {
        let isSeen = document.ancestors(of: numbers)
        heads = document.heads(where: isSeen)
        behindCount = 0
        behind = [:]
        for (author, isSeen) in zip(authors, isSeen) where !isSeen {
            behindCount += 1
            if let author { behind[author, default: 0] += 1 }
        }
    }
}
