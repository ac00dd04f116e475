import Replication

/// Finds the differences in one kind of data between two stores, or between two states of one
/// store.
package protocol Comparison: Sendable {
    /// Calls `body` with each difference, in byte order of the names of places.
    ///
    /// - Parameter warn: Called for data of a side that can't be read and is left out.
    /// - Throws: Errors of `body`, and errors that make a comparison impossible.
    func forEach(
        _ body: (StoreDifference) throws -> Void, warn: (ComparedSide, String) -> Void
    ) async throws

    /// Returns notes on data that isn't compared. Leaving out this data doesn't hide differences.
    ///
    /// - Throws: Errors that make a comparison impossible.
    func notes() throws -> [(side: ComparedSide, text: String)]
}

extension Comparison {
    /// Empty, because everything is compared.
    package func notes() throws -> [(side: ComparedSide, text: String)] { [] }
}

/// One of the two sides of a comparison.
package enum ComparedSide: Sendable {
    case from, to
}

/// A store at present or, with an instant, at an earlier time.
struct DatedStore<Store: Sendable>: Sendable {
    let store: Store
    let instant: Timestamp?

    init(_ store: Store, at instant: Timestamp? = nil) {
        self.store = store
        self.instant = instant
    }

    func map<Other: Sendable>(_ transform: (Store) -> Other) -> DatedStore<Other> {
        DatedStore<Other>(transform(store), at: instant)
    }
}

/// A simultaneous walk through two sorted sequences.
enum MergeJoin {
    /// Calls `body` with each key's items, in key order; `nil` for a sequence that lacks the key.
    ///
    /// - Parameters:
    ///   - from: Returns the next item of the first sequence, whose keys ascend.
    ///   - to: Returns the next item of the second sequence, whose keys ascend.
    static func forEach<Item, Key: Comparable>(
        _ from: () throws -> Item?, _ to: () throws -> Item?, by key: (Item) -> Key,
        _ body: (_ from: Item?, _ to: Item?) throws -> Void
    ) throws {
        var (left, right) = (try from(), try to())
        while left != nil || right != nil {
            let (leftKey, rightKey) = (left.map(key), right.map(key))
            let takesLeft = rightKey.map { right in leftKey.map { $0 <= right } ?? false } ?? true
            let takesRight = leftKey.map { left in rightKey.map { $0 <= left } ?? false } ?? true
            try body(takesLeft ? left : nil, takesRight ? right : nil)
            if takesLeft { left = try from() }
            if takesRight { right = try to() }
        }
    }
}
