import Replication
import TidelineCore

/// A panel that changes only its own state. It reads the rest of the screen from a
/// ``ScreenContext``, and returns other consequences as ``ScreenOutcome`` values.
protocol RegionPart: RegionModule {
    /// The place of its state.
    static var state: WritableKeyPath<Regions, Self> { get }

    /// Moves the selection down by a number of lines.
    mutating func move(by delta: Int, in context: ScreenContext)
    /// Opens the selection.
    func open(in context: ScreenContext) -> [ScreenOutcome]
    /// Selects the item at a point, relative to the corner of `inner`, the panel's content area.
    ///
    /// - Returns: Whether the item can be opened, and other consequences.
    mutating func click(
        at point: Point, in inner: Rect, of context: ScreenContext
    ) -> (isHit: Bool, outcomes: [ScreenOutcome])
    /// Scrolls long texts sideways.
    ///
    /// - Returns: Whether the panel has long texts. If not, the list is scrolled.
    mutating func scrollSideways(by columns: Int) -> Bool
    /// The prompt for the panel's own filter; `nil` if it has none, and the list is filtered.
    var filterPrompt: Prompt? { get }
    /// The prompt for searching the panel; `nil` if the list is searched.
    var searchPrompt: Prompt? { get }
    /// Clears the panel's filter.
    ///
    /// - Returns: Whether there was one.
    mutating func endFilter() -> Bool
    /// Returns the alert that the user gets when adding one here.
    func alert(in context: ScreenContext) -> Alert?
    /// Requests missing data.
    ///
    /// - Parameter newID: Returns the identifier of a new request.
    mutating func request(in context: ScreenContext, _ newID: () -> RequestID) -> [Effect]
    func title(in context: ScreenContext) -> String
    /// Returns the position of the selection, for the status line.
    func place(in context: ScreenContext) -> String
    /// Returns the most useful actions, best first.
    func hints(in context: ScreenContext) -> [String]
    /// Returns the instants whose ages the panel shows, as far as they change with time.
    func ages(in inner: Rect, of context: ScreenContext) -> [Timestamp]
    /// Returns the time when other time-dependent content of the panel changes next.
    func nextChange(in inner: Rect, of context: ScreenContext) -> Timestamp?
    func draw(in inner: Rect, on canvas: inout Canvas)
}

extension RegionPart {
    mutating func move(by delta: Int, in context: ScreenContext) {}
    func open(in context: ScreenContext) -> [ScreenOutcome] { [] }
    mutating func click(
        at point: Point, in inner: Rect, of context: ScreenContext
    ) -> (isHit: Bool, outcomes: [ScreenOutcome]) { (false, []) }
    mutating func scrollSideways(by columns: Int) -> Bool { false }
    var filterPrompt: Prompt? { nil }
    var searchPrompt: Prompt? { nil }
    mutating func endFilter() -> Bool { false }
    func alert(in context: ScreenContext) -> Alert? { nil }
    mutating func request(in context: ScreenContext, _ newID: () -> RequestID) -> [Effect] { [] }
    func place(in context: ScreenContext) -> String { "" }
    func hints(in context: ScreenContext) -> [String] { ["enter", "back", "next-region", "help"] }
    func ages(in inner: Rect, of context: ScreenContext) -> [Timestamp] { [] }
    func nextChange(in inner: Rect, of context: ScreenContext) -> Timestamp? { nil }
}
