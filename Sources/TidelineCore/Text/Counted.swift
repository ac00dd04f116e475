import Replication

/// Formats counts for users: `1 key`, `24,676 bytes`.
package enum Counted {
    /// Formats a count with its noun.
    ///
    /// - Parameter many: The plural; `nil` for the singular with an `s`.
    package static func text(
        _ count: some BinaryInteger, _ one: String, _ many: String? = nil
    ) -> String {
        "\(grouped(count)) \(count == 1 ? one : many ?? one + "s")"
    }

    /// Formats a number with commas between thousands: `24,676`.
    package static func grouped(_ number: some BinaryInteger) -> String { number.grouped }

    /// Formats the increment of a counter: `add 3 to /visits`, `subtract 1 from /visits`.
    package static func step(_ amount: Int64, of place: String) -> String {
        amount < 0 ? "subtract \(amount.magnitude) from \(place)" : "add \(amount) to \(place)"
    }

    /// Formats the numbers of new, changed and deleted items, without zeros: `+3`, `+1 ~2 -1`.
    package static func signs(new: Int, changed: Int, deleted: Int) -> String {
        [("+", new), ("~", changed), ("-", deleted)].filter { $0.1 > 0 }
            .map { "\($0.0)\($0.1)" }.joined(separator: " ")
    }
}
