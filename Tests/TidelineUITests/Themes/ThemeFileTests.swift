import Foundation
import TestSupport
import Testing

@testable import TidelineUI

/// Theme files: their contents, and the resulting styles on all kinds of terminals.
@Suite struct ThemeFileTests {
    private static let yaml = """
        name: mine
        appearance: dark
        roles:
          conflict: {rgb: "#d7005f", c256: 161, c16: red, attributes: [bold], mark: "≠", ascii: "!"}
          key: {rgb: "#ff0000"}
          string: {c256: 46}
          number: {c16: bright-blue}
          flash: {background: {c256: 236}, monochrome: [underline]}
        """

    private func theme(_ depth: ColorDepth, isASCII: Bool = false) throws -> Theme {
        try ThemeFile(yaml: Self.yaml, source: "mine.yaml")
            .resolved(depth: depth, isASCII: isASCII)
    }

    @Test func eachColorDepthUsesItsOwnTier() throws {
        #expect(try theme(.rgb)[Role.conflict].foreground == .rgb(0xD7, 0, 0x5F))
        #expect(try theme(.indexed256)[Role.conflict].foreground == .indexed(161))
        #expect(try theme(.sixteen)[Role.conflict].foreground == .indexed(1))
        #expect(try theme(.eight)[Role.conflict].foreground == .indexed(1))
        #expect(
            try theme(.monochrome)[Role.conflict] == Style(attributes: .bold))
    }

    @Test func missingTierUsesTheNearestColor() throws {
        #expect(try theme(.indexed256)[Role.key].foreground == .indexed(196))
        #expect(try theme(.sixteen)[Role.key].foreground == .indexed(9))
        #expect(try theme(.rgb)[Role.string].foreground == .indexed(46))
        #expect(try theme(.sixteen)[Role.string].foreground == .indexed(10))
        #expect(try theme(.rgb)[Role.number].foreground == .indexed(12))
        // Terminals with eight colors show bright ones as bold.
        #expect(
            try theme(.eight)[Role.number] == Style(foreground: .indexed(4), attributes: .bold))
    }

    @Test func colorlessTerminalsKeepAttributesAndSigns() throws {
        let theme = try theme(.monochrome)
        #expect(theme[Role.flash] == Style(attributes: .underline))
        #expect(theme.mark(.conflict) == "≠")
        #expect(try self.theme(.rgb, isASCII: true).mark(.conflict) == "!")
        for role in Role.allCases {
            #expect(theme[role].foreground == .default && theme[role].background == .default)
        }
    }

    @Test func missingRoleUsesTheStandardTheme() throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("mine.yaml")
        try Self.yaml.write(toFile: path, atomically: true, encoding: .utf8)
        let library = ThemeLibrary(environment: ["HOME": "/nowhere"])
        let mine = try library.theme(named: path, depth: .indexed256)
        let standard = try library.theme(named: "tide-dark", depth: .indexed256)
        #expect(mine[Role.error] == standard[Role.error])
        #expect(mine.mark(.winner) == "★")
        #expect(mine[Role.conflict].foreground == .indexed(161))
    }

    /// Each invalid file and its expected error.
    @Test(arguments: [
        ("name: x\nroles:\n  konflict: {}", "x.yaml:3: unknown role “konflict”"),
        (
            "name: x\nroles:\n  key: {rgb: red}",
            "x.yaml:3: role key: rgb “red” must have the form"
        ),
        (
            "name: x\nroles:\n  key: {c256: 256}",
            "x.yaml:3: role key: c256 “256” must be a number from 0 to 255"
        ),
        ("name: x\nroles:\n  key: {c16: pink}", "x.yaml:3: role key: c16 “pink” must be one of"),
        ("name: x\nroles:\n  key: {attributes: [blink]}", "role key: “blink” is not bold"),
        ("name: x\nroles:\n  key: {mark: \"日\"}", "role key: a mark must be one character"),
        ("name: x\nroles:\n  key: {mark: \"\\e\"}", "role key: a mark must be one character"),
        ("name: x\nroles:\n  key: {ascii: \"≠\"}", "role key: a mark must be one ASCII character"),
        ("name: x\nroles:\n  key: {color: 1}", "role key: unknown setting “color”"),
        ("name: x\nroles:\n  key: 5", "role key must be a mapping"),
        ("name: x\nappearance: dim", "x.yaml:2: appearance must be dark or light"),
        ("name: x\nbackground: pink", "must be “terminal” or a mapping"),
        ("name: x\nstyle: {}", "x.yaml:2: unknown setting “style”"),
        ("roles: {}", "x.yaml has no name"), ("", "is not a theme"), ("- a", "is not a theme"),
        ("name: [", "is not valid YAML"),
        ("name: x\nroles:\n  \"a\\eb\": {}", "unknown role “a␛b”"),
    ])
    func mistakeIsReportedWithItsLine(_ yaml: String, _ message: String) throws {
        let error = #expect(throws: ThemeError.self) {
            try ThemeFile(yaml: yaml, source: "x.yaml")
        }
        #expect(error?.code == .invalid)
        #expect(error?.message.contains(message) ?? false, "\(error?.message ?? "")")
    }

    @Test func userThemeOverridesTheShippedOne() throws {
        let folder = try TemporaryFolder()
        let themes = folder.url.appending(path: "tideline/themes", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: themes, withIntermediateDirectories: true)
        let yaml = "name: tide-dark\nroles:\n  key: {c256: 99}\n"
        try yaml.write(
            to: themes.appending(path: "tide-dark.yaml"), atomically: true, encoding: .utf8)
        let library = ThemeLibrary(environment: ["XDG_CONFIG_HOME": folder.path])
        #expect(try library.file(named: "tide-dark").roles[.key]?.foreground.c256 == 99)
        #expect(library.names.contains("tide-light"))
        let error = #expect(throws: ThemeError.self) { try library.file(named: "no\u{1B}ne") }
        #expect(error?.code == .notFound)
        #expect(error?.message.contains("\u{1B}") == false)
    }

    @Test func environmentDecidesTheColorDepth() {
        func depth(_ environment: [String: String], _ colors: Int) -> ColorDepth {
            ColorDepth.detect(environment: environment, colors: colors)
        }
        #expect(depth([:], 256) == .indexed256)
        #expect(depth(["COLORTERM": "truecolor"], 256) == .rgb)
        #expect(depth(["COLORTERM": "truecolor", "NO_COLOR": "1"], 256) == .monochrome)
        #expect(depth(["NO_COLOR": ""], 16) == .sixteen)
        #expect(depth(["TERM": "dumb"], 8) == .monochrome)
        #expect(depth([:], 8) == .eight)
        #expect(depth([:], -1) == .monochrome)
    }
}
