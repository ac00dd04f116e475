/// The number of colors used on the terminal.
public enum ColorDepth: Int, Hashable, Sendable, CaseIterable, Comparable {
    /// No colors, only attributes and symbols.
    case monochrome
    case eight, sixteen, indexed256, rgb

    public static func < (a: ColorDepth, b: ColorDepth) -> Bool { a.rawValue < b.rawValue }

    /// Determines the depth from the environment and the terminal's description.
    ///
    /// `NO_COLOR` (not empty) and `TERM=dumb` mean no colors. `COLORTERM=truecolor` or `24bit`
    /// means true color, unless the description has no colors at all.
    ///
    /// - Parameter colors: The number of colors in the terminal's terminfo description.
    public static func detect(environment: [String: String], colors: Int) -> ColorDepth {
        if environment["NO_COLOR"].map({ !$0.isEmpty }) ?? false { return .monochrome }
        if environment["TERM"] == "dumb" || colors < 8 { return .monochrome }
        let colorTerm = environment["COLORTERM"]?.lowercased() ?? ""
        if colorTerm == "truecolor" || colorTerm == "24bit" || colors > 256 { return .rgb }
        return colors >= 256 ? .indexed256 : colors >= 16 ? .sixteen : .eight
    }
}
