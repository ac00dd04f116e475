/// Finds the properties of one key that have a value, as their only one or as one of several.
///
/// It only ever grows: a value that a property gets is added, one that is taken back stays. Whoever
/// asks checks what is found, and makes the index anew once most of it may be stale.
struct ValueIndex {
    private var heads: [UInt64: UInt32] = [:]
    private var links: ContiguousArray<Link> = []
    /// How many there were when it was made.
    private var firstCount = 0

    private struct Link {
        var slot: UInt32
        var next: UInt32
    }

    /// Whether it has grown to twice what it was made with.
    var isStale: Bool { links.count > 2 * max(firstCount, 1000) }

    /// Everything that there was is in it.
    mutating func noteComplete() { firstCount = links.count }

    mutating func add(_ slot: UInt32, hash: UInt64) {
        let head = heads[hash] ?? EntityGraph.none
        // A value set again and again, over and over, would lengthen the chain for nothing.
        if head != EntityGraph.none, links[Int(head)].slot == slot { return }
        heads[hash] = UInt32(links.count)
        links.append(Link(slot: slot, next: head))
    }

    func slots(hash: UInt64) -> [UInt32] {
        var found: [UInt32] = []
        var next = heads[hash] ?? EntityGraph.none
        while next != EntityGraph.none {
            found.append(links[Int(next)].slot)
            next = links[Int(next)].next
        }
        return found
    }
}
