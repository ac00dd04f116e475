/// A hash table of objects by identifier, with open addressing.
///
/// This table is more compact than `Dictionary`: an entry takes 16 bytes, and the table is filled
/// up to seven eighths instead of three quarters. An object is at the position of its identifier's
/// hash, or at the next free position.
struct IdentityTable {
    private struct Place {
        var id: Int64
        var object: ObjectIdentifier?
    }

    /// The entries. Their number is a power of two, and at least one position is free.
    private var places = ContiguousArray(repeating: Place(id: 0, object: nil), count: 16)
    private(set) var count = 0

    var objects: [ObjectIdentifier] { places.compactMap(\.object) }

    subscript(id: Int64) -> ObjectIdentifier? { places[place(of: id)].object }

    mutating func insert(_ object: ObjectIdentifier, _ id: Int64) {
        let place = place(of: id)
        if places[place].object == nil { count += 1 }
        places[place] = Place(id: id, object: object)
        if count > places.count / 8 * 7 { resize(to: places.count * 2) }
    }

    mutating func remove(_ id: Int64) {
        var free = place(of: id)
        guard places[free].object != nil else { return }
        count -= 1
        // Moves entries into the free position, so that a lookup doesn't stop at this position
        // before it reaches them.
        var next = free
        while true {
            next = (next + 1) & (places.count - 1)
            guard places[next].object != nil else { break }
            let first = firstPlace(of: places[next].id)
            let isReached =
                free <= next ? free < first && first <= next : free < first || first <= next
            if isReached { continue }
            places[free] = places[next]
            free = next
        }
        places[free] = Place(id: 0, object: nil)
        if places.count > 16, count < places.count / 8 { resize(to: places.count / 4) }
    }

    private func firstPlace(of id: Int64) -> Int { id.hashValue & (places.count - 1) }

    /// Returns the position of an identifier, or where it would be inserted.
    private func place(of id: Int64) -> Int {
        var place = firstPlace(of: id)
        while places[place].object != nil, places[place].id != id {
            place = (place + 1) & (places.count - 1)
        }
        return place
    }

    private mutating func resize(to size: Int) {
        let old = places
        places = ContiguousArray(repeating: Place(id: 0, object: nil), count: max(16, size))
        for one in old where one.object != nil { places[place(of: one.id)] = one }
    }
}
