import Foundation
import Replication

/// How a person left the screen of one store, kept in the user's state folder for the next time.
public struct KeptView: Sendable {
    private let notes: StoreNotes

    init(in folder: URL, of store: String) {
        notes = StoreNotes(in: folder, of: store, ending: "json")
    }

    /// Where it is kept, or would be.
    public var path: String { notes.path }

    /// How the screen was left the last time; `nil` where nothing readable is kept.
    public var view: StoreView? {
        (try? notes.values(of: StoreView.self))?.last { $0.store == notes.store }
    }

    /// Keeps how the screen is left now.
    ///
    /// - Throws: `ReplicationError`; what was kept before stays.
    public func keep(_ view: StoreView) throws {
        var view = view
        view.store = notes.store
        try notes.replace(with: try StoreNotes.line(view))
    }
}

/// What is shown of a store: its pane, and for each pane how its list is filtered and ordered.
public struct StoreView: Hashable, Sendable, Codable {
    /// How the list of a pane is shown.
    public struct List: Hashable, Sendable, Codable {
        /// The filter.
        public var filter = ""
        /// The column that it is ordered by; `nil`: in its own order.
        public var sort: String?
        /// Whether the greatest comes first.
        public var isDescending = false

        /// A list as it is without anybody's wish.
        public init() {}
    }

    /// How a person wants the columns of a list.
    public struct Columns: Hashable, Sendable, Codable {
        /// Those that are not shown, by their identifiers.
        public var hidden: Set<String> = []
        /// How many of the others stay at the left while the rest is scrolled; `nil`: as the list
        /// has it.
        public var frozen: Int?
        /// How wide columns are, in cells, where that was chosen.
        public var widths: [String: Int] = [:]
        /// The forms in which the numbers of columns are shown; see `RowSource.showNumbers`.
        public var forms: [String: String] = [:]

        /// Columns as they are without anybody's wish.
        public init() {}
    }

    /// A row that was gone to by its name.
    public struct Place: Hashable, Sendable, Codable {
        /// The pane, as ``PaneID/text`` names it.
        public var pane: String
        /// The row's identity.
        public var row: String
        /// That of a row in the list inside of it, where it is that one; `nil` in what earlier
        /// versions kept.
        public var inner: String?
        /// What the row was called, and its list.
        public var name: String, title: String

        /// A row of a pane.
        public init(
            pane: String, row: String, inner: String? = nil, name: String, title: String
        ) {
            self.pane = pane
            self.row = row
            self.inner = inner
            self.name = name
            self.title = title
        }
    }

    /// The pane that is shown, as ``PaneID/text`` names it.
    public var pane: String?
    /// The lists that are not as they are without anybody's wish, by their panes.
    public var lists: [String: List] = [:]
    /// What a person wants to be told of, as the action `alert` takes it.
    public var alerts: [String] = []
    /// How many hundredths regions have of what they share with the list, by their names.
    public var shares: [String: Int] = [:]
    /// The columns of lists that are not as they are without anybody's wish, by pane and list; `nil`
    /// in what earlier versions kept.
    public var columns: [String: Columns]? = [:]
    /// The rows that were gone to by their names, the newest last.
    public var places: [Place]?
    fileprivate var store = ""

    /// A store as it is shown without anybody's wish.
    public init() {}
}
