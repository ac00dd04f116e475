import TidelineCore

/// A row or store that the palette can go to.
public struct Place: Hashable, Sendable {
    enum Target: Hashable, Sendable {
        /// A row of a pane by name, or a row of its nested list.
        case row(pane: String, RowID, inner: RowID? = nil)
        case store(path: String)
    }

    var target: Target
    var name: String
    /// The title of the list that contains the row, or the folder of a store.
    var location: String
    /// The search text, if the match is in the row's nested list and isn't located yet.
    var holds: String?
}

/// A list whose rows are searched by name.
public struct PlaceList: Hashable, Sendable {
    var pane: String
    var source: SourceID
}

extension Place {
    init?(_ kept: StoreView.Place) {
        guard !kept.pane.isEmpty else { return nil }
        self.init(
            target: .row(
                pane: kept.pane, RowID(kept.row), inner: kept.inner.map { RowID($0) }),
            name: kept.name, location: kept.title)
    }

    /// The place as saved in the view state. Stores aren't saved.
    var kept: StoreView.Place? {
        guard holds == nil, case .row(let pane, let row, let inner) = target else { return nil }
        return StoreView.Place(
            pane: pane, row: row.name, inner: inner?.name, name: name, title: location)
    }

    /// Returns the rank of a fuzzy match with the place's name; lower is better.
    func score(of letters: [Character]) -> Int? {
        PaletteName(String(name.prefix(200))).score(of: letters)
    }
}
