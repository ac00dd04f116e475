import Foundation

@testable import TidelineUI

/// The colors that a terminal shows for a style.
struct TerminalColors: Sendable {
    /// The effect of bold text on a color below 8.
    enum Bold: Sendable {
        case asItIs
        /// Brightens the color, then swaps both colors if the style is reversed, like xterm.
        case brightBeforeReversing
        /// Swaps both colors if the style is reversed, then brightens the foreground, like the
        /// Linux console.
        case brightAfterReversing
    }

    let palette: [Palette.RGB]
    let bold: Bold
    /// The terminal's default colors.
    let text: Palette.RGB
    let ground: Palette.RGB

    private static let xterm: [UInt32] = [
        0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
        0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
    ]
    private static let console: [UInt32] = [
        0x000000, 0xAA0000, 0x00AA00, 0xAA5500, 0x0000AA, 0xAA00AA, 0x00AAAA, 0xAAAAAA,
        0x555555, 0xFF5555, 0x55FF55, 0xFFFF55, 0x5555FF, 0xFF55FF, 0x55FFFF, 0xFFFFFF,
    ]

    /// The terminals on which a theme must be readable. Empty for monochrome terminals.
    ///
    /// - Parameter appearance: The appearance that a theme without its own background is made for.
    ///   Terminals with this appearance are dark or light, whatever their exact colors are.
    static func all(
        of depth: ColorDepth, _ appearance: ThemeFile.Appearance
    ) -> [TerminalColors] {
        let isDark = appearance == .dark
        let many = TerminalColors(
            palette: xterm.map(Palette.RGB.init), bold: .asItIs,
            text: Palette.RGB(isDark ? 0xE5E5E5 : 0x000000),
            ground: Palette.RGB(isDark ? 0x1C1C1C : 0xFFFFFF))
        switch depth {
        case .monochrome: return []
        case .rgb, .indexed256: return [many]
        case .eight, .sixteen:
            return [
                (xterm, Bold.asItIs), (xterm, .brightBeforeReversing),
                (console, .brightAfterReversing),
            ].map { colors, bold in
                let palette = colors.map(Palette.RGB.init)
                return TerminalColors(
                    palette: palette, bold: bold, text: isDark ? palette[7] : palette[0],
                    ground: isDark ? palette[0] : palette[depth == .eight ? 7 : 15])
            }
        }
    }

    /// Returns the contrast of text in a style according to WCAG 2. Dim text has half its
    /// brightness.
    func contrast(of style: Style) -> Double {
        let isReversed = style.attributes.contains(.reverse)
        let isBold = style.attributes.contains(.bold)
        let front = isReversed ? style.background : style.foreground
        let back = isReversed ? style.foreground : style.background
        var text = color(
            front, or: isReversed ? ground : self.text,
            isBright: isBold
                && (bold == .brightAfterReversing || bold == .brightBeforeReversing && !isReversed))
        let behind = color(
            back, or: isReversed ? self.text : ground,
            isBright: isBold && bold == .brightBeforeReversing && isReversed)
        if style.attributes.contains(.dim) {
            text = Palette.RGB(red: text.red / 2, green: text.green / 2, blue: text.blue / 2)
        }
        return Self.contrast(text, behind)
    }

    private func color(
        _ color: Color, or own: Palette.RGB, isBright: Bool
    ) -> Palette.RGB {
        switch color.kind {
        case .default:
            guard isBright, let index = palette.firstIndex(of: own), index < 8 else { return own }
            return palette[index + 8]
        case .indexed(let index) where index < 16:
            return palette[isBright && index < 8 ? Int(index) + 8 : Int(index)]
        case .indexed(let index): return Palette.color(index)
        case .rgb(let red, let green, let blue):
            return Palette.RGB(red: red, green: green, blue: blue)
        }
    }

    static func contrast(_ one: Palette.RGB, _ other: Palette.RGB) -> Double {
        let (one, other) = (luminance(one), luminance(other))
        return (max(one, other) + 0.05) / (min(one, other) + 0.05)
    }

    private static func luminance(_ color: Palette.RGB) -> Double {
        func linear(_ part: UInt8) -> Double {
            let value = Double(part) / 255
            return value <= 0.03928 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(color.red) + 0.7152 * linear(color.green)
            + 0.0722 * linear(color.blue)
    }
}
