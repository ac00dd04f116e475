/// What stands in front of the regions, one at a time.
///
/// Indirect, or the code to copy every kind of it would stand wherever a model is passed on.
indirect enum Overlay: Hashable, Sendable {
    case prompt(Prompt)
    case palette(CommandPalette)
    case menu(Menu)
    case help(Help)
    case field(FieldEditor)
    case preview(Review)
    case moved(Moved)
    case conflict(ConflictView)
    case many(ManyConflicts)
    case reopen(Reopening)
    case journal(JournalView)
    case quit(Leaving)

    /// Which of them it is: where keys belong to.
    enum Kind: String, Hashable, Sendable, CaseIterable {
        case prompt, palette, menu, help, field, preview, moved, conflict, many, reopen, journal
        case quit

        /// Why its actions cannot be done now.
        var whyNotOpen: String {
            switch self {
            case .prompt: "no filter or search is being typed"
            case .palette: "the list of actions is not open"
            case .menu: "no menu is open"
            case .help: "the help is not open"
            case .field: "nothing is being edited"
            case .preview: "no change waits to be confirmed"
            case .moved: "no change of yours was overtaken"
            case .conflict: "no conflict is open"
            case .many: "no conflicts wait to be ended together"
            case .reopen: "no text waits to be corrected"
            case .journal: "the journal is not open"
            case .quit: "nothing asks whether to leave"
            }
        }
    }

    var module: any OverlayModule {
        switch self {
        case .prompt(let state): state
        case .palette(let state): state
        case .menu(let state): state
        case .help(let state): state
        case .field(let state): state
        case .preview(let state): state
        case .moved(let state): state
        case .conflict(let state): state
        case .many(let state): state
        case .reopen(let state): state
        case .journal(let state): state
        case .quit(let state): state
        }
    }

    var kind: Kind { type(of: module).kind }

    /// Lets `change` change what stands in front, or else what that stands over: an answer reaches
    /// whoever asked for it, though the help may have come in front meanwhile.
    ///
    /// - Parameter change: Says whether it was meant.
    mutating func reach(_ change: (inout Overlay) -> Bool) -> Bool {
        if change(&self) { return true }
        var module = module
        guard var below = module.over, below.reach(change) else { return false }
        module.over = below
        self = module.overlay
        return true
    }

    /// Actions from elsewhere whose keys mean the same here.
    var passes: [String] { type(of: module).passes }

    /// Whether an action is one of its own, or of those from elsewhere that mean the same here.
    func offers(_ action: Action) -> Bool {
        if passes.contains(action.name) { return true }
        guard action.scope == .overlay(kind), !module.hides(action) else { return false }
        guard let number = action.name.last?.wholeNumberValue else { return true }
        return number <= module.choiceCount
    }

    /// Whether it has to be answered before anything else can be done.
    var mustBeAnswered: Bool { module.unfinished != nil || kind == .quit }

    /// What can stand in front, in the order of the help.
    static let modules: [any OverlayModule.Type] = [
        Prompt.self, CommandPalette.self, Menu.self, FieldEditor.self, Review.self, Moved.self,
        ConflictView.self, ManyConflicts.self, Reopening.self, JournalView.self, Help.self,
        Leaving.self,
    ]
}

extension Action {
    /// The actions of all overlays, in the order of the help.
    static let inside: [Action] = Overlay.modules.flatMap { $0.actions } + typing + overlays
}
