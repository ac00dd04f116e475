import TidelineCore
import TidelineUI

/// The open stores of the browser. One is shown.
struct OpenStores {
    /// An open store, and the store or folder from which it was opened.
    struct Store {
        let session: any StoreSession
        let path: String
        /// The folder in whose list the store was chosen.
        var listing: String?
        /// The store that this one replaced on the screen.
        var before: String?
        /// The state of its screen when the user switched to another store.
        var left: BackgroundScreen?

        var isListing: Bool { session.panes.contains { $0.id == .stores } }
    }

    private var stores: [Store]
    private(set) var place = 0

    init(_ first: Store) { stores = [first] }

    /// The store that is shown; `nil` if all are closed.
    var shown: Store? {
        get { stores.indices.contains(place) ? stores[place] : nil }
        set {
            guard let newValue, stores.indices.contains(place) else { return }
            stores[place] = newValue
        }
    }

    /// The other open stores.
    var hidden: [Store] { stores.enumerated().filter { $0.offset != place }.map(\.element) }

    var paths: [String] { stores.map(\.path) }

    /// Adds a store to the open stores, and shows it.
    mutating func add(_ store: Store) {
        stores.insert(store, at: place + 1)
        place += 1
    }

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

    /// Removes the shown store and shows the previous one.
    mutating func removeShown() {
        guard stores.indices.contains(place) else { return }
        stores.remove(at: place)
        place = max(0, place - 1)
    }

    /// Removes all stores and returns them for closing.
    mutating func removeAll() -> [Store] {
        defer { stores = [] }
        return stores
    }
}
