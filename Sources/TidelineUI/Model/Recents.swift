/// The actions, places and texts used recently.
struct Recents: Sendable {
    private static let placeLimit = 20
    private static let textLimit = 100

    var actions: [String] = []
    /// Rows opened from the palette, newest last.
    var places: [Place] = []
    /// The paths of recently opened stores, newest first.
    let stores: [String]
    private(set) var filters: [String] = []
    private(set) var searches: [String] = []
}

extension Recents {
    mutating func add(_ place: Place) {
        places.removeAll { $0.target == place.target }
        places.append(place)
        if places.count > Self.placeLimit { places.removeFirst() }
    }

    mutating func add(filter: String) { Self.add(filter, to: &filters) }
    mutating func add(search: String) { Self.add(search, to: &searches) }

    private static func add(_ text: String, to texts: inout [String]) {
        guard !text.isEmpty else { return }
        texts.removeAll { $0 == text }
        texts.append(text)
        if texts.count > textLimit { texts.removeFirst() }
    }
}
