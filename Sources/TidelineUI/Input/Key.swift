/// A key as a person pressed it, with the modifiers that the terminal told of.
public struct Key: Hashable, Sendable {
    public enum Code: Hashable, Sendable {
        /// What the key types. A letter with shift is the capital without a shift modifier;
        /// a letter with control is the small letter with the control modifier.
        case character(Character)
        case enter, escape, tab, backTab
        case up, down, left, right
        case home, end, pageUp, pageDown
        case insert, delete, backspace
        /// `F1` is `function(1)`.
        case function(Int)
    }

    public struct Modifiers: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let shift = Modifiers(rawValue: 1)
        public static let control = Modifiers(rawValue: 2)
        public static let alt = Modifiers(rawValue: 4)
    }

    public var code: Code
    public var modifiers: Modifiers

    public init(_ code: Code, _ modifiers: Modifiers = []) {
        self.code = code
        self.modifiers = modifiers
    }

    public static func character(_ character: Character, _ modifiers: Modifiers = []) -> Key {
        Key(.character(character), modifiers)
    }
}

/// Something that the mouse did, in cells from the top left corner.
public struct MouseEvent: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case click, doubleClick
        case wheelUp, wheelDown
    }

    public var kind: Kind
    public var column: Int
    public var row: Int

    public init(_ kind: Kind, column: Int, row: Int) {
        self.kind = kind
        self.column = column
        self.row = row
    }
}

/// Whatever the terminal tells the program.
public enum Input: Hashable, Sendable {
    case key(Key)
    /// Text between the brackets of a bracketed paste; never taken for commands.
    case paste(String)
    case mouse(MouseEvent)
    case resize(columns: Int, rows: Int)
}
