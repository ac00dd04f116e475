import Synchronization

/// A cache of query results, valid for one state of the store.
///
/// A result can have a mark that shows whether it is still valid in a later state. For an instant
/// of the past, the mark is the number of rows up to that instant.
final class ResultCache<State: Equatable & Sendable, Answer: Sendable>: Sendable {
    private struct Kept: Sendable {
        let query: RowQuery
        var state: State
        let mark: Int?
        let answer: Answer
    }

    /// The cached results, most recently used last.
    private let kept = Mutex<[Kept]>([])
    private static var limit: Int { 4 }

    /// Returns the cached result of `query`, or computes it with `make`.
    ///
    /// - Parameter mark: Returns the current mark of the result. Called only if the state has
    ///   changed.
    func answer(
        to query: RowQuery, in state: State, mark: () -> Int? = { nil },
        _ make: () throws -> Answer
    ) rethrows -> Answer {
        if let known = known(query, in: state) { return known }
        let mark = mark()
        if let known = known(query, in: state, marked: mark) { return known }
        let answer = try make()
        keep(answer, for: query, in: state, mark: mark)
        return answer
    }

    /// Returns the cached result of `query`, or computes it asynchronously with `make`.
    func answer(
        to query: RowQuery, in state: State, mark: () -> Int? = { nil },
        _ make: () async throws -> Answer
    ) async rethrows -> Answer {
        if let known = known(query, in: state) { return known }
        let mark = mark()
        if let known = known(query, in: state, marked: mark) { return known }
        let answer = try await make()
        keep(answer, for: query, in: state, mark: mark)
        return answer
    }

    /// Returns the cached result of `query` for this state or with this mark, if there is one.
    func known(_ query: RowQuery, in state: State, marked mark: Int? = nil) -> Answer? {
        kept.withLock { kept in
            // Results of an old state without a mark can't become valid again.
            kept.removeAll { $0.state != state && $0.mark == nil }
            guard
                let place = kept.firstIndex(where: {
                    $0.query == query && ($0.state == state || mark != nil && $0.mark == mark)
                })
            else { return nil }
            var found = kept.remove(at: place)
            found.state = state
            kept.append(found)
            return found.answer
        }
    }

    /// Drops the results about instants of the past.
    func forgetPast() { kept.withLock { $0.removeAll { $0.query.instant != nil } } }

    func keep(_ answer: Answer, for query: RowQuery, in state: State, mark: Int? = nil) {
        kept.withLock { kept in
            kept.removeAll { $0.query == query }
            if kept.count >= Self.limit { kept.removeFirst() }
            kept.append(Kept(query: query, state: state, mark: mark, answer: answer))
        }
    }
}
