/// The overlay in front of the panels; at most one is open.
///
/// The cases are indirect. Otherwise, the code that copies each kind of overlay would be generated
/// at every place that passes a model on.
indirect enum Overlay: Hashable, Sendable {
    case prompt(Prompt)
    case palette(CommandPalette)
    case menu(Menu)
    case help(Help)
    case field(FieldEditor)
    case preview(PreviewDialog)
    case changedRow(ChangedRowDialog)
    case conflict(ConflictView)
    case manyConflicts(ManyConflicts)
    case invalidText(InvalidTextDialog)
    case journal(JournalView)
    case output(CommandOutput)
    case quit(QuitDialog)

    /// The kinds of overlay, used as scopes of actions.
    enum Kind: String, Hashable, Sendable, CaseIterable {
        case prompt, palette, menu, help, field, preview, changedRow, conflict, manyConflicts
        case invalidText, journal, output, quit

        /// The reason why the actions of a closed overlay are unavailable.
        var whyNotOpen: String {
            switch self {
            case .prompt: "no filter or search prompt is open"
            case .palette: "the command palette is not open"
            case .menu: "no menu is open"
            case .help: "help is not open"
            case .field: "nothing is being edited"
            case .preview: "no change is waiting for confirmation"
            case .changedRow: "none of your edits is out of date"
            case .conflict: "no conflict is open"
            case .manyConflicts: "no conflicts are being resolved"
            case .invalidText: "no text needs correcting"
            case .journal: "the change journal is not open"
            case .output: "no output is open"
            case .quit: "no quit prompt is open"
            }
        }
    }

    var module: any OverlayModule {
        get {
            switch self {
            case .prompt(let state): state
            case .palette(let state): state
            case .menu(let state): state
            case .help(let state): state
            case .field(let state): state
            case .preview(let state): state
            case .changedRow(let state): state
            case .conflict(let state): state
            case .manyConflicts(let state): state
            case .invalidText(let state): state
            case .journal(let state): state
            case .output(let state): state
            case .quit(let state): state
            }
        }
        set { self = newValue.overlay }
    }

    var kind: Kind { type(of: module).kind }

    /// Changes the state of the first overlay of a type: this overlay or one behind it. An answer
    /// thereby reaches the overlay that made the request, even if help was opened in front of it
    /// after the request.
    ///
    /// - Parameter isWanted: Returns whether to change the given state.
    /// - Returns: Whether an overlay was changed.
    @discardableResult
    mutating func changeFirst<Module: OverlayModule>(
        where isWanted: (Module) -> Bool, _ change: (inout Module) -> Void
    ) -> Bool {
        if var state = module as? Module, isWanted(state) {
            change(&state)
            self = state.overlay
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
    var mustBeAnswered: Bool { module.unfinished != nil || kind == .quit }

    /// All kinds of overlays, in help order.
    static let modules: [any OverlayModule.Type] = [
        Prompt.self, CommandPalette.self, Menu.self, FieldEditor.self, PreviewDialog.self,
        ChangedRowDialog.self,
        ConflictView.self, ManyConflicts.self, InvalidTextDialog.self, JournalView.self,
        CommandOutput.self, Help.self, QuitDialog.self,
    ]
}
