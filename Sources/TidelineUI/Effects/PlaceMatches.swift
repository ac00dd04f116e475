import TidelineCore

/// The places that match a typed text, best matches of each list first.
public struct PlaceMatches: Hashable, Sendable {
    /// The number of further matches.
    struct Others: Hashable, Sendable {
        var count = 0
        /// Whether the number of further matches is exact.
        var isCountExact = true
    }

    var places: [Place] = []
    var others = Others()

    static func += (found: inout Self, more: Self) {
        found.places += more.places
        found.others += more.others
    }
}

extension PlaceMatches.Others {
    /// Counts the matching rows outside of the window.
    init(behind window: RowWindow?) {
        guard let window else { return }
        count = max(0, window.total - window.rows.count)
        isCountExact = window.isTotalExact
    }

    static func += (others: inout Self, more: Self) {
        others.count += more.count
        others.isCountExact = others.isCountExact && more.isCountExact
    }

    /// A note about further matches; empty if there are none.
    var text: String {
        count == 0
            ? ""
            : "… and \(isCountExact ? "" : "at least ")\(Counted.grouped(count)) more; keep typing"
    }
}
