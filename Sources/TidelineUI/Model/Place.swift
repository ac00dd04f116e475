import TidelineCore

/// A row or a store that a person can go to by its name.
public struct Place: Hashable, Sendable {
    enum Target: Hashable, Sendable {
        /// A row of a pane by name, or one of the list inside that row.
        case row(pane: String, RowID, inner: RowID? = nil)
        case store(path: String)
    }

    var target: Target
    var name: String
    /// Where it is: the title of its list, the folder of a store.
    var whereabouts: String
    /// What is inside of the row, and not found yet.
    var holds: String?
}

/// A list in which rows are looked for by their names.
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
            name: kept.name, whereabouts: kept.title)
    }

    /// How it is kept with the screen of its store; stores are not.
    var kept: StoreView.Place? {
        guard holds == nil, case .row(let pane, let row, let inner) = target else { return nil }
        return StoreView.Place(
            pane: pane, row: row.name, inner: inner?.name, name: name, title: whereabouts)
    }

    /// How well typed letters lie in its name; less is better.
    func score(of letters: [Character]) -> Int? {
        PaletteName(String(name.prefix(200))).score(of: letters)
    }
}
