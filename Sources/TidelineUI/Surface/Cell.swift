public import TidelineCore

/// A cell of a ``Surface``: its text and style.
public struct Cell: Hashable, Sendable {
    /// The character and its marks.
    public var glyph: Glyph
    /// The colors and attributes.
    public var style: Style

    /// Creates a cell; by default, an empty one.
    public init(_ glyph: Glyph = .space, style: Style = .plain) {
        self.glyph = glyph
        self.style = style
    }

    /// The width in columns: 1, 2, or 0 for the right half of a wide character.
    public var width: Int { glyph.width }
}
