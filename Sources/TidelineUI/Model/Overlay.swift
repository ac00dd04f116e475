import Foundation
import TidelineCore

/// What stands in front of the regions and takes the keys until it is closed.
enum Overlay: Hashable, Sendable {
    case prompt(Prompt)
    case palette(CommandPalette)
    case menu(Menu)
    case help(Help)
    case field(FieldEditor)
    case preview(Review)
    case moved(Moved)
    case conflict(ConflictView)
    case reopen(Reopening)
    case journal(cursor: Int)
    /// Asks before leaving; `over` is what staying returns to.
    indirect case quit(Outcome, because: String, over: Overlay?)
}

/// A line at the foot of the screen in which a filter or a search is typed.
struct Prompt: Hashable, Sendable {
    enum Purpose: Hashable, Sendable {
        /// Rows follow while it is typed; `before` is what Escape brings back.
        case filter(before: RowQuery)
        case search(backwards: Bool)
    }

    var purpose: Purpose
    var field: TextField
    /// How far back in the history of such texts the field's text is from; `0`: newly typed.
    var historyDepth = 0
}

/// A line in which the name of an action or a command with its argument is typed.
struct CommandPalette: Hashable, Sendable {
    var field = TextField()
    var cursor = 0
}

/// A few things to choose from.
struct Menu: Hashable, Sendable {
    enum Choice: Hashable, Sendable {
        case sort(RowQuery.Sort?)
        case copy(CopyForm)
        case action(String)
    }

    struct Item: Hashable, Sendable {
        var title: String
        var hint: String = ""
        var availability: Availability = .available
        var choice: Choice
    }

    var title: String
    var items: [Item]
    var cursor = 0
}

/// The keys and what they do, as much as fits, from `top` on.
struct Help: Hashable, Sendable {
    var top = 0
    var filter = TextField()
    var isFiltering = false
}

/// A typed value (and a name) being edited in place.
struct FieldEditor: Hashable, Sendable {
    enum Purpose: Hashable, Sendable {
        case set(RowID, field: FieldPath?)
        case add(parent: RowID?, field: FieldPath?)
        case rename(RowID, field: FieldPath?)
    }

    enum Part: Hashable, Sendable { case name, value }

    var source: SourceID
    var purpose: Purpose
    /// Kinds that can be chosen; empty where the text has no type (a name).
    var kinds: [TypedText.Kind]
    var kind: TypedText.Kind
    var name = TextField()
    var value = TextField()
    var part: Part
    /// Whether the name is a place in a list.
    var isNumbered = false
    /// Why what is typed cannot be written.
    var problem: String?
    /// The preview that was asked for.
    var pending: RequestID?
    /// What the fields held at first, to know whether closing loses anything.
    var original: [String] = []

    var isDirty: Bool { [name.text, value.text, kind.rawValue] != original }

    var edit: Edit {
        let typed = TypedText(kind, value.text)
        switch purpose {
        case .set(let row, let field): return .set(row, field: field, typed)
        case .add(let parent, let field):
            return .add(name: name.text, parent: parent, field: field, typed)
        case .rename(let row, let field): return .rename(row, field: field, to: name.text)
        }
    }
}

/// Edits that wait for a person's yes.
struct Review: Hashable, Sendable {
    enum Direction: Hashable, Sendable { case edit, undo, redo }
    enum Stage: Hashable, Sendable {
        /// The write would make a device's folder, and so is asked for by itself.
        case device
        case confirm
    }

    var source: SourceID
    var direction: Direction
    /// The entry of the journal that is taken back, or written again.
    var subject: UUID?
    var previews: [EditPreview]
    var stage: Stage
    /// What is typed where a count confirms.
    var count = TextField()
    var problem: String?
    /// The write that is under way.
    var pending: RequestID?
    var top = 0

    /// How many rows a person asked to have changed. What else changes along with them (the old
    /// name of a renamed row, the relationships of a deleted one) is not counted.
    var rowCount: Int { previews.reduce(0) { $0 + $1.edit.rowCount } }
    /// More than one row is confirmed by their number, not by one key. Taking back is not: it
    /// restores what a confirmed write changed, and that alone.
    var needsCount: Bool { direction != .undo && rowCount > 1 }
}

extension Edit {
    fileprivate var rowCount: Int {
        switch self {
        case .remove(let rows, _): rows.count
        case .takeBack(let written): max(1, written.rowCount)
        default: 1
        }
    }
}

/// An edit whose row somebody else wrote meanwhile: what was, what they wrote, what was to be
/// written. Nothing was.
struct Moved: Hashable, Sendable {
    var source: SourceID
    var direction: Review.Direction
    var subject: UUID?
    var before: [EditPreview]
    /// The same edits on what is there now; `nil` until known.
    var after: [EditPreview]?
    var problem: String?
    var pending: RequestID?
    var top = 0
}

/// The sides of a row in conflict, to take one or merge them.
struct ConflictView: Hashable, Sendable {
    var source: SourceID
    var row: RowID
    var title: String
    var conflict: RowConflict?
    var problem: String?
    var pending: RequestID?
    var cursor = 0
    var top = 0
}

/// A text from the external editor that could not be read as a value, kept to be mended.
struct Reopening: Hashable, Sendable {
    var job: EditorJob
    var text: String
    var problem: String
}
