import Foundation
import TidelineCore

/// An edit whose row somebody else wrote meanwhile: what was, what they wrote, what was to be
/// written. Nothing was.
struct Moved: OverlayModule {
    var source: SourceID
    var direction: Review.Direction
    var subject: UUID?
    var before: [EditPreview]
    /// The same edits on what is there now; `nil` until known.
    var after: [EditPreview]?
    /// Whether what was to be changed is there no more.
    var isGone = false
    var problem: String?
    var pending: RequestID?
    var top = 0

    static let kind = Overlay.Kind.moved
    static let group = Action.Group.moved
    var overlay: Overlay { .moved(self) }
    var isWaiting: Bool { pending != nil }
    /// Whether what is there now cannot be told.
    private var isUnknown: Bool { after == nil && !isWaiting && !isGone }
    var unfinished: String? { "a change was not written" }

    static let actions: [Action] = [
        action("moved-preview", "Preview yours on top of theirs") { model, moved in
            guard let after = moved.after else { return [] }
            model.review(
                after, direction: moved.direction, subject: moved.subject, source: moved.source)
            return []
        },
        action("moved-keep", "Keep theirs, write nothing") { model, moved in
            model.closeOverlay()
            model.say(.info, "nothing was written")
            return moved.pending.map { [.cancel($0)] } ?? []
        },
        change("moved-down", "A line down") { _, moved in moved.top += 1 },
        change("moved-up", "A line up") { _, moved in moved.top = max(0, moved.top - 1) },
    ]

    func hints(in model: Model) -> [Hint] {
        [
            after == nil ? nil : model.hint("moved-preview", title: "preview on theirs"),
            model.hint("moved-keep", title: "drop"),
        ].compactMap(\.self)
    }

    func draw(on screen: inout Screen) {
        let theme = screen.theme
        var lines = screen.sentence(
            "! ", problem ?? "written by another device in the meantime", .error)
        lines.append(
            TextLine(
                isUnknown
                    ? "Nothing was written. What was, and what you meant:"
                    : "Nothing was written. What was, what is there now, what you meant:"))
        for (index, preview) in before.enumerated() {
            let now = after.flatMap { $0.indices.contains(index) ? $0[index] : nil }
            for change in preview.changes {
                let theirs = now?.changes.first { $0.subject == change.subject }
                lines.append(TextLine([("  " + change.subject, .key)]))
                lines += screen.lines("   was    ", change.old, .dim)
                lines +=
                    isWaiting
                    ? [TextLine(theme.text("   theirs …"), .dim)]
                    : isUnknown ? [] : screen.lines("   theirs ", theirs?.old, .conflict)
                lines += screen.lines("   yours  ", change.new, .added)
            }
        }
        let keymap = screen.model.keymap
        let (preview, keep) = (keymap.hint(for: "moved-preview"), keymap.hint(for: "moved-keep"))
        let question =
            if isWaiting {
                TextLine(theme.text("reading what is there now …"), .progress)
            } else if after == nil {
                TextLine("yours cannot be written there any more, \(keep) drops it", .warning)
            } else {
                TextLine(
                    "\(preview) previews yours on top of theirs, \(keep) keeps theirs", .warning)
            }
        screen.drawLines(
            lines, over: [question], title: "Changed in the meantime",
            scrolled: Scrolled(lines: top))
    }
}
