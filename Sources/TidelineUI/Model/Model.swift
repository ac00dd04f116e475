import Foundation
public import Replication
public import TidelineCore

/// All that the screen shows and knows: a value, changed by ``update(_:_:)`` alone and drawn by
/// ``render(_:theme:size:)``.
public struct Model: Sendable {
    /// A pane and the lists that were opened one inside another in it, outermost first.
    struct PaneState: Hashable, Sendable {
        var id: PaneID
        var lists: [ListState]
        /// Whether it lists what devices disagree about, and nothing else.
        var listsConflicts = false
        /// The number key that shows it.
        var number: Int?

        var list: ListState {
            get { lists[lists.count - 1] }
            set { lists[lists.count - 1] = newValue }
        }
    }

    public var size: Size
    /// The clock that ages are reckoned by. Whoever runs the screen sets it before each message.
    public var now: Timestamp

    let path: String
    /// What the header calls it.
    let storeName: String
    /// The path of the folder in whose list of stores this one was chosen.
    let listing: String?
    /// How far ahead of UTC times are shown and typed.
    let utcOffset: UTCOffset
    /// Why writing cannot be unlocked in this session, whatever the store is.
    private let lockedFromStart: String?
    var keymap: Keymap
    public internal(set) var themeName: String
    /// The stores that are open beside each other, by their names, and which of them this is.
    public let stores: Stores
    /// The columns that a person wants to see in the lists of panes.
    let columns: [String: Configuration.Columns]
    /// How many hundredths regions have of what they share with the list, where that was chosen.
    var shares: [Region: Int] = [:]
    /// Those whose share was changed here, to be kept.
    var changedShares: Set<Region> = []
    /// How the columns of lists are wanted, by pane and list.
    var columnViews: [String: StoreView.Columns] = [:]
    /// How the screen of this store was left the last time.
    let keptView: StoreView
    /// The names of all themes that there are.
    let themes: [String]
    /// The theme that is drawn with before anybody has chosen it.
    var previewedTheme: String?

    public internal(set) var status: SessionStatus
    var panes: [PaneState] = []
    var activePane = 0
    var focus: Region = .list
    var isZoomed = false
    /// The pane to show when it appears, as a person named it.
    var wantedPane: String?
    /// The pane that was shown when the store was left, until it appears.
    var resumedPane: String?
    /// The row of the first list to select when it appears.
    var wantedRow: RowID?
    /// The rows that were selected in the panes of this store when another was shown, until their
    /// lists are.
    var leftRows: [PaneID: RowID] = [:]

    var sidebar = SidebarRegion()
    var browsing = ListRegion()
    var inspector = InspectorRegion()
    var events = EventsRegion()
    var sides = SidesRegion()
    var timeline = TimelineRegion()
    /// The past, while it is shown.
    var time: TimeState?

    /// The conflict that is gone to, until its list is at hand.
    var conflictJump: ConflictJump?

    /// What a person wants to be told of.
    var alerts: Set<Alert> = []
    /// When the bell rang last.
    var lastRing: Timestamp?
    /// From when on what happens rings here: before that another store was shown, and it rang there.
    private(set) var shownSince = Timestamp.distantPast
    var marks = Marks()
    /// Conflicts that a person needs nothing done about.
    var benign = Benign()
    /// Grows with every change of the store, so that what was read before is known as old.
    var version = 0

    var overlay: Overlay?
    /// Keys that wait for an answer; once the screen is left, those that whatever is shown next takes.
    public internal(set) var waiting: [Input] = []
    /// Whether another screen takes its place: what is typed from then on is meant for that one.
    var isLeft = false
    /// Whether keys wait for the first panes and their rows, while the store is being opened.
    var waitsForStore = true
    /// Keys of a sequence that is not complete yet.
    var pendingKeys: [Key] = []
    /// A count typed before a movement.
    var count: Int?
    var notice: Notice?
    var isMouseCaptured = true

    var isWritable = false
    /// Whether the session has yet to say what can be written, since writing was allowed.
    var isUnlocking = false
    /// When a person last did something, for locking again.
    var lastInput: Timestamp
    var journal = Journal()
    /// An answer that a menu or an editor waits for.
    var awaited: Awaited?
    var export: Export?
    var recentActions: [String] = []
    /// Rows that were gone to from the palette, the newest last.
    var recentPlaces: [Place] = []
    /// The paths of stores that were open before, the newest first.
    let recentStores: [String]
    var placesRequest: PlacesRequest?
    var filterHistory: [String] = []
    var searchHistory: [String] = []

    var lastRequest = 0
    /// The wake-ups that are set, and when they ring.
    var alarms: [Alarm: Timestamp] = [:]

    /// The stores that are open beside each other.
    public struct Stores: Hashable, Sendable {
        public var names: [String]
        public var shown: Int

        public init(_ names: [String] = [""], shown: Int = 0) {
            self.names = names
            self.shown = shown
        }
    }

    /// An answer that opens something when it comes.
    struct Awaited: Hashable, Sendable {
        indirect enum Purpose: Hashable, Sendable {
            /// Then the row of the list inside; of several each is opened but the last.
            case open(RowID, showing: [RowID] = [])
            /// What this place holds, to go there.
            case place(Place)
            case edit(row: RowID, field: FieldPath?)
            case externalEdit(row: RowID, field: FieldPath?)
            case copy
            case editor(EditorJob)
            case editorPreview(EditorJob, text: String)
            case preview(Review.Direction, subject: UUID? = nil)
            case difference
            case manyConflicts
            case benign(part: String, note: String)
            /// A store, in the place of this one or beside it.
            case store(isBeside: Bool)
        }

        var id: RequestID
        var source: SourceID
        var purpose: Purpose
    }

    /// - Parameters:
    ///   - lockedBecause: Why writing cannot be unlocked in this session, `nil` when it can.
    ///   - isWritable: Whether writing is unlocked from the start.
    ///   - utcOffset: How far ahead of UTC times are shown.
    ///   - listing: The path of the folder in whose list of stores this one was chosen.
    ///   - configuration: A person's own settings.
    ///   - view: How the screen of this store was left the last time.
    ///   - stores: The stores that are open beside each other.
    ///   - recentStores: The paths of stores that were open before, the newest first.
    ///   - selecting: The row that is selected once the list has it.
    ///   - left: What of this store's screen was kept while another was shown.
    ///   - notice: What a person is to be told first.
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
    /// The list that keys go to; `nil` until the session told of its panes.
    var list: ListState? {
        get { panes.indices.contains(activePane) ? panes[activePane].list : nil }
        set {
            guard let newValue, panes.indices.contains(activePane) else { return }
            panes[activePane].list = newValue
        }
    }

    /// Why writing cannot be unlocked; `nil` when it can.
    var lockedBecause: String? {
        if let lockedFromStart { return lockedFromStart }
        return status.ownDevice == nil && !panes.isEmpty
            ? "what is open here can only be read" : nil
    }

    /// What an author is called, as the store's devices have it.
    func name(of author: Author) -> String {
        let name = status.devices.first { $0.id.name == author.name }?.name ?? ""
        return name.isEmpty ? author.name : name
    }

    /// The role in which an author's name is drawn: each device has its own.
    func role(of author: Author) -> Role {
        status.devices.firstIndex { $0.id.name == author.name }.map { .device(at: $0) } ?? .device
    }

    /// The name under which a person asks for the events, which are no pane of the store.
    static let eventsName = "events"

    /// The names of all that can be shown.
    var paneNames: String {
        // Panes inside of each other's lists may share a name, by which the first is shown.
        var named: Set<String> = []
        return (panes.map(\.id.name) + [Self.eventsName]).filter { named.insert($0).inserted }
            .joined(separator: ", ")
    }

    var pane: PaneState? { panes.indices.contains(activePane) ? panes[activePane] : nil }

    /// The instant that everything is shown at; `nil`: now.
    var instant: Timestamp? { time?.instant }

    mutating func newRequest() -> RequestID {
        lastRequest += 1
        return RequestID(lastRequest)
    }

    /// A request whose answer opens something.
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
