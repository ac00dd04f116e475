import Foundation

/// Keeps text readable on terminals with eight or sixteen colors.
///
/// On these terminals, a color is only a number, and its look depends on the terminal. The yellow
/// of the Linux console is brown, and black text on it is hardly visible. The blue of xterm is
/// invisible on black. Bold text may be brighter than its color, so that bold black becomes gray.
/// Text must be readable in all of these cases.
struct FewColors: Hashable, Sendable {
    /// The minimum contrast of text, as defined by WCAG 2.
    private static let enough = 4.5

    private let count: Int
    /// The assumed default colors of the terminal.
    private let ownText: Int
    private let ownGround: Int

    /// Creates the adjustment for a depth; `nil` if there are no colors, or more than sixteen.
    init?(depth: ColorDepth, appearance: ThemeFile.Appearance) {
        guard depth == .eight || depth == .sixteen else { return nil }
        count = depth == .eight ? 8 : 16
        ownText = appearance == .dark ? 7 : 0
        ownGround = appearance == .dark ? 0 : count - 1
    }

    /// Returns the style with the nearest readable text color, bold or not. Grays stay gray.
    func readable(_ style: Style) -> Style {
        var style = style
        // Some terminals show dim text at half its brightness, and the Linux console in dark gray.
        style.attributes.remove(.dim)
        if contrast(of: style) >= Self.enough { return style }
        let plain = with(nil, isBold: false, in: style)
        if contrast(of: plain) >= Self.enough { return plain }
        let isBold = style.attributes.contains(.bold)
        let wanted = parts(of: style).text
        var best: (style: Style, distance: Int)?
        for index in 0..<count where !Self.isGray(wanted) || Self.isGray(index) {
            let distance = Self.distance(wanted, index)
            if let best, best.distance <= distance { continue }
            let choices = [isBold, !isBold].map { with(index, isBold: $0, in: style) }
            if let choice = choices.first(where: { contrast(of: $0) >= Self.enough }) {
                best = (choice, distance)
            }
        }
        return best?.style ?? plain
    }

    /// Returns the style with a background on which some text is readable. Among eight colors, red,
    /// magenta and yellow have too little contrast with every text color.
    func withReadableGround(_ style: Style) -> Style {
        let isReversed = style.attributes.contains(.reverse)
        guard (isReversed ? style.foreground : style.background) != .default else { return style }
        let wanted = parts(of: style).ground
        let possible = (0..<count).filter {
            $0 == wanted || $0 != ownGround
        }.filter(canHoldText)
        guard !possible.contains(wanted),
            let nearest = possible.min(by: {
                Self.distance(wanted, $0) < Self.distance(wanted, $1)
            })
        else { return style }
        var style = style
        let color = Color.indexed(UInt8(nearest))
        if isReversed { style.foreground = color } else { style.background = color }
        return style
    }

    /// Makes roles with the same colors distinguishable. Each role gets another color, or the same
    /// color with or without bold. A role keeps its color if no earlier role has that color.
    func distinguish(_ roles: [Role], in styles: inout [Role: Style]) {
        var taken: [Style] = []
        for role in roles {
            guard let own = styles[role] else { continue }
            let others = (1..<count).flatMap { index in
                [false, true].map { with(index, isBold: $0, in: own) }
            }
            let readable = ([own] + others).map(self.readable)
            let style =
                readable.first { style in !taken.contains { $0.foreground == style.foreground } }
                ?? readable.first { !taken.contains($0) }
            styles[role] = style ?? own
            taken.append(style ?? readable[0])
        }
    }

    private func canHoldText(_ ground: Int) -> Bool {
        let background = Color.indexed(UInt8(ground))
        return (0..<count).contains {
            contrast(of: Style(foreground: .indexed(UInt8($0)), background: background))
                >= Self.enough
        }
    }

    /// Returns the style with another text color.
    private func with(_ index: Int?, isBold: Bool, in style: Style) -> Style {
        var style = style
        if isBold { style.attributes.insert(.bold) } else { style.attributes.remove(.bold) }
        guard let index else { return style }
        let color = Color.indexed(UInt8(index))
        if style.attributes.contains(.reverse) {
            style.background = color
        } else {
            style.foreground = color
        }
        return style
    }

    /// Returns the numbers of the visible text and background colors.
    private func parts(of style: Style) -> (text: Int, ground: Int) {
        let text = number(style.foreground) ?? ownText
        let ground = number(style.background) ?? ownGround
        return style.attributes.contains(.reverse) ? (ground, text) : (text, ground)
    }

    private func number(_ color: Color) -> Int? {
        color == .default ? nil : Int(color.nearestIndex(of: count))
    }

    // MARK: The look of numbered colors

    /// A kind of terminal.
    private struct Look {
        enum Brightening { case none, foreground, text }

        /// The luminance of each of the sixteen colors.
        let luminances: [Double]
        /// The part that bold brightens: none, the foreground before reversing, or the text.
        let bold: Brightening

        init(_ colors: [Palette.RGB], bold: Brightening) {
            luminances = colors.map(\.luminance)
            self.bold = bold
        }
    }

    private static let looks = [
        Look(Palette.xterm, bold: .none), Look(Palette.xterm, bold: .foreground),
        Look(Palette.console, bold: .text),
    ]

    /// Returns the lowest contrast of a style on any kind of terminal.
    private func contrast(of style: Style) -> Double {
        let isBold = style.attributes.contains(.bold)
        let isReversed = style.attributes.contains(.reverse)
        let parts = parts(of: style)
        var least = Double.infinity
        for look in Self.looks {
            var (text, ground) = parts
            if isBold, look.bold != .none {
                if look.bold == .foreground, isReversed {
                    ground |= 8
                } else {
                    text |= 8
                }
            }
            let (one, other) = (look.luminances[text], look.luminances[ground])
            least = min(least, (max(one, other) + 0.05) / (min(one, other) + 0.05))
        }
        return least
    }

    private static func isGray(_ index: Int) -> Bool { index & 7 == 0 || index & 7 == 7 }

    private static func distance(_ one: Int, _ other: Int) -> Int {
        Palette.xterm[one].distance(to: Palette.xterm[other])
    }
}

extension Palette.RGB {
    /// The relative luminance, as defined by WCAG 2.
    fileprivate var luminance: Double {
        func linear(_ part: UInt8) -> Double {
            let value = Double(part) / 255
            return value <= 0.03928 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }
}
