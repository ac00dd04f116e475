/// A key press with its modifiers, as reported by the terminal.
public struct Key: Hashable, Sendable {
    /// A key without its modifiers.
    public enum Code: Hashable, Sendable {
        /// A key that types a character. Shift with a letter is represented by the capital letter
        /// without the shift modifier. Control with a letter is represented by the small letter
        /// with the control modifier.
        case character(Character)
        case enter, escape, tab, backTab
        case up, down, left, right
        case home, end, pageUp, pageDown
        case insert, delete, backspace
        /// `F1` is `function(1)`.
        case function(Int)
    }

    /// The modifier keys that are held down.
    public struct Modifiers: OptionSet, Hashable, Sendable {
        /// The bits of the modifiers.
        public let rawValue: UInt8
        /// Creates modifiers from their bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The Shift key.
        public static let shift = Modifiers(rawValue: 1)
        /// The Control key.
        public static let control = Modifiers(rawValue: 2)
        /// The Alt key, or Meta.
        public static let alt = Modifiers(rawValue: 4)
    }

    /// The key without its modifiers.
    public var code: Code
    /// The modifiers.
    public var modifiers: Modifiers

    /// Creates a key press.
    public init(_ code: Code, _ modifiers: Modifiers = []) {
        self.code = code
        self.modifiers = modifiers
    }

    /// Creates the press of a key that types a character.
    public static func character(_ character: Character, _ modifiers: Modifiers = []) -> Key {
        Key(.character(character), modifiers)
    }
}

/// A mouse event, in cells from the top left corner.
public struct MouseEvent: Hashable, Sendable {
    /// The kinds of mouse event.
    public enum Kind: Hashable, Sendable {
        case click, doubleClick
        /// The pointer moves while the left button is pressed.
        case drag
        case wheelUp, wheelDown
    }

    /// The kind of event.
    public var kind: Kind
    /// The column of the mouse pointer.
    public var column: Int
    /// The row of the mouse pointer.
    public var row: Int

    /// Creates a mouse event.
    public init(_ kind: Kind, column: Int, row: Int) {
        self.kind = kind
        self.column = column
        self.row = row
    }
}

/// Input from the terminal.
public enum Input: Hashable, Sendable {
    case key(Key)
    /// Pasted text (bracketed paste). It is never interpreted as commands.
    case paste(String)
    case mouse(MouseEvent)
    case resize(columns: Int, rows: Int)
}
