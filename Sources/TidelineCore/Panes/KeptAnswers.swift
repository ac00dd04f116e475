import Synchronization

/// What a source found for queries, to be given again while the store is in the state that it was
/// found in.
///
/// An answer can have a mark, which tells that it holds in a later state too: for an instant of the
/// past, how many rows there were up to then.
final class KeptAnswers<State: Equatable & Sendable, Answer: Sendable>: Sendable {
    private struct Kept: Sendable {
        let query: RowQuery
        var state: State
        let mark: Int?
        let answer: Answer
    }

    /// The answers that were asked for last come last.
    private let kept = Mutex<[Kept]>([])
    private static var limit: Int { 4 }

    /// The kept answer to `query`, or what `make` finds now.
    ///
    /// - Parameter mark: The mark of the answer by now; asked for only where the state is another.
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

    /// The kept answer to `query`, if there is one of this state, or one with this mark.
    func known(_ query: RowQuery, in state: State, marked mark: Int? = nil) -> Answer? {
        kept.withLock { kept in
            // What belongs to another state for good is let go of.
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

    /// Lets go of the answers about instants.
    func forgetPast() { kept.withLock { $0.removeAll { $0.query.instant != nil } } }

    /// Keeps an answer that was found in a state.
    func keep(_ answer: Answer, for query: RowQuery, in state: State, mark: Int? = nil) {
        kept.withLock { kept in
            kept.removeAll { $0.query == query }
            if kept.count >= Self.limit { kept.removeFirst() }
            kept.append(Kept(query: query, state: state, mark: mark, answer: answer))
        }
    }
}
