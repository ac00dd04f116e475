import Foundation
public import Replication
public import TidelineCore

/// The state of the whole screen. Only ``update(_:_:)`` changes it, and ``render(_:theme:size:)``
/// draws it.
public struct Model: Sendable {
    /// A pane with the lists opened in it, outermost first.
    struct PaneState: Hashable, Sendable {
        var id: PaneID
        var lists: [ListState]
        /// Whether the pane lists only conflicts.
        var listsConflicts = false
        /// The number key of the tab.
        var number: Int?

        var list: ListState {
            get { lists[lists.count - 1] }
            set { lists[lists.count - 1] = newValue }
        }
    }

    public var size: Size
    /// The clock for ages. The event loop sets it before each message.
    public var now: Timestamp

    let path: String
    /// The name in the header.
    let storeName: String
    /// The folder whose list of stores this store was opened from.
    let listing: String?
    /// The time zone in which times are shown and typed.
    let utcOffset: UTCOffset
    /// The reason why writing can't be unlocked in this session, whatever the store.
    private let lockedFromStart: String?
    var keymap: Keymap
    public internal(set) var themeName: String
    /// The names of all open stores, and the index of this one.
    public let stores: Stores
    /// The configured columns of panes.
    let columns: [String: Configuration.Columns]
    /// The panel sizes in percent, if configured or resized.
    var shares: [Region: Int] = [:]
    /// The panels resized here, whose sizes are saved.
    var changedShares: Set<Region> = []
    /// The column layouts, by pane and list.
    var columnViews: [String: StoreView.Columns] = [:]
    /// The saved view state of the store.
    let keptView: StoreView
    /// The names of all themes.
    let themes: [String]
    /// The theme being previewed.
    var previewedTheme: String?

    public internal(set) var status: SessionStatus
    var panes: [PaneState] = []
    var activePane = 0
    var focus: Region = .list
    var isZoomed = false
    /// The pane to show once it appears, as the user named it.
    var wantedPane: String?
    /// The last open pane, to be shown once it appears.
    var resumedPane: String?
    /// The row of the first list to select once it appears.
    var wantedRow: RowID?
    /// The rows last selected in the panes, to be selected once their lists have loaded.
    var leftRows: [PaneID: RowID] = [:]

    var sidebar = SidebarRegion()
    var browsing = ListRegion()
    var inspector = InspectorRegion()
    var events = EventsRegion()
    var sides = SidesRegion()
    var timeline = TimelineRegion()
    /// The state of time travel; `nil` in the present.
    var time: TimeState?

    /// The conflict to go to once its list has loaded.
    var conflictJump: ConflictJump?

    /// The alerts.
    var alerts: Set<Alert> = []
    /// The time when the bell last rang.
    var lastRing: Timestamp?
    /// The time since which this store is shown. The bell has already rung for earlier events.
    private(set) var shownSince = Timestamp.distantPast
    var marks = Marks()
    /// The ignored conflicts.
    var ignored = IgnoredConflicts()
    /// Increases with every change of the store; data of an older version is out of date.
    var version = 0

    var overlay: Overlay?
    /// Keys waiting for an answer; once the screen has been left, keys for the next screen.
    public internal(set) var waiting: [Input] = []
    /// Whether another screen is about to take over. Keys typed from then on belong to it.
    var isLeft = false
    /// Whether keys wait for the first panes and rows of a store that is being opened.
    var waitsForStore = true
    /// The keys of an incomplete sequence.
    var pendingKeys: [Key] = []
    /// The count typed before a key.
    var count: Int?
    var notice: Notice?
    var isMouseCaptured = true

    var isWritable = false
    /// Whether writing was unlocked but the session hasn't confirmed yet which edits are possible.
    var isUnlocking = false
    /// The time of the last user action, for locking again.
    var lastInput: Timestamp
    var journal = Journal()
    /// The answer that a menu or editor is waiting for.
    var awaited: Awaited?
    var export: Export?
    var recentActions: [String] = []
    /// Rows opened from the palette, newest last.
    var recentPlaces: [Place] = []
    /// The paths of recently opened stores, newest first.
    let recentStores: [String]
    var placesRequest: PlacesRequest?
    var filterHistory: [String] = []
    var searchHistory: [String] = []

    var lastRequest = 0
    /// The timers, with the times at which they fire.
    var alarms: [Alarm: Timestamp] = [:]

    /// The open stores.
    public struct Stores: Hashable, Sendable {
        public var names: [String]
        public var shown: Int

        public init(_ names: [String] = [""], shown: Int = 0) {
            self.names = names
            self.shown = shown
        }
    }

    /// A pending request whose answer opens something.
    struct Awaited: Hashable, Sendable {
        indirect enum Purpose: Hashable, Sendable {
            /// The row of the nested list to open next. If there are several, all but the last are
            /// opened.
            case open(RowID, showing: [RowID] = [])
            /// The place to go to once it is known what it contains.
            case place(Place)
            case edit(row: RowID, field: FieldPath?)
            case externalEdit(row: RowID, field: FieldPath?)
            case copy
            case editor(EditorJob)
            case editorPreview(EditorJob, text: String)
            case preview(Review.Direction, subject: UUID? = nil)
            case difference
            case manyConflicts
            case ignore(part: String, note: String)
            /// A store to open, in place of this one or in addition to it.
            case store(isBeside: Bool)
        }

        var id: RequestID
        var source: SourceID
        var purpose: Purpose
    }

    /// Creates the state of a screen.
    ///
    /// - Parameters:
    ///   - lockedBecause: Why writing can't be unlocked in this session; `nil` if it can.
    ///   - isWritable: Whether writing is unlocked from the start.
    ///   - utcOffset: The time zone in which times are shown.
    ///   - listing: The folder whose list of stores this store was opened from.
    ///   - configuration: The user's settings.
    ///   - view: The saved view state of the store.
    ///   - stores: The open stores.
    ///   - recentStores: The paths of recently opened stores, newest first.
    ///   - selecting: The row to select once the list has it.
    ///   - left: The state of this store's screen while it was in the background.
    ///   - notice: The first notice.
    public init(
        path: String, size: Size, now: Timestamp, pane: String? = nil,
        lockedBecause: String? = nil, isWritable: Bool = false,
        configuration: Configuration = Configuration(), view: StoreView? = nil,
        themeName: String = "", themes: [String] = [], utcOffset: UTCOffset = 0,
        listing: String? = nil,
        stores: Stores = Stores(), recentStores: [String] = [],
        selecting: RowID? = nil, left: LeftScreen? = nil, notice: Notice? = nil
    ) {
        self.listing = listing
        self.notice = notice
        self.path = path
        storeName = TextParts.fileName(path)
        self.utcOffset = utcOffset
        self.size = size
        self.now = now
        lockedFromStart = lockedBecause
        self.isWritable = isWritable && lockedBecause == nil
        keymap = configuration.keymap
        columns = configuration.columns
        keptView = view ?? StoreView()
        shares = configuration.shares
        self.themeName = themeName
        self.themes = themes
        self.stores = stores
        self.recentStores = recentStores
        wantedRow = selecting
        if let left {
            events = left.events
            leftRows = left.rows
            shownSince = now
        }
        wantedPane = pane
        lastInput = now
        status = SessionStatus(phase: .loading(stage: "opening", fraction: nil))
        if pane == nil { resumedPane = keptView.pane }
        resume()
    }
}

extension Model {
    /// The focused list; `nil` until the session reports its panes.
    var list: ListState? {
        get { panes.indices.contains(activePane) ? panes[activePane].list : nil }
        set {
            guard let newValue, panes.indices.contains(activePane) else { return }
            panes[activePane].list = newValue
        }
    }

    /// The reason why writing can't be unlocked; `nil` if it can.
    var lockedBecause: String? {
        if let lockedFromStart { return lockedFromStart }
        return status.ownDevice == nil && !panes.isEmpty
            ? "this store can only be read" : nil
    }

    /// Returns the display name of an author.
    func name(of author: Author) -> String {
        let name = status.devices.first { $0.id.name == author.name }?.name ?? ""
        return name.isEmpty ? author.name : name
    }

    /// Returns the role for an author's name: each device has its own.
    func role(of author: Author) -> Role {
        status.devices.firstIndex { $0.id.name == author.name }.map { .device(at: $0) } ?? .device
    }

    /// The name of the Events panel, which isn't a pane of the store.
    static let eventsName = "events"

    /// The names of everything that can be shown.
    var paneNames: String {
        // Nested panes may have the same name, which then refers to the first of them.
        var named: Set<String> = []
        return (panes.map(\.id.name) + [Self.eventsName]).filter { named.insert($0).inserted }
            .joined(separator: ", ")
    }

    var pane: PaneState? { panes.indices.contains(activePane) ? panes[activePane] : nil }

    /// The instant that all lists show; `nil` for now.
    var instant: Timestamp? { time?.instant }

    mutating func newRequest() -> RequestID {
        lastRequest += 1
        return RequestID(lastRequest)
    }

    /// Registers a request whose answer opens something.
    mutating func wait(for purpose: Awaited.Purpose, of source: SourceID) -> RequestID {
        let id = newRequest()
        awaited = Awaited(id: id, source: source, purpose: purpose)
        return id
    }

    mutating func withList<Result>(_ body: (inout ListState) -> Result) -> Result? {
        guard panes.indices.contains(activePane) else { return nil }
        return body(&panes[activePane].lists[panes[activePane].lists.count - 1])
    }

    mutating func say(_ kind: Notice.Kind, _ text: String) {
        notice = Notice(kind, text)
    }
}
