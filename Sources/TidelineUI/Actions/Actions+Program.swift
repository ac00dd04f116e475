import Foundation
import TidelineCore

extension Action {
    static let program: [Action] = [
        Action("mouse", "Let the mouse go, to select text; or take it", .program) { model, _ in
            model.isMouseCaptured.toggle()
            model.say(
                .info,
                model.isMouseCaptured
                    ? "the mouse selects rows" : "the mouse is the terminal's: select text")
            return [.terminal(.captureMouse(model.isMouseCaptured))]
        },
        Action("theme", "Other colours", .program, argument: "NAME") { model, call in
            model.has(call.argument, for: "theme") ? [.terminal(.theme(call.argument))] : []
        },
        Action("open", "Open another store", .program, argument: "PATH") { model, call in
            let path = call.argument.trimmingCharacters(in: .whitespaces)
            guard model.has(path, for: "open") else { return [] }
            return model.openStore(path)
        },
        Action("redraw", "Draw the screen anew", .program) { _, _ in [.terminal(.redraw)] },
        Action("suspend", "Back to the shell for a while", .program) { _, _ in
            [.terminal(.suspend)]
        },
        Action("quit", "Quit", .program) { model, _ in model.leave(.quit) },
    ]
}
