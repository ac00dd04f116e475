public import TidelineCore

/// How everything looks on this terminal: a style and a sign for each role.
///
/// It comes from a ``ThemeFile``, resolved for what the terminal can show.
public struct Theme: Hashable, Sendable {
    public let name: String
    /// What the whole screen is filled with.
    public let background: Style
    /// Whether frames and signs are ASCII; ``Surface/init(size:style:isASCII:)`` takes it.
    public let isASCII: Bool
    private let styles: [Role: Style]
    private let marks: [Role: String]
    /// What can be read, where colours are few.
    private let fewColors: FewColors?

    init(
        name: String, background: Style, isASCII: Bool, styles: [Role: Style],
        marks: [Role: String], fewColors: FewColors? = nil
    ) {
        self.fewColors = fewColors
        self.name = name
        self.background = background
        self.isASCII = isASCII
        self.styles = styles
        self.marks = marks
    }

    /// The style of a role.
    public subscript(role: Role) -> Style { styles[role] ?? .plain }

    /// The style of a text by its meaning.
    public subscript(role: TextRole) -> Style { self[Role(role)] }

    /// The sign that says without colour what the role means: `≠` for a conflict, `#` in ASCII.
    /// One column wide, or empty.
    public func mark(_ role: Role) -> String { marks[role] ?? "" }

    var hasFewColors: Bool { fewColors != nil }

    /// A style as it is drawn: the styles of several roles laid over each other, which each can be
    /// read, may not be readable together where colours are few.
    func readable(_ style: Style) -> Style { fewColors?.readable(style) ?? style }

    /// An empty surface in the theme's background.
    public func surface(size: Size) -> Surface {
        Surface(size: size, style: background, isASCII: isASCII)
    }
}
