import Replication
import TidelineCore

/// The result of a click: whether the item can be opened, and the effects on the rest of the
/// screen.
typealias Click = (isHit: Bool, outcomes: [ScreenOutcome])

/// A panel of the screen: its state, keys, mouse handling, requests, hints and drawing.
///
/// A panel changes only its own state. It reads the rest of the screen from a ``ScreenContext``,
/// and returns effects on the rest of the screen as ``ScreenOutcome`` values. Answers are delivered
/// to the panel that made the request; see its `receive`.
protocol PanelModule: Sendable {
    // MARK: Keys

    /// Moves the selection down by a number of lines.
    mutating func move(by delta: Int, in context: ScreenContext) -> [ScreenOutcome]
    /// Moves the selection to the first or last line, or to the line with the given number.
    mutating func moveToEnd(
        last: Bool, row: Int?, in context: ScreenContext
    ) -> [ScreenOutcome]
    /// Scrolls long texts sideways. A panel without long texts scrolls the list.
    mutating func scrollSideways(by columns: Int, in context: ScreenContext) -> [ScreenOutcome]
    /// Returns the number of lines per page, if the panel has the focus.
    func pageHeight(in context: ScreenContext) -> Int
    /// Opens the selection.
    mutating func open(in context: ScreenContext) -> [ScreenOutcome]
    /// Goes back one step inside the panel: clears its filter, or closes a temporary view.
    ///
    /// - Returns: Whether there was such a step.
    mutating func goBack() -> Bool

    // MARK: Mouse

    /// Scrolls down by a number of lines, as the mouse wheel does.
    mutating func scroll(by delta: Int, in context: ScreenContext) -> [ScreenOutcome]
    /// Selects the item at a point, relative to the corner of `inner`, the panel's content area.
    mutating func click(at point: Point, in inner: Rect, of context: ScreenContext) -> Click

    // MARK: Selection

    /// Returns the alert to add for the selection.
    func alert(in context: ScreenContext) -> Alert?
    /// Scrolls to the selection after the screen was resized.
    mutating func reveal(in context: ScreenContext)

    // MARK: Search and filter

    /// The prompt for the panel's own filter; `nil` if the list is filtered instead.
    var filterPrompt: Prompt? { get }
    /// The prompt for searching the panel; `nil` if the list is searched instead.
    var searchPrompt: Prompt? { get }

    // MARK: Requests

    /// Requests missing data.
    ///
    /// - Parameter requests: The pending requests and timers. The panel adds its new requests to
    ///   them.
    mutating func request(in context: ScreenContext, _ requests: inout Requests) -> [Effect]
    /// Whether the meaning of the panel's keys depends on a pending answer.
    var isAwaited: Bool { get }
    /// Cancels the requests that keys are waiting for.
    mutating func cancelWait() -> [ScreenOutcome]

    // MARK: Drawing

    func title(in context: ScreenContext) -> String
    /// Returns the position of the selection, for the status line.
    func place(in context: ScreenContext) -> String
    /// Returns the most useful actions, best first. Actions that are unavailable aren't shown.
    func hints(in context: ScreenContext) -> [String]
    /// Returns the instants that the panel shows as ages. An age changes with time.
    func ages(in inner: Rect, of context: ScreenContext) -> [Timestamp]
    /// Returns the time when other time-dependent content of the panel changes next.
    func nextChange(in inner: Rect, of context: ScreenContext) -> Timestamp?
    func draw(in inner: Rect, on canvas: inout Canvas)
}

extension PanelModule {
    mutating func move(by delta: Int, in context: ScreenContext) -> [ScreenOutcome] { [] }
    mutating func moveToEnd(
        last: Bool, row: Int?, in context: ScreenContext
    ) -> [ScreenOutcome] {
        move(by: last ? .max : -.max, in: context)
    }
    mutating func scrollSideways(by columns: Int, in context: ScreenContext) -> [ScreenOutcome] {
        [.scrollList(columns)]
    }
    func pageHeight(in context: ScreenContext) -> Int {
        max(1, context.layout.inner(context.panels.focus)?.rows ?? 1)
    }
    mutating func open(in context: ScreenContext) -> [ScreenOutcome] { [] }
    mutating func goBack() -> Bool { false }
    mutating func scroll(by delta: Int, in context: ScreenContext) -> [ScreenOutcome] {
        move(by: delta, in: context)
    }
    mutating func click(at point: Point, in inner: Rect, of context: ScreenContext) -> Click {
        (false, [])
    }
    func alert(in context: ScreenContext) -> Alert? { nil }
    mutating func reveal(in context: ScreenContext) {}
    var filterPrompt: Prompt? { nil }
    var searchPrompt: Prompt? { nil }
    mutating func request(in context: ScreenContext, _ requests: inout Requests) -> [Effect] { [] }
    var isAwaited: Bool { false }
    mutating func cancelWait() -> [ScreenOutcome] { [] }
    func place(in context: ScreenContext) -> String { "" }
    func hints(in context: ScreenContext) -> [String] { ["enter", "back", "next-region", "help"] }
    func ages(in inner: Rect, of context: ScreenContext) -> [Timestamp] { [] }
    func nextChange(in inner: Rect, of context: ScreenContext) -> Timestamp? { nil }

    static func place(_ number: Int, of count: Int) -> String {
        count == 0 ? "" : "\(Counted.grouped(number))/\(Counted.grouped(count)) "
    }
}

extension Int {
    /// Returns the index moved down by `delta`, clamped to the valid range.
    func moved(by delta: Int, of count: Int) -> Int {
        let (target, overflow) = addingReportingOverflow(delta)
        return Swift.max(0, Swift.min(overflow ? (delta > 0 ? .max : 0) : target, count - 1))
    }

    /// Returns the index moved by `step`. The first index follows the last index.
    func cycled(by step: Int, of count: Int) -> Int { ((self + step % count) + count) % count }
}
