public import TidelineCore

/// A cell of a ``Surface``: what it shows, and how.
public struct Cell: Hashable, Sendable {
    public var glyph: Glyph
    public var style: Style

    public init(_ glyph: Glyph = .space, style: Style = .plain) {
        self.glyph = glyph
        self.style = style
    }

    /// The columns it takes: 1 or 2, and 0 for the right half of a wide character.
    public var width: Int { glyph.width }
}
