import Foundation
import TidelineCore

extension Action {
    static let program: [Action] = [
        Action("mouse", "Let the terminal have the mouse, or take it back", .program) { model, _ in
            model.isMouseCaptured.toggle()
            model.say(
                .info,
                model.isMouseCaptured
                    ? "the mouse selects rows"
                    : "the mouse is left to the terminal: select text with it")
            return [.terminal(.captureMouse(model.isMouseCaptured))]
        },
        Action("theme", "Choose other colours", .program, argument: "[NAME]") {
            model, call in
            let name = call.argument.trimmingCharacters(in: .whitespaces)
            guard name.isEmpty else { return [.terminal(.theme(name))] }
            model.openThemeMenu()
            return []
        },
        Action("open", "Open another store beside this one", .program, argument: "PATH") {
            model, call in
            let path = call.argument.trimmingCharacters(in: .whitespaces)
            guard model.has(path, for: "open") else { return [] }
            return model.openStore(path, isBeside: true)
        },
        Action("next-store", "The next of the open stores", .program, when: hasStores) {
            model, call in model.leave(.show(by: call.count ?? 1))
        },
        Action("previous-store", "The open store before", .program, when: hasStores) {
            model, call in model.leave(.show(by: -(call.count ?? 1)))
        },
        Action("close-store", "Close this one of the open stores", .program, when: hasStores) {
            model, _ in model.leave(.close)
        },
        Action("redraw", "Draw the whole screen again", .program) { _, _ in [.terminal(.redraw)] },
        Action("suspend", "Back to the shell for a while", .program) { _, _ in
            [.terminal(.suspend)]
        },
        Action("quit", "Quit", .program) { model, _ in model.leave(.quit) },
    ]

    @Sendable private static func hasStores(_ model: Model) -> Availability {
        model.whyNoOtherStore.map { .unavailable(because: $0) } ?? .available
    }
}

extension Model {
    /// Offers every theme; the one under the cursor is shown.
    fileprivate mutating func openThemeMenu() {
        let items = themes.map {
            Menu.Item(title: $0, hint: $0 == themeName ? "now" : "", choice: .theme($0))
        }
        let cursor = themes.firstIndex(of: themeName) ?? 0
        overlay = .menu(Menu(title: "Theme", items: items, cursor: cursor))
    }
}
