/// A terminal color.
public struct Color: Hashable, Sendable {
    // The kind is in the top byte, so that a color takes four bytes.
    private let rawValue: UInt32

    /// The terminal's default color.
    public static let `default` = Color(rawValue: 0)

    /// Returns one of the terminal's 256 colors. Users often redefine the first 16.
    public static func indexed(_ index: UInt8) -> Color {
        Color(rawValue: 0x0100_0000 | UInt32(index))
    }

    /// Returns the color with these components.
    public static func rgb(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Color {
        Color(rawValue: 0x0200_0000 | UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue))
    }

    private init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The ways to specify a color.
    public enum Kind: Hashable, Sendable {
        case `default`
        case indexed(UInt8)
        case rgb(red: UInt8, green: UInt8, blue: UInt8)
    }

    /// The way in which the color is specified.
    public var kind: Kind {
        switch rawValue >> 24 {
        case 1: .indexed(UInt8(truncatingIfNeeded: rawValue))
        case 2:
            .rgb(
                red: UInt8(truncatingIfNeeded: rawValue >> 16),
                green: UInt8(truncatingIfNeeded: rawValue >> 8),
                blue: UInt8(truncatingIfNeeded: rawValue))
        default: .default
        }
    }
}

/// The look of a cell: colors and attributes, resolved for the terminal.
public struct Style: Hashable, Sendable {
    /// The attributes of text, which terminals can combine.
    public struct Attributes: OptionSet, Hashable, Sendable {
        /// The bits of the attributes.
        public let rawValue: UInt8
        /// Creates attributes from their bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Bold text.
        public static let bold = Attributes(rawValue: 1)
        /// Faint text.
        public static let dim = Attributes(rawValue: 2)
        /// Italic text.
        public static let italic = Attributes(rawValue: 4)
        /// Underlined text.
        public static let underline = Attributes(rawValue: 8)
        /// Exchanged text and background colors.
        public static let reverse = Attributes(rawValue: 16)
    }

    /// The color of the text.
    public var foreground: Color
    /// The color of the background.
    public var background: Color
    /// The attributes of the text.
    public var attributes: Attributes

    /// Creates a style; by default, the plain one.
    public init(
        foreground: Color = .default, background: Color = .default, attributes: Attributes = []
    ) {
        self.foreground = foreground
        self.background = background
        self.attributes = attributes
    }

    /// The default colors without attributes.
    public static let plain = Style()

    /// Returns this style on top of another: the colors of this style if it sets them, and the
    /// attributes of both.
    public func over(_ base: Style) -> Style {
        Style(
            foreground: foreground == .default ? base.foreground : foreground,
            background: background == .default ? base.background : background,
            attributes: attributes.union(base.attributes))
    }

    /// Returns the style without the colors that it has in common with `other`.
    func without(colorsOf other: Style) -> Style {
        Style(
            foreground: foreground == other.foreground ? .default : foreground,
            background: background == other.background ? .default : background,
            attributes: attributes)
    }

    /// Returns the style with additional attributes.
    public func adding(_ attributes: Attributes) -> Style {
        var style = self
        style.attributes.formUnion(attributes)
        return style
    }
}
