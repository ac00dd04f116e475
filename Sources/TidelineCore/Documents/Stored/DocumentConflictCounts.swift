import Foundation
import Synchronization

/// The known numbers of conflicts in the documents of a store.
///
/// Counting conflicts requires opening the document. Documents that aren't open are counted one by
/// one in the background, and again when new chunks of them arrive.
final class DocumentConflictCounts: Sendable {
    private let state = Mutex(State())

    private struct State {
        /// The readable documents.
        var listed: Set<UUID> = []
        /// The documents that are small enough for background counting.
        var short: Set<UUID> = []
        var counts: [UUID: Int] = [:]
        var total = 0
        /// The documents to be counted.
        var due: Set<UUID> = []
        var isCounting = false

        mutating func set(_ count: Int?, of id: UUID) {
            total += (count ?? 0) - (counts[id] ?? 0)
            counts[id] = count
        }
    }

    /// The total over all counted documents.
    var total: Int { state.withLock { $0.total } }

    /// Whether all documents have been counted.
    var areWhole: Bool { state.withLock { $0.counts.count == $0.listed.count } }

    /// The numbers of conflicts in the documents with conflicts.
    var nonzero: [UUID: Int] { state.withLock { $0.counts.filter { $0.value > 0 } } }

    /// The number of conflicts in one document; `nil` if not counted.
    subscript(id: UUID) -> Int? { state.withLock { $0.counts[id] } }

    /// Sets the readable documents, and those that are small enough for background counting. New
    /// documents are scheduled for counting.
    func list(_ listed: Set<UUID>, short: Set<UUID>) {
        state.withLock { state in
            for id in state.counts.keys where !listed.contains(id) { state.set(nil, of: id) }
            (state.listed, state.short) = (listed, short)
            state.due = state.due.intersection(short)
                .union(short.filter { state.counts[$0] == nil })
        }
    }

    /// Schedules documents for counting again after new chunks of them have arrived. Large
    /// documents are counted when they are opened.
    func forget(_ ids: Set<UUID>) {
        state.withLock { state in
            state.due.formUnion(ids.intersection(state.short))
            for id in ids.subtracting(state.short) { state.set(nil, of: id) }
        }
    }

    /// Records the count of a document.
    ///
    /// - Parameter count: The number of conflicts; `nil` if the document is unreadable.
    func note(_ count: Int?, of id: UUID) {
        state.withLock { state in
            state.due.remove(id)
            guard state.listed.contains(id) else { return }
            if let count { state.set(count, of: id) }
        }
    }

    /// Starts counting if documents are due and no count is running; otherwise returns `false`.
    func begin() -> Bool {
        state.withLock { state in
            guard !state.isCounting, !state.due.isEmpty else { return false }
            state.isCounting = true
            return true
        }
    }

    /// Returns the next document to count. If there is none, returns `nil` and ends counting.
    func next() -> UUID? {
        state.withLock { state in
            let next = state.due.popFirst()
            if next == nil { state.isCounting = false }
            return next
        }
    }
}
