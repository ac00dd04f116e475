import TidelineCore

/// The purpose of a text from the external editor.
struct EditorJob: Hashable, Sendable {
    enum Purpose: Hashable, Sendable {
        case set(RowID, field: FieldPath?)
        case resolve(RowID, FieldPath?)
    }

    var source: SourceID
    var purpose: Purpose
    var kind: TypedText.Kind
    /// The text that was opened in the editor. Unchanged text changes nothing.
    var original: String
    /// The sides of the conflict that the text merges. If other sides have arrived since then, the
    /// text doesn't resolve the conflict.
    var sides: [RowConflict.SideID] = []
    /// The text from an earlier editor, which stays if this editor saves nothing.
    var draft: String?

    /// The line below the value. Text from here on, which shows the sides, is ignored.
    static let scissors = "#---- lines below are ignored ----"

    /// The stored value at the time of opening; `nil` for the new value of a conflict.
    var seen: TypedText? { if case .set = purpose { TypedText(kind, original) } else { nil } }

    /// The file name extension, which lets editors choose a mode.
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

    /// Extracts the value from the edited text. Removes the scissors and everything below, and the
    /// final newline that editors add if the original has none.
    func value(in text: String) -> String {
        var value = text
        if let cut = value.firstRange(of: Self.scissors) {
            value = String(value[..<cut.lowerBound])
        }
        guard value.endsInNewline, !original.endsInNewline else { return value }
        if original.unicodeScalars.last == "\r" {
            value.unicodeScalars.removeLast()
        } else {
            value.removeLast()
        }
        return value
    }
}

extension String {
    /// Whether the text ends with a line feed. `hasSuffix` doesn't find it after a carriage return,
    /// because CR LF is one character.
    var endsInNewline: Bool { utf8.last == UInt8(ascii: "\n") }
}
