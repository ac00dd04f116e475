import Replication
import TidelineCore

/// A panel of the screen: its state, keys, mouse handling, requests, hints and drawing.
///
/// Its state is a value in the model. A ``RegionPart`` changes only this state; the other panels
/// change the whole model. Answers are delivered to the panel that made the request; see its
/// `receive`.
protocol RegionModule: Hashable, Sendable {
    static var region: Region { get }

    // MARK: Keys

    /// The actions of the panel. Those whose keys only work while it has the focus have the scope
    /// ``Action/Scope/region(_:)``.
    static var actions: [Action] { get }
    /// Returns the reason why the panel's own keys don't apply now; `nil` if they do.
    static func whyNoKeys(in model: Model) -> String?
    /// Moves the selection down by a number of lines.
    static func move(by delta: Int, in model: inout Model)
    /// Moves the selection to the first or last line, or to the line with a number.
    static func moveToEnd(last: Bool, row: Int?, in model: inout Model)
    /// Scrolls long texts sideways.
    static func scrollSideways(by columns: Int, in model: inout Model)
    /// Returns the number of lines per page.
    static func pageHeight(in model: Model) -> Int
    /// Opens the selection.
    static func open(in model: inout Model) -> [Effect]

    // MARK: Mouse

    /// Scrolls down by a number of lines, as the mouse wheel does.
    static func scroll(by delta: Int, in model: inout Model)
    /// Selects the item at a point, relative to the corner of `inner`, the panel's content area.
    ///
    /// - Returns: Whether the item can be opened, and the effects of selecting it.
    static func click(
        at point: Point, in inner: Rect, of model: inout Model
    ) -> (isHit: Bool, effects: [Effect])

    // MARK: Selection

    /// Whether the panel shows the selected row of the list.
    static var isAboutRow: Bool { get }
    /// Returns the alert that the user gets when adding one here.
    static func alert(in model: Model) -> Alert?
    /// Scrolls to the selection after the screen was resized.
    static func reveal(in model: inout Model)

    // MARK: Requests

    /// Requests missing data.
    static func request(in model: inout Model) -> [Effect]
    /// Whether the meaning of keys depends on a pending answer.
    static func isAwaited(in model: Model) -> Bool
    /// Cancels the requests that keys are waiting for.
    static func cancelWait(in model: inout Model) -> [Effect]

    // MARK: Search and filter

    /// Opens a prompt for the panel's own filter.
    ///
    /// - Returns: Whether the panel has a filter. If not, the list is filtered.
    static func beginFilter(in model: inout Model) -> Bool
    /// Opens a prompt for searching the panel.
    ///
    /// - Returns: Whether the panel can be searched. If not, the list is searched.
    static func beginSearch(in model: inout Model) -> Bool
    /// Goes back one step inside the panel: clears its filter, or leaves what it shows for now.
    ///
    /// - Returns: Whether there was such a step.
    static func goBack(in model: inout Model) -> Bool

    // MARK: Drawing

    static func title(in model: Model) -> String
    /// Returns the position of the selection, for the status line.
    static func place(in model: Model) -> String
    /// Returns the most useful actions, best first.
    static func hints(in model: Model) -> [String]
    /// Returns the instants whose ages the panel shows, as far as they change with time.
    static func ages(in inner: Rect, of model: Model) -> [Timestamp]
    /// Returns the time when other time-dependent content of the panel changes next.
    static func nextChange(in inner: Rect, of model: Model) -> Timestamp?
    static func draw(in inner: Rect, on screen: inout Screen)
}

extension RegionModule {
    static var actions: [Action] { [] }
    static func whyNoKeys(in model: Model) -> String? {
        model.panels.focus == region ? nil : "another panel has the focus"
    }
    static func move(by delta: Int, in model: inout Model) {}
    static func moveToEnd(last: Bool, row: Int?, in model: inout Model) {
        move(by: last ? .max : -.max, in: &model)
    }
    static func scrollSideways(by columns: Int, in model: inout Model) {
        ListRegion.scrollSideways(by: columns, in: &model)
    }
    static func pageHeight(in model: Model) -> Int {
        max(1, model.layout.inner(region)?.rows ?? 1)
    }
    static func open(in model: inout Model) -> [Effect] { [] }
    static func scroll(by delta: Int, in model: inout Model) { move(by: delta, in: &model) }
    static func click(
        at point: Point, in inner: Rect, of model: inout Model
    ) -> (isHit: Bool, effects: [Effect]) { (false, []) }
    static var isAboutRow: Bool { false }
    static func alert(in model: Model) -> Alert? { nil }
    static func reveal(in model: inout Model) {}
    static func request(in model: inout Model) -> [Effect] { [] }
    static func isAwaited(in model: Model) -> Bool { false }
    static func cancelWait(in model: inout Model) -> [Effect] { [] }
    static func place(in model: Model) -> String { "" }
    static func ages(in inner: Rect, of model: Model) -> [Timestamp] { [] }
    static func nextChange(in inner: Rect, of model: Model) -> Timestamp? { nil }
    static func beginFilter(in model: inout Model) -> Bool { false }
    static func beginSearch(in model: inout Model) -> Bool { false }
    static func goBack(in model: inout Model) -> Bool { false }

    static func place(_ number: Int, of count: Int) -> String {
        count == 0 ? "" : "\(TextParts.grouped(number))/\(TextParts.grouped(count)) "
    }
}

extension Int {
    /// Returns the index moved down by `delta`, clamped to the valid range.
    func moved(by delta: Int, of count: Int) -> Int {
        let (target, overflow) = addingReportingOverflow(delta)
        return Swift.max(0, Swift.min(overflow ? (delta > 0 ? .max : 0) : target, count - 1))
    }
}
