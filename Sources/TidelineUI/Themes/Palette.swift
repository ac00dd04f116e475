/// The colors of a 256-color terminal, used to find the nearest color.
enum Palette {
    struct RGB: Hashable, Sendable {
        var red: UInt8
        var green: UInt8
        var blue: UInt8

        /// Returns the perceived difference: a Euclidean distance, weighted by the amount of red.
        func distance(to other: RGB) -> Int {
            let mean = (Int(red) + Int(other.red)) / 2
            let r = Int(red) - Int(other.red)
            let g = Int(green) - Int(other.green)
            let b = Int(blue) - Int(other.blue)
            return (512 + mean) * r * r / 256 + 4 * g * g + (767 - mean) * b * b / 256
        }
    }

    /// The names of the first sixteen colors.
    static let names = [
        "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
        "bright-black", "bright-red", "bright-green", "bright-yellow", "bright-blue",
        "bright-magenta", "bright-cyan", "bright-white",
    ]

    /// The first sixteen colors of xterm. Users may have redefined these colors, so other colors
    /// are mapped to them only on terminals with at most sixteen colors.
    static let xterm: [RGB] = [
        0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
        0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
    ].map(RGB.init)

    /// The first sixteen colors of the Linux console.
    static let console: [RGB] = [
        0x000000, 0xAA0000, 0x00AA00, 0xAA5500, 0x0000AA, 0xAA00AA, 0x00AAAA, 0xAAAAAA,
        0x555555, 0xFF5555, 0x55FF55, 0xFFFF55, 0x5555FF, 0xFF55FF, 0x55FFFF, 0xFFFFFF,
    ].map(RGB.init)

    /// Returns a basic color, a color of the 6 × 6 × 6 cube, or one of 24 grays.
    static func color(_ index: UInt8) -> RGB {
        switch index {
        case 0..<16: return xterm[Int(index)]
        case 16..<232:
            let levels: [UInt8] = [0, 95, 135, 175, 215, 255]
            let place = Int(index) - 16
            return RGB(
                red: levels[place / 36], green: levels[place / 6 % 6], blue: levels[place % 6])
        default:
            let gray = 8 + 10 * (index - 232)
            return RGB(red: gray, green: gray, blue: gray)
        }
    }

    /// Returns the nearest color in the cube or the grays.
    static func nearest256(_ color: RGB) -> UInt8 {
        nearest(color, in: 16...255)
    }

    /// Returns the nearest of the first sixteen colors.
    static func nearest16(_ color: RGB) -> UInt8 {
        nearest(color, in: 0...15)
    }

    private static func nearest(_ color: RGB, in range: ClosedRange<UInt8>) -> UInt8 {
        range.min { Self.color($0).distance(to: color) < Self.color($1).distance(to: color) }
            ?? range.lowerBound
    }
}

extension Color {
    /// The red, green and blue components, which are wrong if the user has redefined the color.
    package var approximation: (red: UInt8, green: UInt8, blue: UInt8) {
        switch kind {
        case .default: return (0, 0, 0)
        case .indexed(let index):
            let color = Palette.color(index)
            return (color.red, color.green, color.blue)
        case .rgb(let red, let green, let blue): return (red, green, blue)
        }
    }

    /// Returns the nearest color on a terminal with `count` colors.
    package func nearestIndex(of count: Int) -> UInt8 {
        if case .indexed(let index) = kind, Int(index) < count { return index }
        let (red, green, blue) = approximation
        let color = Palette.RGB(red: red, green: green, blue: blue)
        if count >= 256 { return Palette.nearest256(color) }
        let index = Palette.nearest16(color)
        return Int(index) < count ? index : index & 7
    }
}

extension Palette.RGB {
    /// Parses `#rrggbb`. Returns `nil` for anything else.
    init?(_ text: String) {
        guard text.utf8.count == 7, text.first == "#",
            text.dropFirst().allSatisfy(\.isHexDigit),
            let value = UInt32(text.dropFirst(), radix: 16)
        else { return nil }
        self.init(value)
    }

    init(_ value: UInt32) {
        red = UInt8(truncatingIfNeeded: value >> 16)
        green = UInt8(truncatingIfNeeded: value >> 8)
        blue = UInt8(truncatingIfNeeded: value)
    }
}
