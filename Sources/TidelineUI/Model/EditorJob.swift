import TidelineCore

/// What the text that comes back from the external editor is for.
struct EditorJob: Hashable, Sendable {
    enum Purpose: Hashable, Sendable {
        case set(RowID, field: FieldPath?)
        case resolve(RowID, FieldPath?)
    }

    var source: SourceID
    var purpose: Purpose
    var kind: TypedText.Kind
    /// The text that was given out; the same text back changes nothing.
    var original: String

    /// The line under which a merge shows the sides, and from which on the text is not read.
    static let scissors = "#---- nothing from this line on is saved ----"

    /// The value that is typed over; a conflict's new value is typed over none.
    var seen: TypedText? { if case .set = purpose { TypedText(kind, original) } else { nil } }

    /// The file name ending that lets an editor pick its mode.
    var fileExtension: String {
        switch kind {
        case .json, .map, .list: "json"
        default: "txt"
        }
    }

    func edit(with text: String) -> Edit {
        let typed = TypedText(kind, text)
        switch purpose {
        case .set(let row, let field): return .set(row, field: field, typed)
        case .resolve(let row, let part):
            return .resolve(
                row, part.map { .properties([$0: .value(typed)]) } ?? .value(typed))
        }
    }

    /// The value in a text that came back: without what is under the scissors, and without the
    /// newline that editors end a file with, unless the value had it.
    func value(in text: String) -> String {
        var value = text
        if let cut = value.firstRange(of: Self.scissors) {
            value = String(value[..<cut.lowerBound])
        }
        if value.hasSuffix("\n"), !original.hasSuffix("\n") { value.removeLast() }
        return value
    }
}
