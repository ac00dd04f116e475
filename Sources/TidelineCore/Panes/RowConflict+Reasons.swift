import Replication

/// The reasons why a side of a conflict wins or loses, and warnings about a merged value.
extension RowConflict {
    /// Returns the reason why the winner wins.
    ///
    /// - Parameter others: The timestamps of the other sides.
    static func reasonToWin(_ instant: Timestamp, over others: [Timestamp]) -> String {
        guard let next = others.max() else { return "" }
        if next == instant { return "same timestamp; the greater device id wins" }
        return "newest by \(next.span(to: instant))"
    }

    /// Returns the reason why another side loses.
    ///
    /// - Parameters:
    ///   - winner: The name of the winner's author.
    ///   - isSameAuthor: Whether the winner's author also wrote this side. Only two processes that
    ///     write at the same moment cause such a conflict.
    static func reasonToLose(to winner: String, isSameAuthor: Bool) -> String {
        isSameAuthor
            ? "written by another program of the same device at the same time"
            : "older; written without seeing \(winner)'s value"
    }

    /// Returns the warning about a merged value in which changes overlap, with the first places;
    /// `nil` if they don't overlap.
    static func warning(ofOverlaps overlaps: [String]) -> String? {
        guard !overlaps.isEmpty else { return nil }
        let rest = overlaps.count - shownOverlaps
        return "two sides have changed the same part, and the newest change is taken: "
            + overlaps.prefix(shownOverlaps).joined(separator: ", ")
            + (rest > 0 ? ", and \(Counted.grouped(rest)) more" : "")
    }

    /// The maximum number of overlaps to name.
    private static let shownOverlaps = 8
}
