import Foundation
import TestSupport
import Testing

/// Terminals, locales and windows of all kinds, and hostile data.
@Suite struct BrowserTerminalTests {
    private let stage: BrowserStage

    init() throws { stage = try BrowserStage() }

    @Test(arguments: [
        ["TERM": "vt100"], ["TERM": "linux"], ["TERM": "screen"], ["NO_COLOR": "1"],
        ["LANG": "C"], ["LANG": "C", "LC_ALL": "en_US.ISO-8859-1"],
    ])
    func anyTerminalAndLocaleIsSupported(_ environment: [String: String]) throws {
        try stage.open(environment: environment)
        try stage.press("jj", sees: " 3/7")
        try stage.quit()
        let output = String(decoding: try stage.terminal.output, as: UTF8.self)
        if environment["NO_COLOR"] != nil || environment["TERM"] == "vt100" {
            #expect(!output.contains("38;5;") && !output.contains(/\[[0-9;]*3[0-7]m/))
        }
    }

    @Test(arguments: [
        ("rgb:ffff/ffff/ffff", "15;0", true), ("rgb:0/0/0", "0;15", false), (nil, "0;15", true),
        (nil, "15;0", false), (nil, nil, false),
    ])
    func backgroundDecidesTheTheme(
        _ answer: String?, _ variable: String?, _ isLight: Bool
    ) throws {
        try stage.start(environment: variable.map { ["COLORFGBG": $0] } ?? [:])
        if let answer { try stage.terminal.answerBackground(answer) }
        try stage.sees(" 1/7", "LIVE")
        try stage.press(":theme\r", sees: isLight ? "tide-light  now" : "tide-dark  now")
        // Another theme is previewed and canceled.
        try stage.press("jj", sees: "gruvbox")
        try stage.press("\u{1B}", sees: " 1/7", not: "gruvbox")
        try stage.quit()
    }

    @Test func namedThemeSkipsTheBackgroundQuery() throws {
        let question = "\u{1B}]11;?"
        try stage.open("--theme", "gruvbox")
        try stage.quit()
        #expect(!String(decoding: try stage.terminal.output, as: UTF8.self).contains(question))
        let folder = stage.folder.appending("config/tideline")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try "theme: dracula\n".write(
            toFile: folder + "/config.yaml", atomically: true, encoding: .utf8)
        try stage.open()
        try stage.quit()
        #expect(!String(decoding: try stage.terminal.output, as: UTF8.self).contains(question))
        try FileManager.default.removeItem(atPath: folder + "/config.yaml")
        try stage.open()
        try stage.quit()
        #expect(String(decoding: try stage.terminal.output, as: UTF8.self).contains(question))
    }

    @Test(arguments: ["linux", "vt100"])
    func terminalWithoutAnAlternateScreenIsCleared(_ type: String) throws {
        try stage.open(environment: ["TERM": type])
        let before = try stage.screen
        #expect(before.shows("alpha") && !before.isAlternate)
        try stage.quit()
        let screen = try stage.screen
        #expect(screen.lines.joined().isEmpty, "\(screen.lines)")
        #expect(screen.isCursorVisible)
    }

    @Test func keysTypedWhileTheDemoIsBuiltAreDiscarded() throws {
        try stage.start(stage.folder.appending("Demo.store"), path: "demo")
        try stage.sees("building the demo store")
        try stage.terminal.type("q")
        try stage.sees("Tour 1/5")
        try stage.quit()
    }

    @Test func incapableTerminalIsRejected() throws {
        try stage.start(environment: ["TERM": "dumb"])
        let terminal = try stage.terminal
        #expect(try terminal.end() == 64)
        #expect(!terminal.output.contains(0x1B))
    }

    @Test func asciiModeWritesOnlyASCII() throws {
        try stage.open("--ascii")
        try stage.press("c\r", sees: "Can't resolve")
        try stage.press("\u{1B}", sees: "f filter", not: "Can't resolve")
        try stage.press("?", sees: "Keyboard shortcuts")
        try stage.press("\u{1B}", sees: "f filter", not: "Keyboard shortcuts")
        try stage.press("t", sees: "PAST 20")
        try stage.quit()
        #expect(try stage.terminal.output.allSatisfy { $0 < 0x80 })
    }

    @Test(arguments: [(1, 1), (2, 1), (5, 2), (20, 4), (20, 5), (59, 11)])
    func anyWindowSizeIsSupported(_ columns: Int, _ rows: Int) throws {
        try stage.start(columns: columns, rows: rows)
        try stage.sees("the screen") { $0.isAlternate && $0.modes.contains(2004) }
        let terminal = try stage.terminal
        // Keys do nothing while nothing is visible.
        terminal.type("j")
        terminal.setSize(columns: 80, rows: 24)
        try stage.sees("LIVE", "/7")
        terminal.setSize(columns: columns, rows: rows)
        terminal.type("q")
        #expect(try terminal.end() == 0)
        #expect(terminal.screen.unknown.isEmpty)
    }

    /// Sequences that rename, recolor, move, clear or mirror a vulnerable terminal.
    private static let attacks = [
        "\u{1B}]0;owned\u{07}", "\u{1B}[31mred", "\u{1B}[2J\u{1B}[H", "\u{9B}2J\u{9D}0;x\u{9C}",
        "\u{1B}P$q\"p\u{1B}\\", "\u{0}\u{1}\u{7}\u{8}\u{B}\u{C}\u{E}\u{7F}", "tab\tline\r\nline\n",
        "\u{202E}turned\u{2066}", "e\u{301}\u{302}\u{303}\u{304}", "👩‍👩‍👧‍👦🏳️‍🌈", "\u{FEFF}\u{2028}\u{AD}",
        "\u{1B}[?1049l", "\u{1B}c", "\u{1B}[6n", "\u{1B}]52;c;b3duZWQ=\u{07}",
    ]

    private func makeHostile() throws {
        var values: [String: String] = [:]
        for (index, attack) in Self.attacks.enumerated() {
            values["\(index)\(attack)"] = attack + attack
        }
        try stage.tideline(
            "kv", "import", stage.store, "-",
            input: String(decoding: JSONEncoder().encode(values), as: UTF8.self))
        for (index, attack) in Self.attacks.enumerated() where !attack.contains("\u{0}") {
            try FileManager.default.createDirectory(
                atPath: "\(stage.store)/Blobs", withIntermediateDirectories: true)
            try Data(attack.utf8).write(
                to: URL(filePath: "\(stage.store)/Blobs/\(index)\(attack)"))
        }
        // Create a device and an entity type with these names.
        try FileManager.default.copyItem(
            atPath: "\(stage.store)/Devices/phone",
            toPath: "\(stage.store)/Devices/\u{1B}]0;owned\u{07}\u{202E}")
        for attack in Self.attacks.prefix(3) {
            try stage.tideline(
                "entities", "add", stage.store, "--type", attack, "--id", "id" + attack,
                "name=\(attack)")
        }
    }

    @Test(arguments: [(80, 24), (200, 60), (40, 10)])
    func hostileDataDoesNotAffectTheTerminal(_ columns: Int, _ rows: Int) throws {
        try makeHostile()
        let path = stage.folder.appending("\u{1B}]0;owned\u{07}.store")
        try FileManager.default.moveItem(atPath: stage.store, toPath: path)
        try stage.start("-w", path: path, columns: columns, rows: rows)
        let terminal = try stage.terminal
        let total = 7 + Self.attacks.count
        // A window without a footer can't show the position of the selection.
        try stage.sees("the keys") { $0.shows("1/\(total)") || $0.lines[0].contains("KEY") }
        // Every row of every pane is selected once, so that the peek and the inspector show it too.
        for pane in ["keys", "log", "conflicts", "devices", "blobs", "entities", "types"] {
            terminal.type(":pane \(pane)\r")
            for _ in 0..<total { terminal.type("j") }
        }
        terminal.type(":pane keys\rgg")
        // The edit field shows the characters, too.
        for _ in Self.attacks {
            try stage.press("i", sees: "Edit ")
            terminal.type("\u{1B}")
            try stage.sees("the field closed") { !$0.shows("Edit ") }
            terminal.type("j")
        }
        terminal.type("q")
        #expect(try terminal.end() == 0)
        #expect(terminal.screen.unknown.isEmpty)
        #expect(terminal.screen.copied.isEmpty)
        #expect(!terminal.screen.isAlternate && terminal.screen.modes.isEmpty)
        // The output contains no direction marks either.
        let output = String(decoding: terminal.output, as: UTF8.self)
        #expect(
            !output.unicodeScalars.contains {
                "\u{202E}\u{2066}\u{2028}\u{FEFF}".unicodeScalars.contains($0)
            })
    }
}
