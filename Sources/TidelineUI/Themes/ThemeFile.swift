/// A theme as stored in a file: colors in tiers, attributes and symbols, independent of the
/// terminal.
///
/// ```yaml
/// name: tide-dark
/// appearance: dark
/// foreground: terminal
/// background: terminal
/// base: high-contrast
/// roles:
///   conflict: {rgb: "#d7005f", c256: 161, c16: red, attributes: [bold], mark: "≠", ascii: "!"}
///   flash: {background: {rgb: "#303a50", c256: 237}, monochrome: [bold]}
/// ```
///
/// On terminals with eight or sixteen colors, unreadable text gets the nearest readable color. If
/// a tier is missing, the nearest color of the tier above is used or, failing that, of the tier
/// below. `monochrome` lists attributes for terminals without colors, in addition to `attributes`,
/// which apply everywhere. A missing role is taken from the theme named by `base`, or from the
/// default theme for the same `appearance`.
public struct ThemeFile: Hashable, Sendable {
    /// The kind of terminal background.
    public enum Appearance: String, Hashable, Sendable {
        case dark, light
    }

    /// The name of the theme.
    public var name: String
    /// The terminal background that the colors are designed for.
    public var appearance: Appearance
    /// The name of the theme that provides missing roles.
    public var base: String?
    /// The default colors of the screen.
    var foreground: ThemeColor
    var background: ThemeColor
    var roles: [Role: Entry]

    /// The settings of a role.
    struct Entry: Hashable, Sendable {
        var foreground = ThemeColor()
        var background = ThemeColor()
        var attributes: Style.Attributes = []
        var monochrome: Style.Attributes = []
        var mark: String?
        var ascii: String?
    }

    /// Resolves the theme for a terminal.
    ///
    /// - Parameter base: The theme that provides missing roles.
    public func resolved(
        depth: ColorDepth, isASCII: Bool = false, base: ThemeFile? = nil
    ) -> Theme {
        var screen = Style.plain
        screen.foreground = foreground.resolved(depth: depth).color
        screen.background = background.resolved(depth: depth).color
        let fewColors = FewColors(depth: depth, appearance: appearance)
        var styles: [Role: Style] = [:]
        var marks: [Role: String] = [:]
        for role in Role.allCases {
            let inherited = base?.roles[role]
            styles[role] = screen
            guard let entry = roles[role] ?? inherited else { continue }
            let style = entry.style(depth: depth).over(screen)
            styles[role] = fewColors?.withReadableGround(style) ?? style
            // If a theme only changes the colors of a role, the symbol of the base theme is kept.
            let mark = entry.mark ?? inherited?.mark
            let ascii = entry.ascii ?? inherited?.ascii
            marks[role] =
                isASCII ? ascii ?? mark.map { $0.utf8.count == 1 ? $0 : "*" } : mark
        }
        fewColors?.distinguish(Role.devices, in: &styles)
        return Theme(
            name: name, background: screen, isASCII: isASCII, styles: styles, marks: marks,
            fewColors: fewColors)
    }
}

extension ThemeFile.Entry {
    fileprivate func style(depth: ColorDepth) -> Style {
        var style = Style(attributes: attributes)
        if depth == .monochrome {
            style.attributes.formUnion(monochrome)
            return style
        }
        let (foreground, brightness) = self.foreground.resolved(depth: depth)
        style.foreground = foreground
        style.background = self.background.resolved(depth: depth).color
        style.attributes.formUnion(brightness)
        // The terminal's text color is unknown. With few colors, the text color may be the same as
        // the theme's background.
        if depth <= .sixteen, style.foreground == .default, let text = self.background.plainText {
            style.foreground = text
        }
        return style
    }
}

/// A color in up to three tiers.
struct ThemeColor: Hashable, Sendable {
    var rgb: Palette.RGB?
    var c256: UInt8?
    /// One of the first sixteen colors.
    var c16: UInt8?

    /// Returns the color for a terminal, and the attributes that make it bright on a terminal of
    /// eight colors. Such a terminal has no bright black (gray), because bold black is black on
    /// most terminals.
    func resolved(depth: ColorDepth) -> (color: Color, brightness: Style.Attributes) {
        switch depth {
        case .monochrome: return (.default, [])
        case .rgb:
            if let rgb { return (.rgb(rgb.red, rgb.green, rgb.blue), []) }
            return (indexed256.map(Color.indexed) ?? .default, [])
        case .indexed256: return (indexed256.map(Color.indexed) ?? .default, [])
        case .sixteen: return (indexed16.map(Color.indexed) ?? .default, [])
        case .eight:
            guard let index = indexed16 else { return (.default, []) }
            if index == 8 { return (.default, []) }
            return (.indexed(index & 7), index > 7 ? .bold : [])
        }
    }

    /// The readable text color on this background, if there are sixteen colors.
    fileprivate var plainText: Color? {
        guard let index = indexed16 else { return nil }
        return .indexed([7, 10, 11, 14, 15].contains(index) ? 0 : 7)
    }

    private var indexed256: UInt8? { c256 ?? rgb.map(Palette.nearest256) ?? c16 }

    private var indexed16: UInt8? {
        if let c16 { return c16 }
        if let rgb { return Palette.nearest16(rgb) }
        return c256.map { $0 < 16 ? $0 : Palette.nearest16(Palette.color($0)) }
    }
}
