/// A count before a word: `1 key`, `3 keys`.
package enum Counted {
    /// - Parameter many: The word for any other number than one; `nil`: the word with an `s`.
    package static func text(
        _ count: some BinaryInteger, _ one: String, _ many: String? = nil
    ) -> String {
        "\(count) \(count == 1 ? one : many ?? one + "s")"
    }

    /// What a counter at a place is counted by: `add 3 to /visits`, `take 1 from /visits`.
    package static func step(_ amount: Int64, of place: String) -> String {
        amount < 0 ? "take \(amount.magnitude) from \(place)" : "add \(amount) to \(place)"
    }

    /// What came, what is another value now and what was taken away, each by itself: `+3`, `~1`,
    /// `+1 ~2 -1`; nothing where nothing was.
    package static func signs(new: Int, changed: Int, gone: Int) -> String {
        [("+", new), ("~", changed), ("-", gone)].filter { $0.1 > 0 }
            .map { "\($0.0)\($0.1)" }.joined(separator: " ")
    }
}
