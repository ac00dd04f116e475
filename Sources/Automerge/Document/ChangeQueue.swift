/// Changes that arrived before their dependencies.
struct ChangeQueue {
    struct Waiting {
        let hash: ChangeHash
        let contents: [UInt8]
    }

    /// The changes, each with the number of its missing dependencies.
    private var changes: [ChangeHash: (change: Waiting, missingCount: Int)] = [:]
    /// The changes that wait for each missing dependency.
    private var byMissing: [ChangeHash: [ChangeHash]] = [:]
    private(set) var byteCount = 0

    var isEmpty: Bool { changes.isEmpty }
    var count: Int { changes.count }
    var hashes: Set<ChangeHash> { Set(changes.keys) }

    func contains(_ hash: ChangeHash) -> Bool { changes[hash] != nil }

    mutating func add(_ waiting: Waiting, missing: Set<ChangeHash>) {
        guard changes[waiting.hash] == nil else { return }
        changes[waiting.hash] = (waiting, missing.count)
        byteCount += waiting.contents.count
        for hash in missing { byMissing[hash, default: []].append(waiting.hash) }
    }

    /// Removes and returns the changes for which `hash` was the last missing dependency.
    mutating func take(waitingFor hash: ChangeHash) -> [Waiting] {
        guard !changes.isEmpty, let found = byMissing.removeValue(forKey: hash) else { return [] }
        var ready: [Waiting] = []
        for waiting in found {
            guard let entry = changes[waiting] else { continue }
            if entry.missingCount > 1 {
                changes[waiting] = (entry.change, entry.missingCount - 1)
            } else {
                ready.append(entry.change)
                changes[waiting] = nil
                byteCount -= entry.change.contents.count
            }
        }
        return ready
    }

    /// All waiting changes.
    var waiting: [Waiting] { changes.values.map(\.change) }

    /// Returns the missing hashes: dependencies of waiting changes that are not in the queue
    /// themselves.
    func missing() -> Set<ChangeHash> {
        Set(byMissing.keys.filter { changes[$0] == nil })
    }
}
