import Foundation
import TestSupport
import Testing
import TidelineCore
import TidelineUI

/// Compares text on a terminal with the surface's measurements.
@Suite(.serialized) struct TerminalDrawingTests {
    static let texts = [
        "plain ASCII", "日本語のキー", "한국어 키", "mixed 日a本b", "e\u{301} u\u{308}o\u{323}\u{302}",
        "😀 smile", "👩‍💻 at work", "👨‍👩‍👧‍👦 family", "👋🏽 hello", "❤️ and ❤", "1️⃣ keycap", "🇩🇪 flag 🇯🇵",
        "नमस्ते क्षि", "สวัสดีค่ะ", "עברית مرحبا", "ﷺ ligature", "a\u{200D}b zwj", "x\u{202E}y bidi",
        "z\u{300}\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}algo", "\u{301}mark first",
        "½ × ≠ … – “quotes”", "│ box ┌┐", "ｆｕｌｌ ｗｉｄｔｈ ﾊﾝｶｸ", "𝒳 math 𐍈 gothic",
        "\u{1100}\u{1161}\u{11A8} jamo",
        "🏴󠁧󠁢󠁥󠁮󠁧󠁿 tags", "\u{E000} private", "\u{378} unassigned", "\u{1FAE9} newer",
        "tab\tnl\nesc\u{1B}[31mred", "\u{9B}31m C1 \u{85}", "soft\u{AD}hyphen \u{2028}",
    ]

    private func write(_ lines: [String], _ folder: TemporaryFolder) throws -> String {
        let path = folder.appending("lines")
        try lines.joined(separator: "\u{0}").write(
            toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test(.enabled(if: Tmux.isInstalled))
    func tmuxShowsTheCellsOfTheSurface() throws {
        let folder = try TemporaryFolder()
        let path = try write(Self.texts, folder)
        var surface = Surface(size: Size(columns: 60, rows: 40))
        for (row, line) in Self.texts.enumerated() {
            surface.put(line, at: Point(column: 0, row: row))
        }
        let tmux = try Tmux(
            "\(Programs.built("TerminalFixture")) --lines \(path)", columns: 60, rows: 40)
        var shown: [String] = []
        try tmux.wait {
            shown = try tmux.lines()
            return shown.count >= Self.texts.count && !shown[Self.texts.count - 1].isEmpty
        }
        for (row, text) in Self.texts.enumerated() where row < shown.count {
            #expect(
                scalars(shown[row]) == scalars(surface.line(row)),
                "\(text.debugDescription) in row \(row)")
        }
    }

    @Test(.enabled(if: Tmux.isInstalled))
    func textWidthsMatchTmux() throws {
        let folder = try TemporaryFolder()
        let path = try write(Self.texts, folder)
        let answer = folder.appending("columns")
        let fixture = Programs.built("TerminalFixture")
        let tmux = try Tmux("stty raw -echo; \(fixture) --measure \(path) \(answer)")
        try tmux.wait { FileManager.default.fileExists(atPath: answer) }
        let columns = try String(contentsOfFile: answer, encoding: .utf8)
            .split(separator: " ").compactMap { Int($0) }
        #expect(columns.count == Self.texts.count)
        for (text, columns) in zip(Self.texts, columns) {
            #expect(CharacterWidth.width(of: text) == columns, "\(text.debugDescription)")
        }
    }

    private func scalars(_ text: String) -> [String] {
        text.unicodeScalars.map { String($0.value, radix: 16) }
    }

    /// No byte of a hostile text controls the terminal, wherever the text appears.
    @Test func hostileTextReachesTheTerminalAsPlainText() throws {
        let folder = try TemporaryFolder()
        var random = SeededRandom(seed: 11)
        let hostile = [
            "\u{1B}]0;owned\u{07}", "\u{1B}[2J\u{1B}[H", "\u{9D}0;owned\u{9C}", "\u{1B}P+q\u{1B}\\",
            "\u{1B}c", "\u{0E}\u{0F}", "\r\r\u{08}\u{08}", "\u{7F}\u{05}", "\u{1B}[?1049l",
            "\u{1B}]52;c;b3duZWQ=\u{07}", "\u{90}x\u{9C}", "\u{85}\u{84}\u{8D}",
        ]
        let lines = (0..<22).map { _ in
            (0..<3).map { _ in hostile.randomElement(using: &random) ?? "" }.joined(separator: "x")
        }
        let path = try write(lines, folder)
        let terminal = try PseudoTerminal(
            Programs.built("TerminalFixture"), ["--lines", path],
            environment: ["TERM": "xterm-256color", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"])
        try terminal.wait(forText: "\\x9c")
        terminal.type("q")
        #expect(try terminal.end() == 3)
        #expect(terminal.screen.unknown.isEmpty, "\(terminal.screen.unknown)")
        #expect(terminal.screen.copied.isEmpty)
        #expect(!terminal.output.contains(0x0E))
        let text = String(decoding: terminal.output, as: UTF8.self)
        #expect(!text.unicodeScalars.contains { (0x80..<0xA0).contains($0.value) })
        #expect(!text.contains("\u{1B}]0;"))
    }

    @Test func onlyChangedCellsAreWritten() throws {
        let terminal = try PseudoTerminal(
            Programs.built("TerminalFixture"),
            environment: ["TERM": "xterm-256color", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"],
            columns: 120, rows: 40)
        try terminal.wait(forText: "ready")
        terminal.type("d")
        try terminal.wait(forText: "\"d\"")
        let before = terminal.output.count
        terminal.type("b")
        try terminal.wait(forText: "\"b\"")
        let written = terminal.output.count - before
        #expect(written < 200, "\(written) bytes for a line of 20 characters")
        terminal.type("q")
        _ = try terminal.end()
    }
}
