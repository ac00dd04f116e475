import TidelineCore

/// Something that a person can have done, under a name that keys, the palette and the help share.
public struct Action: Sendable {
    /// The heading under which help lists it.
    public enum Group: String, Sendable, CaseIterable {
        case moving = "Moving"
        case panes = "Panes"
        case finding = "Finding"
        case rows = "Rows"
        case editing = "Editing"
        case conflicts = "Conflicts"
        case time = "Time"
        case live = "Live"
        case program = "Program"
        case typing = "While typing"
        case prompt = "In a filter or search"
        case palette = "In the list of actions"
        case menus = "In a menu"
        case field = "While a value is edited"
        case preview = "Before a change is written"
        case moved = "When a value changed in the meantime"
        case sides = "In a conflict"
        case many = "With many conflicts"
        case mending = "With a text that is not a valid value"
        case journal = "In the journal"
        case help = "In the help"
        case leaving = "Before leaving"
        case dialogs = "In all of these"
    }

    /// Where its keys mean it. A key of a narrow scope goes before the same key of a wide one.
    enum Scope: Hashable, Sendable {
        case everywhere
        /// While the keys of this region are meant.
        case region(Region)
        /// While a counter is selected in the list.
        case counter
        /// While this stands in front.
        case overlay(Overlay.Kind)
        /// While a line of text is typed.
        case typing
        /// While anything stands in front.
        case overlays
    }

    public let name: String
    public let title: String
    public let group: Group
    let scope: Scope
    /// What follows the name in the palette: `KEY`, `A B`; `[NAME]` may be left out; `nil`: nothing.
    public let argument: String?
    let availability: @Sendable (Model) -> Availability
    let perform: @Sendable (inout Model, Invocation) -> [Effect]

    /// How an action was called.
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

    /// An action that changes the model and asks for nothing.
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

    /// Every action that can be called from anywhere, in the order of the help.
    public static let all: [Action] =
        moving + panes + finding + ListRegion.actions + columns + editing + conflicts
        + TimelineRegion.actions + EventsRegion.actions + program

    /// Those and the ones that are for what stands in front.
    static let every = all + inside

    private static let byName = Dictionary(
        every.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    public static func named(_ name: String) -> Action? { byName[name] }

    /// Whether nothing can be done without what follows the name.
    var needsArgument: Bool {
        guard let argument else { return false }
        return !(argument.hasPrefix("[") && argument.hasSuffix("]"))
    }

    func applies(in model: Model) -> Bool {
        switch scope {
        case .everywhere: true
        case .region(let region): region.module.whyNoKeys(in: model) == nil
        case .counter: model.whyNoCounter == nil
        case .overlay(let kind): model.overlay?.kind == kind
        case .typing: model.overlay?.module.field != nil
        case .overlays: model.overlay != nil
        }
    }

    /// Whether it can be called by its name.
    var isGlobal: Bool {
        switch scope {
        case .everywhere, .region, .counter: true
        case .overlay, .typing, .overlays: false
        }
    }
}

extension Availability {
    var reason: String? {
        if case .unavailable(let reason) = self { reason } else { nil }
    }
}

extension Model {
    /// Whether an action can be done at this moment, from wherever it is called.
    func availability(of action: Action) -> Availability {
        if case .region(let region) = action.scope, let reason = region.module.whyNoKeys(in: self) {
            return .unavailable(because: reason)
        }
        return action.availability(self)
    }

    /// Whether an action got what it needs; says what that is where it did not.
    mutating func has(_ argument: String, for name: String) -> Bool {
        guard argument.isEmpty, let wanted = Action.named(name)?.argument else { return true }
        say(.warning, "\(name): say \(name) \(wanted)")
        return false
    }

    /// Does what an action says, or says why it cannot be done.
    mutating func perform(_ action: Action, _ invocation: Action.Invocation) -> [Effect] {
        if case .unavailable(let reason) = availability(of: action) {
            // What a title goes on to explain has nothing to do with the reason.
            say(.warning, "\(action.title.prefix { $0 != ":" }): \(reason)")
            return []
        }
        return action.perform(&self, invocation)
    }

    mutating func perform(_ name: String) -> [Effect] {
        Action.named(name).map { perform($0, Action.Invocation()) } ?? []
    }
}
