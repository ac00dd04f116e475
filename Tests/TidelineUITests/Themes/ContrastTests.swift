import Foundation
import Testing

@testable import TidelineUI

/// Whether what a theme writes can be read, by the measure of WCAG 2: 4.5 to 1 for text.
@Suite struct ContrastTests {
    /// What is drawn in these is no text.
    private static let lines: Set<Role> = [.border, .scrollbar, .timeline]

    @Test(arguments: ThemeLibrary.shipped.keys.sorted(), [ColorDepth.indexed256, .rgb])
    func everyTextOfAThemeCanBeRead(_ name: String, _ depth: ColorDepth) throws {
        let yaml = try #require(ThemeLibrary.shipped[name])
        let file = try ThemeFile(yaml: yaml, source: name)
        let theme = file.resolved(depth: depth)
        // A terminal's own background is dark or light, whatever it is exactly.
        let terminal: Palette.RGB =
            file.appearance == .dark ? .init(0x1C1C1C) : .init(0xFFFFFF)
        func background(_ role: Role) -> Palette.RGB {
            Self.color(theme[role].background) ?? Self.color(theme.background.background)
                ?? terminal
        }
        for role in Role.allCases where !Self.lines.contains(role) {
            guard let text = Self.color(theme[role].foreground) else { continue }
            // In lists, in dialogs and on a selected row, unless it has a background of its own.
            let isOwn = theme[role].background != theme.background.background
            let under = isOwn ? [role] : [.plain, .menu, .inactiveSelection, .flash]
            for other in under {
                let contrast = ScreenCheck.contrast(text, background(other))
                #expect(
                    contrast >= 4.5,
                    "\(role.rawValue) on \(other.rawValue): \((contrast * 100).rounded() / 100)")
            }
        }
    }

    @Test func thereAreSixThemes() {
        #expect(
            ThemeLibrary.shipped.keys.sorted() == [
                "deuteranopia", "dracula", "gruvbox", "high-contrast", "tide-dark", "tide-light",
            ])
    }

    private static func color(_ color: Color) -> Palette.RGB? {
        switch color.kind {
        case .default: nil
        case .indexed(let index): Palette.color(index)
        case .rgb(let red, let green, let blue):
            Palette.RGB(red: red, green: green, blue: blue)
        }
    }
}
