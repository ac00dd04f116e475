/// A command with a name, which key bindings, the command palette and help use.
public struct Action: Sendable {
    /// The heading under which help lists the action.
    public struct Group: Hashable, Sendable, CaseIterable {
        /// The text of the heading.
        public let title: String

        init(_ title: String) { self.title = title }

        static let moving = Group("Movement")
        static let panes = Group("Tabs and panels")
        static let finding = Group("Search and filter")
        static let rows = Group("Rows")
        static let editing = Group("Editing")
        static let lists = Group("Commands of a tab")
        static let conflicts = Group("Conflicts")
        static let time = Group("Time travel")
        static let live = Group("Live updates")
        static let commands = Group("Custom commands")
        static let program = Group("Program")
        static let typing = Group("Text input")
        static let dialogs = Group("Any dialog")

        /// All groups, in help order.
        public static let allCases: [Group] =
            [
                moving, panes, finding, rows, editing, lists, conflicts, time, live, commands,
                program, typing,
            ] + Overlay.modules.map { $0.group } + [dialogs]
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
    /// Returns the reason why the action is unavailable within its scope; `nil` if it is available.
    let unavailable: @Sendable (Model) -> String?
    let perform: @Sendable (inout Model, Invocation) -> [Effect]

    struct Invocation {
        var count: Int?
        var argument = ""
    }

    init(
        _ name: String, _ title: String, _ group: Group, scope: Scope = .everywhere,
        argument: String? = nil,
        unless unavailable: @escaping @Sendable (Model) -> String? = { _ in nil },
        _ perform: @escaping @Sendable (inout Model, Invocation) -> [Effect]
    ) {
        self.name = name
        self.title = title
        self.group = group
        self.scope = scope
        self.argument = argument
        self.unavailable = unavailable
        self.perform = perform
    }

    /// Returns an action that changes the model and has no effects.
    static func change(
        _ name: String, _ title: String, _ group: Group, scope: Scope = .everywhere,
        argument: String? = nil,
        unless unavailable: @escaping @Sendable (Model) -> String? = { _ in nil },
        _ change: @escaping @Sendable (inout Model, Invocation) -> Void
    ) -> Action {
        Action(name, title, group, scope: scope, argument: argument, unless: unavailable) {
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

    /// Whether the action can be called by name, from the palette.
    var isGlobal: Bool {
        switch scope {
        case .everywhere, .panel, .counter, .panes: true
        case .overlay, .typing, .overlays: false
        }
    }
}
