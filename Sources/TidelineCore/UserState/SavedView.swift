import Foundation

/// The saved view of one store: a file in the user's state folder that restores the screen at the
/// next start.
public struct SavedView: Sendable {
    private let file: StoreStateFile

    init(in folder: URL, of store: String) {
        file = StoreStateFile(in: folder, of: store, ending: "json")
    }

    /// The view that was saved last; `nil` if none can be read.
    public var view: StoreView? {
        (try? file.values(of: StoreView.self))?.last
    }

    /// Saves the current view.
    ///
    /// - Throws: `ReplicationError`; the earlier view stays saved.
    public func keep(_ view: StoreView) throws { try file.replace(with: view) }
}

/// The state of the screen for a store: its pane, and the filter and order of each list.
public struct StoreView: Hashable, Sendable, Codable, StoreStateValue {
    /// The state of one list.
    public struct List: Hashable, Sendable, Codable {
        /// The filter.
        public var filter = ""
        /// The sort column; `nil` for the list's own order.
        public var sort: String?
        /// Whether the sort is descending.
        public var isDescending = false
        /// Whether the rows are grouped into folders; `nil` if they aren't.
        public var isGrouped: Bool?

        /// Creates the default state.
        public init() {}
    }

    /// The column layout of a list.
    public struct Columns: Hashable, Sendable, Codable {
        /// The hidden columns, by identifier.
        public var hidden: Set<String> = []
        /// The number of columns that are frozen at the left while the others scroll; `nil` for the
        /// list's default.
        public var frozen: Int?
        /// The widths that the user chose, in cells.
        public var widths: [String: Int] = [:]
        /// The number formats of columns; see `RowSource.showNumbers`.
        public var forms: [String: String] = [:]

        /// Creates the default layout.
        public init() {}
    }

    /// A row that the user jumped to by name.
    public struct Place: Hashable, Sendable, Codable {
        /// The pane, as in ``PaneID/text``.
        public var pane: String
        /// The row's identity.
        public var row: String
        /// The identity of a row in the list inside that row, if the user jumped to the inner row.
        /// Always `nil` in files of earlier versions.
        public var inner: String?
        /// The names of the row and of its list.
        public var name: String, title: String

        /// Creates a reference to a row of a pane.
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

    /// The open pane, as in ``PaneID/text``.
    public var pane: String?
    /// The lists whose state isn't the default, by pane.
    public var lists: [String: List] = [:]
    /// The alerts, in a form that the screen defines.
    public var alerts: [String] = []
    /// The panel sizes by panel name, in percent of the space of the panel and the list together.
    public var shares: [String: Int] = [:]
    /// The column layouts that aren't the default, by pane and list; `nil` in files of earlier
    /// versions.
    public var columns: [String: Columns]? = [:]
    /// The rows that the user jumped to by name, newest last.
    public var places: [Place]?
    /// The colors of devices, by name; `nil` if names alone determine the colors.
    public var deviceColors: [String: Int]?
    /// The file or folder with the text that was being edited when a signal ended the program;
    /// `nil` if no text was being edited, or if a later screen has reported it.
    public var keptTextPath: String?
    var store = ""

    /// Creates the default view.
    public init() {}
}
