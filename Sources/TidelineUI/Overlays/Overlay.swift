/// The overlay in front of the panels; at most one is open.
struct Overlay: Hashable, Sendable {
    /// A kind of overlay, used as a scope of actions.
    struct Kind: Hashable, Sendable {
        private let module: ObjectIdentifier
        /// The reason why the actions of a closed overlay are unavailable.
        let whyNotOpen: String

        init<Module: OverlayModule>(_ module: Module.Type) {
            self.module = ObjectIdentifier(module)
            whyNotOpen = module.whyNotOpen
        }
    }

    var module: any OverlayModule

    init(_ module: any OverlayModule) { self.module = module }

    static func == (a: Overlay, b: Overlay) -> Bool {
        AnyHashable(a.module) == AnyHashable(b.module)
    }

    func hash(into hasher: inout Hasher) { module.hash(into: &hasher) }

    var kind: Kind { type(of: module).kind }

    /// Changes the state of the first overlay of a type: this overlay or one behind it. So an
    /// answer reaches the overlay that made the request, even if help was opened in front of it
    /// since then.
    ///
    /// - Parameter isWanted: Returns whether to change the given state.
    /// - Returns: Whether an overlay was changed.
    @discardableResult
    mutating func changeFirst<Module: OverlayModule>(
        where isWanted: (Module) -> Bool, _ change: (inout Module) -> Void
    ) -> Bool {
        if var state = module as? Module, isWanted(state) {
            change(&state)
            module = state
            return true
        }
        guard var below = module.over, below.changeFirst(where: isWanted, change) else {
            return false
        }
        module.over = below
        return true
    }

    /// Global actions whose keys also work in this overlay.
    var passes: [String] { type(of: module).passes }

    /// Whether an action belongs to the overlay, or is a global action that also works in it.
    func offers(_ action: Action) -> Bool {
        if passes.contains(action.name) { return true }
        guard action.scope == .overlay(kind), !module.hides(action) else { return false }
        guard let number = action.name.last?.wholeNumberValue else { return true }
        return number <= module.choiceCount
    }

    /// Whether the overlay must be answered before anything else.
    var mustBeAnswered: Bool { module.unfinished != nil || module is QuitDialog }

    /// All kinds of overlays, in help order.
    static let modules: [any OverlayModule.Type] = [
        Prompt.self, CommandPalette.self, Menu.self, FieldEditor.self, PreviewDialog.self,
        ChangedRowDialog.self, ConflictView.self, ManyConflicts.self, EditedTextDialog.self,
        JournalView.self, CommandOutput.self, Help.self, QuitDialog.self,
    ]
}
