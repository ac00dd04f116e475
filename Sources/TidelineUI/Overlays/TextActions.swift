import TidelineCore

extension Action {
    /// Actions that edit the line of text being typed.
    static let typing: [Action] =
        TextField.Edit.allCases.map { edit in
            Action(edit.rawValue, edit.title, .typing, scope: .typing, when: isTyping) {
                model, _ in
                model.editText { $0.apply(edit) }
            }
        }

    @Sendable private static func isTyping(_ model: Model) -> Availability {
        model.overlay?.module.field == nil
            ? .unavailable(because: "no text field is active") : .available
    }
}

extension TextField {
    /// An edit of a line of text. The raw value is the action's name.
    enum Edit: String, Hashable, Sendable, CaseIterable {
        case left = "text-left"
        case right = "text-right"
        case wordLeft = "text-word-left"
        case wordRight = "text-word-right"
        case start = "text-start"
        case end = "text-end"
        case eraseBackwards = "text-erase"
        case eraseForwards = "text-erase-next"
        case eraseWord = "text-erase-word"
        case eraseToStart = "text-erase-to-start"
        case eraseToEnd = "text-erase-to-end"

        var title: String {
            switch self {
            case .left: "Previous character"
            case .right: "Next character"
            case .wordLeft: "Previous word"
            case .wordRight: "Next word"
            case .start: "Start of line"
            case .end: "End of line"
            case .eraseBackwards: "Delete previous character"
            case .eraseForwards: "Delete next character"
            case .eraseWord: "Delete previous word"
            case .eraseToStart: "Delete to start of line"
            case .eraseToEnd: "Delete to end of line"
            }
        }
    }
}
