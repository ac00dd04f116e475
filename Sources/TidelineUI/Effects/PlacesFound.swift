import TidelineCore

/// The places that a typed text may mean, the likeliest of each list first.
public struct PlacesFound: Hashable, Sendable {
    /// How many hits there are besides those that are listed.
    struct Others: Hashable, Sendable {
        var count = 0
        /// Whether there may be still more, as not all was counted yet.
        var isCountExact = true
    }

    var places: [Place] = []
    var others = Others()

    static func += (found: inout Self, more: Self) {
        found.places += more.places
        found.others += more.others
    }
}

extension PlacesFound.Others {
    /// The rows that match besides those of a window.
    init(behind window: RowWindow?) {
        guard let window else { return }
        count = max(0, window.total - window.rows.count)
        isCountExact = window.isTotalExact
    }

    static func += (others: inout Self, more: Self) {
        others.count += more.count
        others.isCountExact = others.isCountExact && more.isCountExact
    }

    /// That there are more, and what to do about it; empty where there are none.
    var text: String {
        count == 0
            ? "" : "… and \(isCountExact ? "" : "≥")\(TextParts.grouped(count)) more: type on"
    }
}
