import TestSupport
import Testing

@testable import TidelineUI

/// Every key does what the help says, on a real screen and in every layout.
@Suite struct BrowserKeyTests {
    /// A key, and the text that it makes appear on the screen.
    private struct Step: Sendable {
        var key: String
        /// Keys that are typed right after it.
        var more = ""
        var what = ""
        var isSo: @Sendable (ScreenText) -> Bool

        init(_ key: String, _ more: String = "", sees text: String, not other: String = "\u{0}") {
            self.key = key
            self.more = more
            what = "“\(text)” after \(key)"
            isSo = { $0.shows(text) && !$0.shows(other) }
        }

        init(_ key: String, gone text: String) {
            self.key = key
            what = "end of “\(text)” after \(key)"
            isSo = { !$0.shows(text) }
        }

        init(
            _ key: String, _ what: String, isSo: @escaping @Sendable (ScreenText) -> Bool
        ) {
            self.key = key
            self.what = "\(what) after \(key)"
            self.isSo = isSo
        }
    }

    /// Keys that end or suspend the program have separate tests.
    private static let ending: Set = ["q", "^c", "^z"]

    private static func isZoomed(_ screen: ScreenText) -> Bool {
        !screen.shows("─ alpha ─") && !screen.shows("Inspector: alpha")
    }

    private static func tellsSize(_ screen: ScreenText) -> Bool {
        screen.shows("% of") || screen.shows("only one panel is visible")
    }

    private static let moving = [
        Step("j", sees: " 2/7"), Step("Down", sees: " 3/7"), Step("^n", sees: " 4/7"),
        Step("k", sees: " 3/7"), Step("Up", sees: " 2/7"),
        Step("G", sees: " 7/7"), Step("gg", sees: " 1/7"),
        Step("End", sees: " 7/7"), Step("Home", sees: " 1/7"),
        Step("^d", sees: " 7/7"), Step("^u", sees: " 1/7"),
        Step("PgDn", sees: " 7/7"), Step("PgUp", sees: " 1/7"),
        Step("^f", sees: " 7/7"), Step("^b", sees: " 1/7"),
        Step("L", sees: "no column or text is cut off"),
        Step("H", sees: "already at the first column"),
        Step("S-Right", sees: "no column or text is cut off"),
        Step("S-Left", sees: "already at the first column"),
    ]

    private static let panes = [
        Step("l", sees: "Esc back"), Step("h", sees: "f filter"),
        Step("Right", sees: "Esc back"), Step("Left", sees: "f filter"),
        Step("2", sees: "TIME "), Step("3", sees: "WINNER"), Step("7", sees: "BEHIND"),
        Step("8", sees: "BLOB"), Step("9", sees: "No problems"),
        Step("1", gone: "No problems"),
        Step("4", sees: "no tab 4"), Step("5", sees: "no tab 5"),
        Step("6", sees: "no tab 6"),
        Step("0", sees: "Esc back"), Step("gj", gone: " 1/"), Step("gk", sees: " 1/"),
        Step("E", sees: "Tab next panel"),
        Step("BackTab", sees: "y copy", not: "Tab next panel"), Step("BackTab", sees: "f filter"),
        Step("Tab", sees: "Esc back"), Step("Esc", sees: "f filter"),
        Step("]", sees: "TIME "), Step("[", gone: "TIME "),
        Step("Enter", sees: "Esc back"), Step("Esc", gone: "Esc back"),
        Step("Backspace", sees: "press q to quit"),
        Step("_", "the list alone", isSo: { isZoomed($0) }),
        Step("_", "all panels") { !isZoomed($0) },
        Step("=", "another size") { tellsSize($0) },
        Step("^l", "the foot") { !tellsSize($0) && $0.shows("? keys") },
        Step("M-Down", "another size") { tellsSize($0) },
        Step("^l", "the foot") { !tellsSize($0) && $0.shows("? keys") },
        Step("M-Up", "another size") { tellsSize($0) },
    ]

    private static let finding = [
        Step("/", "nn\r", sees: " 2/7"), Step("n", sees: " 5/7"), Step("N", sees: " 2/7"),
        Step("f", "echo\r", sees: " 1/1"), Step("Esc", sees: "/7"), Step("gg", sees: " 1/7"),
        Step("o", sees: "Sort by"), Step("Esc", gone: "Sort by"),
        Step(":", sees: "Tab complete"), Step("Esc", gone: "Tab complete"),
        Step("^p", sees: "Tab complete"), Step("Esc", gone: "Tab complete"),
        Step("?", sees: "Keyboard shortcuts"), Step("Esc", gone: "Keyboard shortcuts"),
        Step("F1", sees: "Keyboard shortcuts"), Step("Esc", gone: "Keyboard shortcuts"),
        Step("Space", sees: "1 marked"), Step("Esc", gone: "1 marked"),
        Step("v", sees: "range"), Step("Esc", gone: "range"), Step("gg", sees: " 1/7"),
        Step("y", sees: "Copy"), Step("Esc", gone: "Copy"),
        Step("x", sees: "Open selection"), Step("Esc", gone: "Open selection"),
        Step("K", sees: "Columns"), Step("Esc", gone: "Columns"),
        Step("gf", sees: "Folders"), Step("Esc", gone: "Folders"),
        Step("gb", sees: "Writers"), Step("gb", gone: "Writers"), Step("Esc", sees: " 1/7"),
    ]

    private static let editing = [
        Step("i", sees: "read-only; press w to unlock"), Step("w", sees: "[WRITE]"),
        Step("i", sees: "Enter: preview"), Step("Esc", gone: "Enter: preview"),
        Step("F2", sees: "Enter: preview"), Step("Esc", gone: "Enter: preview"),
        Step("e", sees: "y: write"), Step("Esc", sees: "The text is kept"),
        Step("Esc", gone: "The text is kept"),
        Step("a", sees: "Enter: preview"), Step("Esc", gone: "Enter: preview"),
        Step("gd", sees: "can't be duplicated"),
        Step("O", sees: "only in a comparison"),
        Step("r", sees: "Rename"), Step("Esc", gone: "Rename"),
        Step("d", sees: "y: write"), Step("Esc", sees: "nothing was written"),
        Step("Del", sees: "y: write"), Step("Esc", sees: "nothing was written"),
        Step("z", sees: "nothing to undo"), Step("Z", sees: "nothing to redo"),
        Step("W", sees: "nothing to discard: all edits are saved"),
        Step("@", sees: "No changes yet"),
        Step("Esc", gone: "No changes yet"),
        Step("s", sees: "no query is selected"),
        Step("M", sees: "1 row in conflict"), Step("Esc", gone: "1 row in conflict"),
        // This store has no counters.
        Step("+", sees: "+ has no function here"), Step("-", sees: "- has no function here"),
        Step("w", sees: "writing is locked"),
        Step("I", sees: "this row is not in conflict"),
        Step("c", sees: "WINNER"), Step("C", sees: "no other conflict"),
        Step("1", gone: "WINNER"),
    ]

    private static let others = [
        Step("F", sees: "FOLLOW"), Step("F", gone: "FOLLOW"),
        Step("P", sees: "PAUSED"), Step("P", gone: "PAUSED"),
        Step("b", sees: "alert on for"), Step("b", sees: "alert off"),
        Step("^g", sees: "no alerts"),
        Step("R", sees: "reloaded"), Step("gg", gone: "reloaded"),
        Step("F5", sees: "reloaded"),
        Step("%", "no mouse") { !$0.modes.contains(1000) && $0.shows("select text") },
        Step("%", "the mouse") { $0.modes.contains(1000) && $0.shows("selects a row") },
        Step("^l", sees: "? keys", not: "selects rows"),
        Step("gt", sees: "no other store is open"),
        Step("^l", sees: "? keys", not: "no other store is open"),
        Step("gT", sees: "no other store is open"),
        Step("^l", sees: "? keys", not: "no other store is open"),
        Step("gx", sees: "no other store is open"),
    ]

    private static let sizes = [(80, 24), (120, 40), (200, 60)]

    private func open(_ columns: Int, _ rows: Int) throws -> BrowserStage {
        let stage = try BrowserStage()
        // An editor that always changes the text.
        try stage.open(
            environment: ["EDITOR": "sh -c 'echo more >>\"$1\"' sh"], columns: columns, rows: rows)
        return stage
    }

    private func take(_ steps: [Step], on stage: BrowserStage) throws {
        for step in steps {
            let keys = try #require(KeyNotation.keys(in: step.key))
            // The rest of the previous frame may still arrive.
            try stage.sees("frame without \(step.what)") { !step.isSo($0) }
            try stage.terminal.type(keys.map(Self.bytes).joined() + step.more)
            try stage.sees(step.what, isSo: step.isSo)
            let screen = try stage.screen
            #expect(screen.lines.count { !$0.isEmpty } > 2, "blank after \(step.key)")
            #expect(screen.unknown.isEmpty, "after \(step.key)")
        }
    }

    @Test(arguments: sizes)
    func everyKeyDoesWhatTheHelpSays(_ columns: Int, _ rows: Int) throws {
        let stage = try open(columns, rows)
        try take(Self.moving + Self.panes + Self.finding + Self.editing + Self.others, on: stage)
        try stage.quit()
    }

    @Test(arguments: sizes)
    func everyTimeTravelKeyDoesWhatTheHelpSays(_ columns: Int, _ rows: Int) throws {
        let stage = try open(columns, rows)
        // The times of the writes, as shown on the screen: first by the desk, then by the phone,
        // then one by each to the same key, and last by the phone.
        let instants = try stage.instants()
        try #require(instants.count == 5)
        let seconds = instants.map { String($0.prefix(19)) }
        // The fraction is only shown if the step stays within a second.
        func shows(_ index: Int, after last: Int? = nil) -> String {
            let isStill = last.map { seconds[$0] == seconds[index] } ?? false
            return "PAST \(isStill ? instants[index] : seconds[index])"
        }
        try take(
            [
                Step("t", sees: shows(4)), Step("T", sees: "read-only; press w to unlock"),
                Step("Left", sees: shows(3, after: 4)),
                Step("S-Left", sees: shows(2, after: 3)), Step("S-Left", sees: shows(0, after: 2)),
                Step("S-Right", sees: shows(2, after: 0)), Step("Right", sees: shows(3, after: 2)),
                Step("Home", sees: shows(0, after: 3)), Step("End", sees: shows(4, after: 0)),
                Step("A", sees: " A \(seconds[4])"), Step("Home", sees: shows(0, after: 4)),
                // If there is too little space, the second mark shows no date.
                Step("B", "the second mark") { screen in
                    [instants[0].prefix(4), instants[0].dropFirst(11).prefix(5)]
                        .contains { screen.shows(" B \($0)") }
                },
                Step("D", sees: "Differences"),
                Step("Esc", gone: "Differences"),
                Step("B", "one mark") { screen in
                    ![instants[0].prefix(4), instants[0].dropFirst(11).prefix(5)]
                        .contains { screen.shows(" B \($0)") }
                },
                Step("End", sees: shows(4, after: 0)),
                Step("A", gone: " A \(seconds[4])"), Step("t", sees: "LIVE"),
                Step("t", sees: shows(4)),
                Step("G", sees: " 7/7"), Step("gg", sees: " 1/7"), Step("t", sees: "LIVE"),
                // The filter starts with the device that wrote the selected row.
                Step("t", sees: ">desk"), Step("<", sees: ">phone"), Step(">", sees: ">desk"),
                Step("{", sees: " (7d)"), Step("(", sees: " (8d)"), Step(")", sees: " (7d)"),
                Step("J", sees: "step to a write first"),
                Step("}", sees: shows(4)), Step(",", sees: shows(0, after: 4)),
                Step(".", sees: "no further write of this row in that direction"),
                Step("gr", sees: "read-only; press w"), Step("End", sees: shows(4, after: 0)),
                Step("p", sees: "PLAYING"), Step("x", sees: "stopped"),
                Step("t", sees: "LIVE"),
            ], on: stage)
        try stage.quit()
    }

    /// The tests above press every key.
    @Test func allKeysAreTested() {
        var pressed = Self.ending
        let past = [
            "t", "Left", "Right", "S-Left", "S-Right", "Home", "End", "A", "B", "D", "<", ">",
            "{", "}", "(", ")", "p", ",", ".", "T", "gr", "J",
        ]
        for key in (Self.moving + Self.panes + Self.finding + Self.editing + Self.others)
            .map(\.key) + past
        {
            pressed.insert(key)
        }
        // Keys of dialogs are pressed in the tests of the dialogs.
        for binding in Keymap.standard.bindings
        where Action.named(binding.action)?.isGlobal == true {
            let isPressed = pressed.contains { KeyNotation.keys(in: $0) == binding.keys }
            #expect(isPressed, "\(KeyNotation.text(for: binding.keys)) for \(binding.action)")
        }
    }

    /// The bytes that a terminal sends for a key.
    private static func bytes(for key: Key) -> String {
        let escape = "\u{1B}"
        func arrow(_ letter: String) -> String {
            switch key.modifiers {
            case .shift: "\(escape)[1;2\(letter)"
            case .alt: "\(escape)[1;3\(letter)"
            default: "\(escape)[\(letter)"
            }
        }
        switch key.code {
        case .character(let character):
            guard key.modifiers.contains(.control), let ascii = character.asciiValue else {
                return String(character)
            }
            return String(Character(Unicode.Scalar(ascii & 0x1F)))
        case .enter: return "\r"
        case .escape: return escape
        case .tab: return "\t"
        case .backTab: return escape + "[Z"
        case .up: return arrow("A")
        case .down: return arrow("B")
        case .right: return arrow("C")
        case .left: return arrow("D")
        case .home: return arrow("H")
        case .end: return arrow("F")
        case .pageUp: return escape + "[5~"
        case .pageDown: return escape + "[6~"
        case .insert: return escape + "[2~"
        case .delete: return escape + "[3~"
        case .backspace: return "\u{7F}"
        case .function(1): return escape + "OP"
        case .function(2): return escape + "OQ"
        case .function(let number): return escape + "[\(number + 10)~"
        }
    }
}
