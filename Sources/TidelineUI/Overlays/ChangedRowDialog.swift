import Foundation
import TidelineCore

/// The dialog for an edit whose row changed in the meantime. It compares the previous, current and
/// intended values; nothing has been written.
struct ChangedRowDialog: OverlayModule {
    var source: SourceID
    var direction: PreviewDialog.Direction
    var subject: UUID?
    var before: [EditPreview]
    /// The previews of the same edits, based on the current values; `nil` until known.
    var after: [EditPreview]?
    /// Whether the row was deleted.
    var isDeleted = false
    var problem: String?
    var pending: RequestID?
    var top = 0
    /// The typed text to return to.
    var over: Overlay?

    static let group = Action.Group("Value changed in the meantime")
    static let whyNotOpen = "none of your edits is out of date"
    var isWaiting: Bool { pending != nil }
    /// Whether the current value couldn't be read.
    private var isUnknown: Bool { after == nil && !isWaiting && !isDeleted }
    var unfinished: String? { "a change isn't written yet" }
    var unwrittenText: String? { direction == .edit ? before.first?.edit.typedText : nil }

    static let actions: [OverlayAction<Self>] = [
        action(
            "moved-preview", "Preview your value, which replaces the other value", ["p", "Enter"]
        ) { moved, _ in
            guard let after = moved.after else { return [] }
            // The value may have changed again while the dialog was open.
            if moved.direction == .edit { return [.preview(moved.source, after.map(\.edit))] }
            return [
                .open(
                    Overlay(
                        PreviewDialog(
                            source: moved.source, direction: moved.direction,
                            subject: moved.subject, previews: after)))
            ]
        },
        action(
            "moved-keep", "Keep the other value, and return to a typed text", ["Esc", "n", "q"]
        ) { moved, _ in
            [.close(showing: moved.over), .notice(.info, "nothing was written")]
                + ScreenOutcome.cancel(moved.pending)
        },
        change("moved-down", "Line down", ["Down"]) { moved, _ in moved.top += 1 },
        change("moved-up", "Line up", ["Up"]) { moved, _ in moved.top = max(0, moved.top - 1) },
    ]

    private var keepTitle: String {
        over == nil ? "keep the current value" : "back to your text"
    }

    func hints(in context: ScreenContext) -> [Hint] {
        [
            after == nil ? nil : context.keymap.hint("moved-preview", title: "preview your value"),
            context.keymap.hint("moved-keep", title: keepTitle),
        ].compactMap(\.self)
    }

    func draw(on canvas: inout Canvas) {
        let theme = canvas.theme
        var lines = canvas.sentence(
            "! ", problem ?? "this row was changed in the meantime", .error)
        lines.append(
            TextLine(
                isUnknown
                    ? "Not written; compare the previous value with your value:"
                    : "Not written; compare the previous, the current and your value:"))
        for (index, preview) in before.enumerated() {
            let now = after.flatMap { $0.indices.contains(index) ? $0[index] : nil }
            for change in preview.changes {
                let theirs = now?.changes.first { $0.subject == change.subject }
                lines.append(TextLine([("  " + change.subject, .key)]))
                lines += canvas.lines("   previous ", change.old, .dim)
                lines +=
                    isWaiting
                    ? [TextLine(theme.text("   current  …"), .dim)]
                    : isUnknown ? [] : canvas.lines("   current  ", theirs?.old, .conflict)
                lines += canvas.lines("   yours    ", change.new, .added)
            }
        }
        let keymap = canvas.context.keymap
        let (preview, keep) = (keymap.hint(for: "moved-preview"), keymap.hint(for: "moved-keep"))
        let question =
            if isWaiting {
                TextLine(theme.text("loading the current value …"), .progress)
            } else if after == nil {
                TextLine(
                    "your value can no longer be written   "
                        + "\(keep): \(over == nil ? "close" : keepTitle)", .warning)
            } else {
                TextLine("\(preview): preview your value   \(keep): \(keepTitle)", .warning)
            }
        canvas.drawLines(
            lines, over: [question], title: "Changed in the meantime",
            scrolled: Scrolled(lines: top))
    }
}
