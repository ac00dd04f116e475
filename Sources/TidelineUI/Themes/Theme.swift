/// The look of the screen on this terminal: a style and a symbol for each role.
///
/// A theme is a ``ThemeFile`` that is resolved for the capabilities of the terminal.
public struct Theme: Hashable, Sendable {
    /// The name of the theme.
    public let name: String
    /// The style that fills the screen.
    public let background: Style
    /// Whether frames and symbols are ASCII; see ``Surface/init(size:style:isASCII:)``.
    public let isASCII: Bool
    private let styles: [Role: Style]
    private let marks: [Role: String]
    /// The adjustment for terminals with few colors.
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

    /// Returns the style of a role.
    public subscript(role: Role) -> Style { styles[role] ?? .plain }

    /// Returns the symbol that conveys a role without color: `≠` for a conflict, `#` in ASCII. It
    /// is one column wide, or empty.
    public func mark(_ role: Role) -> String { marks[role] ?? "" }

    var hasFewColors: Bool { fewColors != nil }

    /// Returns the final style of a cell. On terminals with few colors, the combined styles of
    /// several readable roles might not be readable.
    func readable(_ style: Style) -> Style { fewColors?.readable(style) ?? style }

    /// Returns an empty surface with the theme's background.
    public func surface(size: Size) -> Surface {
        Surface(size: size, style: background, isASCII: isASCII)
    }
}
