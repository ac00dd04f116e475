import Foundation

extension Action {
    static let program: [Action] = [
        Action("mouse", "Toggle mouse capture", .program) { model, _ in
            model.preferences.isMouseCaptured.toggle()
            model.say(
                .info,
                model.preferences.isMouseCaptured
                    ? "mouse captured: a click selects a row"
                    : "mouse released: select text with the terminal")
            return [.terminal(.captureMouse(model.preferences.isMouseCaptured))]
        },
        Action("theme", "Choose a theme", .program, argument: "[NAME]") {
            model, call in
            let name = call.argument.trimmingCharacters(in: .whitespaces)
            guard name.isEmpty else { return [.terminal(.theme(name))] }
            model.openThemeMenu()
            return []
        },
        Action("open", "Open another store in a new tab", .program, argument: "PATH") {
            model, call in
            let path = call.argument.trimmingCharacters(in: .whitespaces)
            guard model.hasArgument(path, of: "open") else { return [] }
            return model.openStore(path, isBeside: true)
        },
        Action(
            "compare", "Compare this store with another", .program, argument: "PATH",
            unless: \.whyNoPanes
        ) {
            model, call in
            let path = call.argument.trimmingCharacters(in: .whitespaces)
            guard model.hasArgument(path, of: "compare") else { return [] }
            return model.compare(with: path)
        },
        Action("next-store", "Next open store", .program, unless: \.whyNoOtherStore) {
            model, call in model.leave(.show(by: call.count ?? 1))
        },
        Action("previous-store", "Previous open store", .program, unless: \.whyNoOtherStore) {
            model, call in model.leave(.show(by: -(call.count ?? 1)))
        },
        Action("close-store", "Close this store", .program, unless: \.whyNoOtherStore) {
            model, _ in model.leave(.close)
        },
        Action("redraw", "Redraw the screen", .program) { _, _ in [.terminal(.redraw)] },
        Action("suspend", "Suspend to the shell", .program) { _, _ in
            [.terminal(.suspend)]
        },
        Action("quit", "Quit", .program) { model, _ in model.leave(.quit) },
    ]
}
