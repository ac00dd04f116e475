/// Objects by their identifiers: a hash table that is filled to seven eighths, where `Dictionary`
/// stops at three quarters, and whose places are 16 bytes.
///
/// An object stands at the place that its identifier's hash names, or at the next free one.
struct IdentityTable {
    private struct Place {
        var id: Int64
        var object: ObjectIdentifier?
    }

    /// As many as a power of two, and one free at least.
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
        // Whatever would not be found past a free place moves into it.
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

    /// Where it is, or would stand.
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
