import TidelineCore

/// A text from the external editor that could not be read as a value, kept to be mended.
struct Reopening: OverlayModule {
    var job: EditorJob
    var text: String
    var problem: String

    static let kind = Overlay.Kind.reopen
    var overlay: Overlay { .reopen(self) }
    var unfinished: String? { "an edited text is not written" }

    static let actions: [Action] = [
        .inside(Self.self, "reopen-edit", "Edit the text again", .mending) { model, reopening in
            model.closeOverlay()
            return model.edit(reopening.job, text: reopening.text)
        },
        .inside(Self.self, "reopen-drop", "Drop the text", .mending) { model, _ in
            model.closeOverlay()
            return []
        },
    ]

    func hints(in model: Model) -> [Hint] {
        [
            model.hint("reopen-edit", title: "edit again"),
            model.hint("reopen-drop", title: "drop"),
        ].compactMap(\.self)
    }

    func draw(on screen: inout Screen) {
        let keymap = screen.model.keymap
        let (edit, drop) = (keymap.hint(for: "reopen-edit"), keymap.hint(for: "reopen-drop"))
        screen.drawLines(
            [
                TextLine("! \(problem)", .error),
                TextLine("The text is kept. \(edit) edits it again, \(drop) drops it."),
            ], title: "Not valid as \(job.kind.rawValue)")
    }
}
