/// An element of an array that names the next element of its chain.
protocol ChainLink {
    /// The number of the next element; ``EntityGraph/none`` after the last one.
    var next: UInt32 { get }
}

extension EntityGraph.Slot: ChainLink {}
extension EntityGraph.Entry: ChainLink {}

/// The numbers of the elements of a chain. The array must not change during the iteration, because
/// changing it would copy it.
struct Chain<Link: ChainLink>: Sequence, IteratorProtocol {
    fileprivate let links: ContiguousArray<Link>
    fileprivate var number: UInt32

    mutating func next() -> UInt32? {
        guard number != EntityGraph.none else { return nil }
        defer { number = links[Int(number)].next }
        return number
    }
}

extension EntityGraph {
    /// Returns the slots of an entity, in no particular order.
    func slotNumbers(of node: UInt32) -> Chain<Slot> {
        Chain(links: slots, number: nodes[Int(node)].firstSlot)
    }

    /// Returns the entries of a property, including removed ones, in no particular order.
    func entryNumbers(of slot: UInt32) -> Chain<Entry> {
        Chain(links: entries, number: slots[Int(slot)].firstEntry)
    }

    /// Returns the entries that point, or pointed, to an entity.
    func incomingNumbers(of node: UInt32) -> [UInt32] {
        var numbers: [UInt32] = []
        var next = nodes[Int(node)].firstIncoming
        while next != Self.none {
            numbers.append(next)
            next = entries[Int(next)].length
        }
        return numbers
    }
}
