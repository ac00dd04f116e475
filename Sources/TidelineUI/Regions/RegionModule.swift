import Replication
import TidelineCore

/// A part of the screen: its state, what keys and the mouse do in it, what it asks for, what it says
/// of itself, and how it is drawn.
///
/// Its state is a value in the model. What is done in one region may show in another, so what it
/// does, it does to the model. Answers come to the region that asked: see its `receive`.
protocol RegionModule: Hashable, Sendable {
    static var region: Region { get }

    // MARK: Keys

    /// The actions that are about what it shows. Those whose keys are meant in it alone have the
    /// scope ``Action/Scope/region(_:)``.
    static var actions: [Action] { get }
    /// Why its own keys are not meant now; `nil` when they are.
    static func whyNoKeys(in model: Model) -> String?
    /// Moves the selection down by so many lines.
    static func move(by delta: Int, in model: inout Model)
    /// Moves the selection to an end, or to the line with a number.
    static func moveToEnd(last: Bool, row: Int?, in model: inout Model)
    /// Shows what lies to the right in long texts.
    static func scrollSideways(by columns: Int, in model: inout Model)
    /// How many lines a page has.
    static func pageHeight(in model: Model) -> Int
    /// Opens what is selected.
    static func open(in model: inout Model) -> [Effect]

    // MARK: The mouse

    /// Shows what lies further down, as the wheel does.
    static func scroll(by delta: Int, in model: inout Model)
    /// Selects what is at a place in it, counted from the corner of `inner`, its part of the screen.
    ///
    /// - Returns: Whether there was something that can be opened.
    static func click(at point: Point, in inner: Rect, of model: inout Model) -> Bool

    // MARK: The selection

    /// Whether what it shows is the selected row of the list.
    static var isAboutRow: Bool { get }
    /// What a person is told of from now on when they ask for that here.
    static func alert(in model: Model) -> Alert?
    /// Brings the selection into view, after the size of the screen has changed.
    static func reveal(in model: inout Model)

    // MARK: What it asks for

    /// Asks for what it needs and has not.
    static func request(in model: inout Model) -> [Effect]
    /// Whether what keys mean depends on an answer to it.
    static func isAwaited(in model: Model) -> Bool
    /// Gives up what keys wait for.
    static func giveUp(in model: inout Model) -> [Effect]

    // MARK: Finding

    /// Lets a person type a filter of what it shows.
    ///
    /// - Returns: Whether it has one of its own; where not, the list is filtered.
    static func beginFilter(in model: inout Model) -> Bool
    /// Lets a person type what to search for in it.
    ///
    /// - Returns: Whether it can be searched; where not, the list is.
    static func beginSearch(in model: inout Model) -> Bool
    /// Takes its filter away.
    ///
    /// - Returns: Whether there was one.
    static func endFilter(in model: inout Model) -> Bool

    // MARK: On the screen

    static func title(in model: Model) -> String
    /// Where the selection stands, for the foot of the screen.
    static func place(in model: Model) -> String
    /// The actions worth knowing, the most useful first.
    static func hints(in model: Model) -> [String]
    /// The instants whose ages it shows in its part of the screen, as far as they run with the clock.
    static func ages(in inner: Rect, of model: Model) -> [Timestamp]
    /// When something else that it shows in its part of the screen changes with the clock.
    static func nextChange(in inner: Rect, of model: Model) -> Timestamp?
    static func draw(in inner: Rect, on screen: inout Screen)
}

extension RegionModule {
    static var actions: [Action] { [] }
    static func whyNoKeys(in model: Model) -> String? {
        model.focus == region ? nil : "another region has the keys"
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
    static func click(at point: Point, in inner: Rect, of model: inout Model) -> Bool { false }
    static var isAboutRow: Bool { false }
    static func alert(in model: Model) -> Alert? { nil }
    static func reveal(in model: inout Model) {}
    static func request(in model: inout Model) -> [Effect] { [] }
    static func isAwaited(in model: Model) -> Bool { false }
    static func giveUp(in model: inout Model) -> [Effect] { [] }
    static func place(in model: Model) -> String { "" }
    static func hints(in model: Model) -> [String] { ["enter", "back", "next-region", "help"] }
    static func ages(in inner: Rect, of model: Model) -> [Timestamp] { [] }
    static func nextChange(in inner: Rect, of model: Model) -> Timestamp? { nil }
    static func beginFilter(in model: inout Model) -> Bool { false }
    static func beginSearch(in model: inout Model) -> Bool { false }
    static func endFilter(in model: inout Model) -> Bool { false }

    static func place(_ number: Int, of count: Int) -> String {
        count == 0 ? "" : "\(TextParts.grouped(number))/\(TextParts.grouped(count)) "
    }
}

extension Model {
    /// Keys and what they do, for the foot of the screen, most useful first. What cannot be done is
    /// not among them, unless only because the row is still being read: hints do not come and go
    /// with every step of the cursor.
    var hints: [Hint] {
        if let overlay {
            let key = helpKey(in: overlay.module)
            let help = key.isEmpty || overlay.kind == .help ? [] : [Hint(keys: key, title: "keys")]
            return overlay.module.hints(in: self) + help
        }
        let region = time == nil ? focus : .timeline
        return region.module.hints(in: self).compactMap { name in
            guard let action = Action.named(name) else { return nil }
            let reason = availability(of: action).reason
            guard reason == nil || reason == InspectorRegion.isBeingRead else { return nil }
            return hint(name, title: shortTitle(of: name))
        }
    }

    /// What an action is called at the foot of the screen: by what its key does now.
    private func shortTitle(of action: String) -> String {
        if action == "pause", events.isPaused { return "let in" }
        if action == "enter", focus == .inspector, let word = InspectorRegion.opening(in: self) {
            return word
        }
        return Self.shortTitles[action] ?? action
    }

    private static let shortTitles = [
        "step-back": "earlier", "step-forward": "later", "week-back": "week",
        "next-conflict": "next≠", "mark-a": "mark A", "mark-b": "mark B", "enter": "open",
        "next-region": "focus", "next-pane": "next tab", "help": "keys",
        "count-up": "count up", "count-down": "down",
    ]
}

extension Int {
    /// The number of the line so many further down, held to as many as there are.
    func moved(by delta: Int, of count: Int) -> Int {
        let (target, overflow) = addingReportingOverflow(delta)
        return Swift.max(0, Swift.min(overflow ? (delta > 0 ? .max : 0) : target, count - 1))
    }
}
