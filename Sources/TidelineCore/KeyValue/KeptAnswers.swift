import KeyValueStore
import Replication
import Synchronization

/// What a source found for queries, to be given again until the store changes.
///
/// What was found for an instant of the past stays true unless rows arrive that were written
/// before it: after a change it is kept if there are as many of those as before.
final class KeptAnswers<Answer: Sendable>: Sendable {
    private struct Kept {
        let answer: Answer
        /// Rows up to the query's instant; `nil` for the present, and where nobody could tell.
        let rowCount: Int?
        var isChecked = true
    }

    private struct State {
        var answers: [RowQuery: Kept] = [:]
        var changes = 0
    }

    private let state = Mutex(State())
    private static var limit: Int { 4 }

    /// Forgets answers of the present, and has those of the past looked at again.
    func storeChanged() {
        state.withLock { state in
            state.changes += 1
            state.answers = state.answers.filter { $0.key.instant != nil }
            for query in state.answers.keys { state.answers[query]?.isChecked = false }
        }
    }

    /// Forgets everything: the store was loaded anew.
    func clear() {
        state.withLock { state in
            state.changes += 1
            state.answers = [:]
        }
    }

    /// The kept answer to `query`, or what `make` finds now.
    func answer(
        to query: RowQuery, in store: KeyValueStore, _ make: () throws -> Answer
    ) rethrows -> Answer {
        let (kept, changes) = state.withLock { ($0.answers[query], $0.changes) }
        if let kept, kept.isChecked { return kept.answer }
        let rowCount = query.instant.flatMap { instant in
            try? store.rowCount(KeyValueStore.RowFilter(through: instant))
        }
        if let kept, rowCount != nil, kept.rowCount == rowCount {
            keep(Kept(answer: kept.answer, rowCount: rowCount), for: query, changes)
            return kept.answer
        }
        let answer = try make()
        keep(Kept(answer: answer, rowCount: rowCount), for: query, changes)
        return answer
    }

    /// Keeps an answer, unless the store has changed since it was begun.
    private func keep(_ kept: Kept, for query: RowQuery, _ changes: Int) {
        state.withLock { state in
            guard state.changes == changes else { return }
            if state.answers.count >= Self.limit { state.answers = [:] }
            state.answers[query] = kept
        }
    }
}
