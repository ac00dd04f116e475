import Foundation
import Testing

@testable import TidelineUI

/// Whether the text of every theme reaches the WCAG 2 contrast of 4.5 to 1.
@Suite struct ContrastTests {
    static let depths: [ColorDepth] = [.eight, .sixteen, .indexed256, .rgb]
    /// Roles for graphics, which need no text contrast.
    private static let lines: Set<Role> = [.border, .scrollbar, .timeline]

    private func file(_ name: String) throws -> ThemeFile {
        try ThemeFile(yaml: try #require(ThemeLibrary.shipped[name]), source: name)
    }

    @Test(arguments: ThemeLibrary.shipped.keys.sorted(), depths)
    func everyTextOfAThemeIsReadable(_ name: String, _ depth: ColorDepth) throws {
        let file = try file(name)
        let theme = file.resolved(depth: depth)
        let terminals = TerminalColors.all(of: depth, file.appearance)
        for role in Role.allCases where !Self.lines.contains(role) {
            // Text appears in lists, in dialogs and on selected rows, unless its role sets a
            // background.
            let isOwn = theme[role].background != theme.background.background
            let under: [Role] = isOwn ? [role] : [.plain, .menu, .inactiveSelection, .flash]
            for other in under {
                var style = theme[role]
                style.background = theme[other].background
                style = theme.readable(style)
                let contrast = terminals.map { $0.contrast(of: style) }.min() ?? 0
                #expect(
                    contrast >= 4.5,
                    "\(role.rawValue) on \(other.rawValue): \((contrast * 100).rounded() / 100)")
            }
        }
    }

    @Test(arguments: ThemeLibrary.shipped.keys.sorted(), depths)
    func deviceColorsAreDistinct(_ name: String, _ depth: ColorDepth) throws {
        let file = try file(name)
        let theme = file.resolved(depth: depth)
        let styles = Role.devices.map { theme.readable(theme[$0]) }
        // Only two of eight colors are readable on white.
        let most = depth == .eight && file.appearance == .light ? 2 : 6
        #expect(Set(styles).count == most, "\(styles)")
    }

    @Test(arguments: ThemeLibrary.shipped.keys.sorted(), depths)
    func changedWordsDifferFromEveryValue(_ name: String, _ depth: ColorDepth) throws {
        let theme = try file(name).resolved(depth: depth)
        let values: [Role] = [
            .plain, .key, .string, .number, .boolean, .date, .data, .collection, .deletion,
            .winner, .loser, .dim,
        ]
        for word in [Role.addedWord, .removedWord] {
            for value in values {
                #expect(
                    theme.readable(theme[word]).attributes
                        != theme.readable(theme[value]).attributes, "\(word) and \(value)")
            }
        }
    }

    /// A light theme doesn't depend on the terminal's colors and appearance.
    @Test(arguments: depths)
    func lightThemePaintsItsBackground(_ depth: ColorDepth) throws {
        for name in ThemeLibrary.shipped.keys where try file(name).appearance == .light {
            let theme = try file(name).resolved(depth: depth)
            let surface = theme.surface(size: Size(columns: 2, rows: 1))
            #expect(surface[0, 0].style.background != .default, "\(name)")
            for role in Role.allCases {
                let style = theme[role]
                #expect(
                    style.background != .default && style.foreground != .default,
                    "\(role) of \(name)")
            }
        }
    }
}
