import TidelineCore

extension Action {
    /// What changes a line of text that is being typed, wherever that is.
    static let typing: [Action] =
        TextField.Edit.allCases.map { edit in
            .change(edit.rawValue, edit.title, .typing, scope: .typing, when: isTyping) {
                model, _ in
                model.editText { $0.apply(edit) }
            }
        }

    @Sendable private static func isTyping(_ model: Model) -> Availability {
        model.overlay?.module.field == nil
            ? .unavailable(because: "nothing is being typed") : .available
    }
}

extension TextField {
    /// Something that a key does to a line of text; the raw value is the action's name.
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
            case .left: "A character back"
            case .right: "A character forward"
            case .wordLeft: "A word back"
            case .wordRight: "A word forward"
            case .start: "To the start"
            case .end: "To the end"
            case .eraseBackwards: "Erase the character before"
            case .eraseForwards: "Erase the character after"
            case .eraseWord: "Erase the word before"
            case .eraseToStart: "Erase to the start"
            case .eraseToEnd: "Erase to the end"
            }
        }
    }
}
