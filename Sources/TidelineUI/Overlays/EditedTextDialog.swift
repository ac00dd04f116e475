import TidelineCore

/// The dialog for a text from the external editor that isn't a valid value, or whose preview was
/// canceled.
struct EditedTextDialog: OverlayModule {
    var job: EditorJob
    var text: String
    /// The reason why the text isn't valid, or a question; `nil` if it is valid.
    var problem: String?
    var over: Overlay?
    /// Whether the user was asked to confirm losing the text.
    var isLeaving = false

    static let group = Action.Group("Edited text that isn't written")
    static let whyNotOpen = "no text needs correcting"
    var unfinished: String? { "an edited text isn't written yet" }
    var unwrittenText: String? { text }

    static let actions: [OverlayAction<Self>] = [
        action("reopen-edit", "Edit again", ["Enter", "e"]) { reopening, _ in
            var job = reopening.job
            job.draft = reopening.text
            return [.close(showing: reopening.over), .edit(job, text: reopening.text)]
        },
        action("reopen-drop", "Discard the text", ["Esc", "q"]) { reopening, context in
            let value = reopening.job.value(in: reopening.text)
            guard reopening.isLeaving || value.count < FieldEditor.longText else {
                let key = context.keymap.hint(for: "reopen-drop")
                reopening.problem =
                    "the edited text will be lost; press \(key) again to discard it"
                reopening.isLeaving = true
                return []
            }
            return [.notice(.info, "nothing was written"), .close(showing: reopening.over)]
        },
    ]

    func hints(in context: ScreenContext) -> [Hint] {
        [
            context.keymap.hint("reopen-edit", title: "edit again"),
            context.keymap.hint("reopen-drop", title: "discard"),
        ].compactMap(\.self)
    }

    func draw(on canvas: inout Canvas) {
        let keymap = canvas.context.keymap
        let (edit, drop) = (keymap.hint(for: "reopen-edit"), keymap.hint(for: "reopen-drop"))
        let lines = problem.map { canvas.sentence("! ", $0, .error) } ?? []
        let kept = isLeaving ? "" : "The text is kept.  "
        canvas.drawLines(
            lines,
            over: canvas.sentence(
                "", "\(kept)\(edit): edit again   \(drop): discard", .plain),
            title: problem == nil || isLeaving
                ? "Not written" : "Invalid \(job.kind == .json ? "JSON" : job.kind.title)")
    }
}
