import TidelineCore

/// Choosing the value among the rows that a column refers to.
extension FieldEditor {
    /// Takes a chosen value.
    mutating func choose(_ typed: TypedText) {
        part = .value
        kind = typed.kind
        value = TextField(typed.text)
        problem = nil
    }
}
