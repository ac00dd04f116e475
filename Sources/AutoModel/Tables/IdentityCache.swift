/// The objects of one class that somebody holds, by identifier.
///
/// It does not name the class, so that the compiler makes its code for what it holds: code for any
/// class is several times slower. Weak references stand in an array, where they are looked at in their
/// place: a dictionary would copy one for each look.
final class IdentityCache: Sendable {
    private struct Slot { weak var object: AnyObject? }

    private struct State {
        var places: [Int64: UInt32] = [:]
        var slots: ContiguousArray<Slot> = []
        /// Places of slots that nobody has.
        var free: [UInt32] = []
        /// How many entries there may be before the dead are removed.
        var bound = 256

        func object(_ id: Int64) -> AnyObject? { places[id].flatMap(object(at:)) }

        func object(at place: UInt32) -> AnyObject? {
            // A subscript would copy the weak reference.
            slots.withUnsafeBufferPointer { slots in
                slots.baseAddress.flatMap { ($0 + Int(place)).pointee.object }
            }
        }

        /// - Returns: Objects to be let go of when the lock is not held any more: it may be the last
        ///   that holds one, whose end may be code of anybody.
        mutating func insert(_ object: AnyObject, _ id: Int64) -> [AnyObject] {
            if let place = places[id] {
                slots[Int(place)].object = object
            } else if let place = free.popLast() {
                slots[Int(place)].object = object
                places[id] = place
            } else {
                places[id] = UInt32(slots.count)
                slots.append(Slot(object: object))
            }
            guard places.count >= bound else { return [] }
            // Half of them must go before it is looked at again: the cost is that of inserting.
            let alive = removeDead()
            bound = max(256, places.count * 2)
            return alive
        }

        mutating func remove(_ id: Int64) {
            guard let place = places.removeValue(forKey: id) else { return }
            slots[Int(place)].object = nil
            free.append(place)
        }

        private mutating func removeDead() -> [AnyObject] {
            var alive: [AnyObject] = []
            for (id, place) in places {
                if let object = object(at: place) { alive.append(object) } else { remove(id) }
            }
            return alive
        }
    }

    private let state = Locked(State())

    subscript(id: Int64) -> AnyObject? { state.withLock { $0.object(id) } }

    func insert(_ object: AnyObject, _ id: Int64) {
        let alive = state.withLock { $0.insert(object, id) }
        withExtendedLifetime(alive) {}
    }

    func remove(_ id: Int64) { state.withLock { $0.remove(id) } }

    /// All that are alive.
    var objects: [AnyObject] {
        state.withLock { state in
            state.slots.indices.compactMap { state.object(at: UInt32($0)) }
        }
    }

    /// Those of the identifiers that are alive.
    func objects(_ ids: [Int64]) -> [AnyObject?] {
        state.withLock { state in ids.map { state.object($0) } }
    }
}
