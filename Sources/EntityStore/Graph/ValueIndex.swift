/// Finds the properties of one key that have a value.
///
/// It only ever grows: a property whose value changed is added under the new one and left under
/// the old. Whoever asks checks what is found, and makes the index anew once most of it is stale.
struct ValueIndex {
    private var heads: [UInt64: UInt32] = [:]
    private var links: ContiguousArray<Link> = []

    private struct Link {
        var slot: UInt32
        var next: UInt32
    }

    var count: Int { links.count }

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
