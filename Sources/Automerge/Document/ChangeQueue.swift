/// Changes that came before something they depend on.
struct ChangeQueue {
    struct Waiting {
        let hash: ChangeHash
        let contents: [UInt8]
    }

    /// By one dependency that is missing.
    private var byMissing: [ChangeHash: [Waiting]] = [:]
    private(set) var hashes: Set<ChangeHash> = []

    var isEmpty: Bool { hashes.isEmpty }

    mutating func add(_ waiting: Waiting, missing: ChangeHash) {
        guard hashes.insert(waiting.hash).inserted else { return }
        byMissing[missing, default: []].append(waiting)
    }

    /// Takes out what waited for `hash`.
    mutating func take(waitingFor hash: ChangeHash) -> [Waiting] {
        guard !hashes.isEmpty, let found = byMissing.removeValue(forKey: hash) else { return [] }
        for waiting in found { hashes.remove(waiting.hash) }
        return found
    }

    /// All that waits.
    var waiting: [Waiting] { byMissing.values.flatMap { $0 } }

    /// The hashes that something waits for and that do not wait themselves.
    func missing() -> Set<ChangeHash> {
        Set(byMissing.keys).subtracting(hashes)
    }
}
