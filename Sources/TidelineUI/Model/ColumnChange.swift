import TidelineCore

enum ColumnChange: Hashable, Sendable {
    /// Opens the menu of changes.
    case choose
    case hide
    case show
    /// Keeps the column and all columns before it in place while the others scroll.
    case freeze
    case unfreeze
    case width(Int?)
    /// Lists the values of the column.
    case frequency
    /// Opens the menu of number formats.
    case chooseForm
    case form(String)

    /// Parses a change as typed after a column's name: `hide`, `freeze`, `24`, `unix`.
    init?(_ text: String, forms: [NumberForm]) {
        switch text {
        case "hide": self = .hide
        case "show": self = .show
        case "freeze": self = .freeze
        case "unfreeze": self = .unfreeze
        case "natural": self = .width(nil)
        default:
            if let width = Int(text), (1...400).contains(width) {
                self = .width(width)
            } else if forms.contains(where: { $0.id == text }) {
                self = .form(text)
            } else {
                return nil
            }
        }
    }
}
