public import Replication
public import TidelineCore

/// The state of the whole screen. Only ``update(_:_:)`` changes it, and ``render(_:theme:size:)``
/// draws it.
public struct Model: Sendable {
    /// The current time, used to compute the ages of rows. The event loop sets it before each
    /// message.
    public var now: Timestamp
    /// The store that the screen shows.
    public internal(set) var session: SessionState
    var preferences: Preferences
    var panels: PanelArrangement
    var panelStates = PanelStates()
    var watching = Watching()
    var overlay: Overlay?
    var notice: Notice?
    /// The current step of the guided tour, if any.
    var tour: TourStep?
    /// The path of an edited text that isn't written, if the user hasn't seen the path yet. The
    /// next start of the program shows it.
    public var keptTextPath: String?
    /// The typed keys that haven't been handled yet.
    public internal(set) var pendingInput: PendingInput
    var writing: Writing
    var requests = Requests()
    var commands = CommandState()
    var recents: Recents
    let lastLayout = LastLayout()

    /// The time zone in which times are shown.
    public var utcOffset: UTCOffset { preferences.utcOffset }

    /// The open stores.
    public struct Stores: Hashable, Sendable {
        /// The names of the stores.
        public var names: [String]
        /// The index of the store that the screen shows.
        public var shown: Int

        /// Creates the list of open stores.
        public init(_ names: [String] = [""], shown: Int = 0) {
            self.names = names
            self.shown = shown
        }
    }

    /// Creates the state of a screen.
    ///
    /// - Parameters:
    ///   - lockedBecause: The reason why writing can't be unlocked in this session; `nil` if it
    ///     can.
    ///   - isWritable: Whether writing is unlocked from the start.
    ///   - hostName: The name of the computer, as a suggestion for the name of this device; `nil`
    ///     if the user has chosen that name.
    ///   - listing: The folder whose list of stores this store was opened from.
    ///   - configuration: The user's settings.
    ///   - stores: The open stores, including this one.
    ///   - recentStores: The paths of recently opened stores, newest first.
    ///   - selecting: The row to select once the list has it.
    ///   - left: The state of this store's screen while it was in the background.
    ///   - hasTour: Whether to start the guided tour.
    public init(
        path: String, size: Size, now: Timestamp, pane: String? = nil,
        lockedBecause: String? = nil, isWritable: Bool = false,
        configuration: Configuration = Configuration(), view: StoreView? = nil,
        themeName: String = "", themes: [String] = [], utcOffset: UTCOffset = 0,
        hostName: String? = nil, listing: String? = nil,
        stores: Stores = Stores(), recentStores: [String] = [],
        selecting: RowID? = nil, left: BackgroundScreen? = nil, notice: Notice? = nil,
        hasTour: Bool = false
    ) {
        self.now = now
        self.notice = notice
        tour = hasTour ? TourStep(number: 1) : nil
        session = SessionState(
            path: path, storeName: TextParts.fileName(path), listing: listing, stores: stores,
            deviceColors: DeviceColors(view?.deviceColors ?? [:]))
        preferences = Preferences(
            keymap: configuration.keymap, mergeTool: configuration.mergeTool,
            alertSignal: configuration.alertSignal,
            resolutionRules: configuration.resolutionRules,
            utcOffset: utcOffset, hostName: hostName, themeName: themeName, themes: themes,
            columns: configuration.columns, savedView: view ?? StoreView())
        panels = PanelArrangement(size: size, shares: configuration.shares)
        pendingInput = PendingInput(lastTime: now)
        writing = Writing(
            lockedFromStart: lockedBecause, isWritable: isWritable && lockedBecause == nil)
        recents = Recents(stores: recentStores)
        navigation.wantedPane = pane
        navigation.wantedRow = selecting
        if let left {
            panelStates.events = left.events
            navigation.leftRows = left.rows
            watching.shownSince = now
        } else {
            // If the store was shown before, the panel already has these events.
            for problem in configuration.shortProblems {
                panelStates.events.add(
                    SessionEvent(.status, date: now.date, summary: "settings: \(problem)"),
                    by: "", isAlert: false)
            }
        }
        if let path = view?.keptTextPath {
            let text = "the text that you were editing was not written; it is in \(path)"
            self.notice = Notice(.warning, text)
            panelStates.events.add(
                SessionEvent(.status, date: now.date, summary: text), by: "", isAlert: false)
        }
        if pane == nil { navigation.savedPane = preferences.savedView.pane }
        resume()
    }
}

extension Model {
    /// The panes with their lists.
    var navigation: Navigation {
        get { panelStates.list.navigation }
        _modify { yield &panelStates.list.navigation }
    }

    /// The state of time travel; `nil` in the present.
    var time: TimeState? {
        get { panelStates.timeline.time }
        _modify { yield &panelStates.timeline.time }
    }

    /// The instant that all lists show; `nil` for now.
    var instant: Timestamp? { time?.instant }

    /// Shows a message. Returns no effects, so that an action can end with the message.
    @discardableResult
    mutating func say(_ kind: Notice.Kind, _ text: String) -> [Effect] {
        notice = Notice(kind, text)
        return []
    }

    mutating func set(_ alarm: Alarm, after microseconds: Int64) -> Effect {
        requests.set(alarm, after: microseconds, from: now)
    }
}
