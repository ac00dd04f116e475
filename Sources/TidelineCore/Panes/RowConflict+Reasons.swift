import Replication

/// Why a side of a conflict wins or loses, in words.
extension RowConflict {
    /// Of the side that is shown.
    ///
    /// - Parameter others: When the other sides were written.
    static func reasonToWin(_ instant: Timestamp, over others: [Timestamp]) -> String {
        guard let next = others.max() else { return "" }
        if next == instant { return "same instant; the greater device identifier wins" }
        return "newest, by \(next.span(to: instant))"
    }

    /// Of another side.
    ///
    /// - Parameter winner: Whose side is shown.
    static func reasonToLose(to winner: String) -> String {
        "older; written without seeing what \(winner) wrote"
    }
}
