/// A count before a word: `1 key`, `3 keys`.
package enum Counted {
    /// - Parameter many: The word for any other number than one; `nil`: the word with an `s`.
    package static func text(
        _ count: some BinaryInteger, _ one: String, _ many: String? = nil
    ) -> String {
        "\(count) \(count == 1 ? one : many ?? one + "s")"
    }
}
