import TidelineCore

/// The dialog for a text from the external editor that isn't a valid value.
struct Reopening: OverlayModule {
    var job: EditorJob
    var text: String
    var problem: String
    /// The overlay to return to.
    var over: Overlay?

    static let kind = Overlay.Kind.reopen
    static let group = Action.Group.mending
    var overlay: Overlay { .reopen(self) }
    var unfinished: String? { "an edited text is not written" }

    static let actions: [Action] = [
        action("reopen-edit", "Edit again") { model, reopening in
            let effects = model.goBack(to: reopening.over)
            return effects + model.edit(reopening.job, text: reopening.text)
        },
        action("reopen-drop", "Discard the text") { model, reopening in
            model.say(.info, "nothing was written")
            return model.goBack(to: reopening.over)
        },
    ]

    func hints(in model: Model) -> [Hint] {
        [
            model.hint("reopen-edit", title: "edit again"),
            model.hint("reopen-drop", title: "discard"),
        ].compactMap(\.self)
    }

    func draw(on screen: inout Screen) {
        let keymap = screen.model.preferences.keymap
        let (edit, drop) = (keymap.hint(for: "reopen-edit"), keymap.hint(for: "reopen-drop"))
        screen.drawLines(
            [
                TextLine("! \(problem)", .error),
                TextLine("The text is kept.  \(edit): edit again   \(drop): discard"),
            ], title: "Invalid \(job.kind == .json ? "JSON" : job.kind.rawValue)")
    }
}
