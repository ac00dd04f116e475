/// An index of the properties of one key by value.
///
/// New values are added, but removed values are not deleted. So callers check the results, and
/// rebuild the index when most of its content may be outdated.
struct ValueIndex {
    private var heads: [UInt64: UInt32] = [:]
    private var links: ContiguousArray<Link> = []
    /// The number of values when the index was built.
    private var firstCount = 0

    private struct Link {
        var slot: UInt32
        var next: UInt32
    }

    /// Whether the number of values has doubled since the index was built.
    var isStale: Bool { links.count > 2 * max(firstCount, 1000) }

    /// Records that the index contains all values.
    mutating func noteComplete() { firstCount = links.count }

    mutating func add(_ slot: UInt32, hash: UInt64) {
        let head = heads[hash] ?? EntityGraph.none
        // If the same value is set repeatedly, add it only once.
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
