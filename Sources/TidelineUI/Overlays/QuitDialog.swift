/// The prompt before quitting with unfinished work.
struct QuitDialog: OverlayModule {
    var exitReason: ExitReason
    var reason: String
    /// The request of the running work. The prompt closes when that work ends.
    var request: RequestID?
    var over: Overlay?

    static let group = Action.Group("Quit prompt")
    static let whyNotOpen = "no quit prompt is open"

    static let actions: [OverlayAction<Self>] = [
        action("leave-anyway", "Quit and lose unsaved work", ["y"]) { dialog, _ in
            [.leave(dialog.exitReason)]
        },
        action("stay", "Stay (any other key)", ["Esc", "n", "^c"]) { dialog, _ in
            [.open(dialog.over)]
        },
    ]

    func hints(in context: ScreenContext) -> [Hint] {
        [
            context.keymap.hint("leave-anyway", title: "leave"),
            Hint(keys: "any", title: "stay"),
        ].compactMap(\.self)
    }

    func pressedNothing(in context: ScreenContext) -> [ScreenOutcome]? { [.open(over)] }

    func draw(on canvas: inout Canvas) {
        let key = canvas.context.keymap.hint(for: "leave-anyway")
        canvas.drawLines(
            canvas.sentence("", reason, .plain)
                + canvas.sentence("", "\(key): leave anyway   any other key: stay", .plain),
            title: "Quit?")
    }
}
