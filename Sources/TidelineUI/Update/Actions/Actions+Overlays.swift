extension Action {
    /// The actions of all overlays, in help order.
    static let inside: [Action] = Overlay.modules.flatMap { $0.screenActions } + typing + overlays

    private static let typing: [Action] = TextField.Edit.allCases.map { edit in
        Action(edit.rawValue, edit.title, .typing, scope: .typing) { model, _ in
            model.editText { $0.apply(edit) }
        }
    }

    private static let overlays: [Action] = [
        Action("leave", "Quit", .dialogs, scope: .overlays) { model, _ in
            model.leave(.quit)
        },
        Action("overlay-help", "Keyboard shortcuts", .dialogs, scope: .overlays) { model, _ in
            guard let overlay = model.overlay, !overlay.module.isWaiting else { return [] }
            model.overlay = Overlay(Help(over: overlay))
            return []
        },
        Action(
            "overlay-palette", "All commands, this dialog's first", .dialogs,
            scope: .overlays
        ) { model, _ in
            guard let overlay = model.overlay, !overlay.module.isWaiting else { return [] }
            model.overlay = Overlay(CommandPalette(over: overlay))
            return []
        },
    ]
}

extension OverlayModule {
    /// The overlay's actions as actions of the screen, with the scope ``Action/Scope/overlay(_:)``.
    /// So help and key bindings include them.
    static var screenActions: [Action] {
        actions.map { action in
            Action(
                action.name, action.title, group, scope: .overlay(kind),
                unless: { ($0.overlay?.module as? Self).flatMap(action.unavailable) }
            ) { model, _ in
                model.changeOverlay { overlay, context in
                    guard var state = overlay.module as? Self else { return [] }
                    let outcomes = action.perform(&state, context)
                    overlay.module = state
                    return outcomes
                }
            }
        }
    }
}
