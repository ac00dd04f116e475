import Replication

/// An index of string entries by the words that they contain.
///
/// Words are folded. Entries are never removed from the index, so callers check that an entry is
/// still current.
struct TextIndex {
    private var words = StringTable()
    private var heads: ContiguousArray<UInt32> = [EntityGraph.none]
    private var links: ContiguousArray<Link> = []
    /// The numbers of words, in byte order of the words. Words numbered from `sortedCount` on
    /// aren't included yet.
    private var sorted: [UInt32] = []
    private var sortedCount = 1

    private struct Link {
        var entry: UInt32
        var next: UInt32
    }

    mutating func add(_ entry: UInt32, text: String) {
        for word in FoldedText.words(FoldedText.fold(text)) {
            let number = word.withUnsafeBytes { words.intern($0) }
            if Int(number) == heads.count { heads.append(EntityGraph.none) }
            let head = heads[Int(number)]
            if head != EntityGraph.none, links[Int(head)].entry == entry { continue }
            heads[Int(number)] = UInt32(links.count)
            links.append(Link(entry: entry, next: head))
        }
    }

    /// Returns the entries with a word that starts with `prefix`.
    mutating func entries(withPrefix prefix: [UInt8]) -> Set<UInt32> {
        sortNew()
        var place = sorted.indices.firstPosition { !words.precedes(sorted[$0], prefix) }
        var found: Set<UInt32> = []
        while place < sorted.count, words.hasPrefix(sorted[place], prefix) {
            var next = heads[Int(sorted[place])]
            while next != EntityGraph.none {
                found.insert(links[Int(next)].entry)
                next = links[Int(next)].next
            }
            place += 1
        }
        return found
    }

    private mutating func sortNew() {
        guard sortedCount < words.count else { return }
        sorted.append(contentsOf: (sortedCount..<words.count).map(UInt32.init))
        sortedCount = words.count
        let words = words
        sorted.sort { words.precedes($0, $1) }
    }
}
