import Foundation
import Synchronization

/// How many conflicts each document of a store has, as far as they were looked at.
///
/// Only an open document tells, so those that nobody looks at are counted one after the other
/// behind the screen, and again when something of them arrives.
final class DocumentConflictCounts: Sendable {
    private let state = Mutex(State())

    private struct State {
        /// Those that can be read.
        var listed: Set<UUID> = []
        /// Those of them that are counted though nobody looks at them.
        var short: Set<UUID> = []
        var counts: [UUID: Int] = [:]
        var total = 0
        /// Those that are to be counted.
        var due: Set<UUID> = []
        var isCounting = false

        mutating func set(_ count: Int?, of id: UUID) {
            total += (count ?? 0) - (counts[id] ?? 0)
            counts[id] = count
        }
    }

    /// How many there are in all that were counted.
    var total: Int { state.withLock { $0.total } }

    /// Whether every document was counted.
    var areWhole: Bool { state.withLock { $0.counts.count == $0.listed.count } }

    /// Those of one document; `nil` where it was not looked at.
    subscript(id: UUID) -> Int? { state.withLock { $0.counts[id] } }

    /// Takes in which documents can be read, and which of them are short enough to be counted
    /// though nobody looks at them. Those that were not counted are from then on.
    func list(_ listed: Set<UUID>, short: Set<UUID>) {
        state.withLock { state in
            for id in state.counts.keys where !listed.contains(id) { state.set(nil, of: id) }
            (state.listed, state.short) = (listed, short)
            state.due = state.due.intersection(short)
                .union(short.filter { state.counts[$0] == nil })
        }
    }

    /// Has documents counted again of which something arrived; a long one by who looks at it.
    func forget(_ ids: Set<UUID>) {
        state.withLock { state in
            state.due.formUnion(ids.intersection(state.short))
            for id in ids.subtracting(state.short) { state.set(nil, of: id) }
        }
    }

    /// - Parameter count: `nil` where it cannot be read.
    func note(_ count: Int?, of id: UUID) {
        state.withLock { state in
            state.due.remove(id)
            guard state.listed.contains(id) else { return }
            if let count { state.set(count, of: id) }
        }
    }

    /// Whether counting has to begin: something is to be counted, and nobody is at it.
    func begin() -> Bool {
        state.withLock { state in
            guard !state.isCounting, !state.due.isEmpty else { return false }
            state.isCounting = true
            return true
        }
    }

    /// The next that is to be counted; `nil` ends counting.
    func next() -> UUID? {
        state.withLock { state in
            let next = state.due.popFirst()
            if next == nil { state.isCounting = false }
            return next
        }
    }
}
