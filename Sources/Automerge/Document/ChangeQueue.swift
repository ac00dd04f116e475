/// Changes that came before something they depend on.
struct ChangeQueue {
    struct Waiting {
        let hash: ChangeHash
        let contents: [UInt8]
    }

    /// The changes, and how many of their dependencies are missing.
    private var changes: [ChangeHash: (change: Waiting, missingCount: Int)] = [:]
    /// The changes that wait for each missing one.
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

    /// Takes out the changes for which `hash` was the last missing one.
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

    /// All that waits.
    var waiting: [Waiting] { changes.values.map(\.change) }

    /// The hashes that something waits for and that do not wait themselves.
    func missing() -> Set<ChangeHash> {
        Set(byMissing.keys.filter { changes[$0] == nil })
    }
}
