import TidelineCore

/// A command with a name, which key bindings, the command palette and help use.
public struct Action: Sendable {
    /// The heading under which help lists the action.
    public enum Group: String, Sendable, CaseIterable {
        case moving = "Movement"
        case panes = "Tabs and panels"
        case finding = "Search and filter"
        case rows = "Rows"
        case editing = "Editing"
        case lists = "Commands of a tab"
        case conflicts = "Conflicts"
        case time = "Time travel"
        case live = "Live updates"
        case commands = "Custom commands"
        case program = "Program"
        case typing = "Text input"
        case prompt = "Filter or search prompt"
        case palette = "Command palette"
        case menus = "Menu"
        case field = "Value editor"
        case preview = "Preview of a change"
        case changedRow = "Value changed in the meantime"
        case conflictScreen = "Conflict screen"
        case manyConflicts = "Resolving multiple conflicts"
        case invalidText = "Text that isn't a valid value"
        case journal = "Change journal"
        case output = "Output of a command"
        case help = "Help"
        case quit = "Quit prompt"
        case dialogs = "Any dialog"
    }

    /// The part of the screen in which an action's keys work. If several bindings match a key, the
    /// narrower scope wins.
    enum Scope: Hashable, Sendable {
        case everywhere
        /// While the panel has the focus.
        case panel(Panel)
        /// While a counter is selected in the list.
        case counter
        /// In the panes with these names.
        case panes([String])
        /// While this kind of overlay is open.
        case overlay(Overlay.Kind)
        /// While the user edits a line of text.
        case typing
        /// While any overlay is open.
        case overlays
    }

    /// The unique name, in the style of `next-conflict`.
    public let name: String
    /// The title in help and in the palette.
    public let title: String
    /// The heading under which help lists the action.
    public let group: Group
    let scope: Scope
    /// The placeholder that the palette shows after the name, such as `KEY` or `A B`. Square
    /// brackets mark an optional argument; `nil` means that the action has none.
    public let argument: String?
    let availability: @Sendable (Model) -> Availability
    let perform: @Sendable (inout Model, Invocation) -> [Effect]

    /// The count and argument of a call.
    struct Invocation {
        var count: Int?
        var argument = ""
    }

    init(
        _ name: String, _ title: String, _ group: Group, scope: Scope = .everywhere,
        argument: String? = nil,
        when availability: @escaping @Sendable (Model) -> Availability = { _ in .available },
        _ perform: @escaping @Sendable (inout Model, Invocation) -> [Effect]
    ) {
        self.name = name
        self.title = title
        self.group = group
        self.scope = scope
        self.argument = argument
        self.availability = availability
        self.perform = perform
    }

    /// Returns an action that changes the model and has no effects.
    static func change(
        _ name: String, _ title: String, _ group: Group, scope: Scope = .everywhere,
        argument: String? = nil,
        when availability: @escaping @Sendable (Model) -> Availability = { _ in .available },
        _ change: @escaping @Sendable (inout Model, Invocation) -> Void
    ) -> Action {
        Action(name, title, group, scope: scope, argument: argument, when: availability) {
            change(&$0, $1)
            return []
        }
    }

    /// Every action of the program that can be called from anywhere, in help order.
    public static let all: [Action] =
        moving + panes + finding + rows + columns + editing + listCommands + conflicts + time
        + live + program

    /// All actions of the program, including those that work only in overlays.
    static let every = all + inside

    private static let byName = Dictionary(
        every.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    /// Former names that configuration files may still contain.
    private static let formerNames = [
        "benign": "ignore", "take-back": "restore-prefix", "journal-take-back": "journal-undo",
        "field-switch": "field-down",
    ]

    /// Returns the program's action with a current or former name.
    public static func named(_ name: String) -> Action? {
        byName[name] ?? formerNames[name].flatMap { byName[$0] }
    }

    /// Whether the action requires an argument.
    var needsArgument: Bool {
        guard let argument else { return false }
        return !(argument.hasPrefix("[") && argument.hasSuffix("]"))
    }

    func applies(in model: Model) -> Bool {
        switch scope {
        case .everywhere: true
        case .panel(let panel): model.whyNoKeys(of: panel) == nil
        case .counter: model.whyNoCounter == nil
        case .panes(let panes): model.isIn(panes)
        case .overlay(let kind): model.overlay?.kind == kind
        case .typing: model.overlay?.module.field != nil
        case .overlays: model.overlay != nil
        }
    }

    /// Whether the action can be called by name, from the palette.
    var isGlobal: Bool {
        switch scope {
        case .everywhere, .panel, .counter, .panes: true
        case .overlay, .typing, .overlays: false
        }
    }
}

extension Model {
    /// Returns the reason why a panel's own keys don't apply now; `nil` if they do. The keys of the
    /// timeline, which can't have the focus, apply during time travel.
    func whyNoKeys(of panel: Panel) -> String? {
        if panel == .timeline {
            let key = keymap.hint(for: "time")
            return time == nil ? "only available during time travel. Press \(key) to start" : nil
        }
        return panels.focus == panel ? nil : "another panel has the focus"
    }

    /// Whether an action is available now, wherever it is called from.
    func availability(of action: Action) -> Availability {
        if case .panel(let panel) = action.scope, let reason = whyNoKeys(of: panel) {
            return .unavailable(because: reason)
        }
        if case .panes(let panes) = action.scope, !isIn(panes) {
            return .unavailable(because: "works only in \(panes.joined(separator: ", "))")
        }
        return action.availability(self)
    }

    /// Returns whether an action received its required argument, and shows a warning if it didn't.
    mutating func hasArgument(_ argument: String, of name: String) -> Bool {
        guard argument.isEmpty, let wanted = Action.named(name)?.argument else { return true }
        say(.warning, ":\(name) needs an argument: :\(name) \(wanted)")
        return false
    }

    /// Performs an action, or shows why it is unavailable.
    mutating func perform(_ action: Action, _ invocation: Action.Invocation) -> [Effect] {
        if case .unavailable(let reason) = availability(of: action) {
            // The part of a title after a colon or comma explains the action, or names another
            // effect of its key.
            var title = action.title.prefix { $0 != ":" && $0 != "(" && $0 != "," }
            if title.hasSuffix(" ") { title.removeLast() }
            // If the title and the reason don't fit on one line, show only the reason.
            let text = "\(title): \(reason)"
            let fits = CharacterWidth.width(of: text) + 2 <= panels.size.columns
            say(.warning, fits ? text : reason)
            return []
        }
        return action.perform(&self, invocation)
    }

    mutating func perform(_ name: String) -> [Effect] {
        keymap.action(named: name).map { perform($0, Action.Invocation()) } ?? []
    }
}

extension Availability {
    /// Creates an availability.
    ///
    /// - Parameter reason: The reason why something is unavailable; `nil` if it is available.
    init(unless reason: String?) {
        self = reason.map { .unavailable(because: $0) } ?? .available
    }

    /// The reason why something is unavailable; `nil` if it is available.
    var reason: String? {
        if case .unavailable(let reason) = self { reason } else { nil }
    }
}
