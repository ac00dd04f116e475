import TidelineCore
import TidelineUI

/// The stores that are open in the browser beside each other, and which of them is shown.
struct OpenStores {
    /// An open store, and where a person came to it from.
    struct Store {
        let session: any StoreSession
        let path: String
        /// The folder in whose list it was chosen.
        var listing: String?
        /// The store that was shown in its place before.
        var before: String?
        /// How its screen was when another was shown last.
        var left: LeftScreen?

        /// Whether it is a list of stores.
        var isListing: Bool { session.panes.contains { $0.id == .stores } }
    }

    private var stores: [Store]
    private(set) var place = 0

    init(_ first: Store) { stores = [first] }

    /// The store that is shown; `nil` once all are closed.
    var shown: Store? {
        get { stores.indices.contains(place) ? stores[place] : nil }
        set {
            guard let newValue, stores.indices.contains(place) else { return }
            stores[place] = newValue
        }
    }

    /// The stores that are open beside the one that is shown.
    var hidden: [Store] { stores.enumerated().filter { $0.offset != place }.map(\.element) }

    var paths: [String] { stores.map(\.path) }

    /// Shows another store beside the one that is shown.
    mutating func add(_ store: Store) {
        stores.insert(store, at: place + 1)
        place += 1
    }

    /// Shows another store in the place of the one that is shown.
    mutating func replace(by store: Store) {
        var store = store
        guard let shown else { return }
        store.listing = shown.isListing ? shown.path : shown.listing
        store.before = shown.path
        self.shown = store
    }

    mutating func step(by count: Int) {
        guard !stores.isEmpty else { return }
        place = ((place + count % stores.count) + stores.count) % stores.count
    }

    /// Takes the shown store away, and shows the one before it.
    mutating func removeShown() {
        guard stores.indices.contains(place) else { return }
        stores.remove(at: place)
        place = max(0, place - 1)
    }

    /// All of them, to be closed.
    mutating func removeAll() -> [Store] {
        defer { stores = [] }
        return stores
    }
}
