import Foundation
import TestSupport
import Testing

/// The browser on a pseudo-terminal, as the user sees it.
@Suite struct BrowserTests {
    private let stage: BrowserStage

    init() throws { stage = try BrowserStage() }

    @Test func keysAndValuesAreShown() throws {
        try stage.open()
        try stage.sees("the keys, their values and their devices") { screen in
            screen.lines[0].hasPrefix("Notes.store [RO] LIVE 2dev ≠1")
                && screen.showsLine("  alpha ", "\"first of all\"", "desk")
                && screen.showsLine("≠ delta ", "phone")
        }
        // The peek below the list shows the selected row.
        try stage.sees("the peek") { $0.lines[21].hasPrefix("─ alpha ─") }
        try stage.quit()
    }

    @Test func searchMovesBetweenMatches() throws {
        try stage.open()
        try stage.press("/nn\r", sees: " 2/7")
        try stage.press("n", sees: " 5/7")
        try stage.press("n", sees: "search wrapped to the start")
        try stage.press("/nowhere\r", sees: "no row contains “nowhere”")
        try stage.quit()
    }

    @Test func filterKeepsMatchingRows() throws {
        try stage.open()
        try stage.press(
            "fdevice:phone -delta", sees: "\"a dance\"", "\"a game\"", not: "\"echoes\"")
        // An invalid expression shows an error, and the previous results stay.
        try stage.press(
            " key~/[/", sees: "invalid regular expression", "\"a dance\"", not: "\"echoes\"")
        try stage.press("\u{1B}", sees: " 1/7", "\"echoes\"")
        try stage.quit()
    }

    @Test func timesUseTheLocalTimeZone() throws {
        /// The time of the newest row of the log, as `16:54:01.5`.
        func time(in zone: String) throws -> [Substring] {
            try stage.start("--pane", "log", environment: ["TZ": zone], columns: 120)
            var time: [Substring] = []
            try stage.sees("a time in \(zone)") { screen in
                time = screen.lines[2].split(separator: " ").first?.split(separator: ":") ?? []
                return time.count == 3
            }
            try stage.quit()
            return time
        }
        let utc = try time(in: "UTC")
        // In this notation, the offset is positive west of UTC.
        let east = try time(in: "<+05>-5")
        let hour = try #require(Int(utc[0]))
        #expect(try #require(Int(east[0])) == (hour + 5) % 24)
        #expect(east.dropFirst() == utc.dropFirst())
    }

    /// In the time zone of this program, clocks go forward at 2:00 on 28 March 2021 and back at
    /// 3:00 on 31 October.
    @Test(arguments: [
        ("2021-01-01T10:00:00Z", "2021-01-01 11:00:00"),
        ("2021-07-01T10:00:00Z", "2021-07-01 12:00:00"),
        ("2021-07-01 09:00:00", "2021-07-01 09:00:00"),
        ("2021-03-28 02:30:00", "2021-03-28 03:30:00"),
        ("2021-10-31 02:30:00", "2021-10-31 02:30:00"),
        ("2021-10-31T00:30:00Z", "2021-10-31 02:30:00"),
        ("2021-10-31T01:30:00Z", "2021-10-31 02:30:00"),
        ("2021-10-31 03:30:00", "2021-10-31 03:30:00"),
    ])
    func timesUseTheDaylightSavingOfTheirDate(_ typed: String, _ shown: String) throws {
        try stage.open(environment: ["TZ": "CET-1CEST,M3.5.0,M10.5.0/3"])
        try stage.press(":at \(typed)\r", sees: "PAST \(shown)")
        try stage.quit()
    }

    @Test func inspectorDescribesTheRow() throws {
        try stage.open()
        try stage.press(
            "jjj\r", sees: "read-only; press w to unlock", "as the desk has it",
            "as the phone has it")
        try stage.sees("common base", "the base")
        try stage.press("\u{1B}", sees: "f filter", not: "common base")
        try stage.press("0", sees: "0 Inspector: delta", "History")
        try stage.quit()
    }

    @Test func rowOfAnotherProcessAppearsWithoutMovingTheSelection() throws {
        try stage.open()
        try stage.press("jjjj", sees: " 5/7")
        try stage.tideline("kv", "set", stage.store, "aardvark", "from afar", device: "tablet")
        try stage.sees("the new row") { $0.showsLine("+ aardvark ", "tablet") }
        // The new row is above the selection; the selected row stays the same.
        try stage.sees(" 6/8", "─ echo/nn ─", "3dev")
        // A changed row that was already visible keeps its place.
        try stage.tideline("kv", "set", stage.store, "golf", "cancelled", device: "tablet")
        try stage.sees("the changed row") { $0.showsLine("~ golf ", "\"cancelled\"") }
        try stage.sees(" 6/8")
        try stage.quit()
    }

    @Test func panesAppearWhenTheyHaveContent() throws {
        try stage.open()
        try stage.sees("3Conflicts│7Devices 8Blobs 9P│E", not: "4E")
        try stage.tideline(
            "entities", "add", stage.store, "--type", "person", "name=Ada", device: "tablet")
        try stage.sees("3Conflicts 4E", "5T", "8B 9P│E")
        try stage.tideline(
            "entities", "add", stage.store, "--type", "person", "--id", "ben", "name=Ben",
            device: "tablet")
        let relation = ["entities", "relate", stage.store, "ben", "knows", "ada"]
        try stage.press(":pane ent\r", sees: "IDENTIFIER", "Ada", "Ben")
        try stage.tideline(
            "entities", "add", stage.store, "--type", "person", "--id", "ada", "name=Ada L.",
            device: "tablet")
        _ = try ProgramResult.running(
            "tideline", relation, environment: BrowserStage.environment(stage.folder, "tablet"))
        // A sign marks a link.
        try stage.press("/Ben\r0", sees: "0 Inspector: Ben", "knows", "→ Ada L.", not: "L. →")
        // The dialog names the row as the list does.
        try stage.press("w", sees: "[WRITE]")
        try stage.press("a", sees: "Add to Ben")
        try stage.press("\u{1B}", sees: "0 Inspector: Ben", not: "Add to Ben")
        try stage.quit()
    }

    @Test func helpListsKeysAndFindsThem() throws {
        try stage.open()
        try stage.press("?", sees: "Keyboard shortcuts", "Row actions")
        try stage.press("/undo", sees: "Undo last change", not: "Row actions")
        try stage.press("\r", sees: "/ find")
        try stage.press("\u{1B}", sees: "f filter", not: "/ find")
        try stage.press("?G", sees: "Filter fields in this list", "/ find")
        try stage.press("/with an alert\r", sees: "Marks in the margin", "/ find")
        try stage.press("\u{1B}", sees: "f filter", not: "/ find")
        try stage.quit()
    }

    @Test(arguments: [
        ("log", "TIME "), ("conflicts", "WINNER"), ("devices", "BEHIND"),
        ("events", "Tab next panel"),
    ])
    func paneIsChosenOnTheCommandLine(_ name: String, _ text: String) throws {
        try stage.start("--pane", name)
        try stage.sees(text)
        try stage.quit()
    }

    @Test func timeTravelShowsPastConflictsAndPanesWithoutHistory() throws {
        try stage.open()
        try stage.sees("≠1")
        try stage.press("t", sees: "PAST 20", not: "≠1")
        try stage.press("3", sees: "≠ delta")
        try stage.press("8", sees: "Blobs as of now")
        try stage.press("t", sees: "LIVE", "≠1")
        try stage.quit()
    }

    @Test func themesAreChosenByName() throws {
        try stage.open("--theme", "tide-dark")
        try stage.press(":theme tide-light\r", sees: "theme tide-light")
        try stage.press(":theme no-such\r", sees: "! ", "no-such")
        try stage.quit()
    }

    @Test func plainLinesNeedNoScreen() throws {
        try stage.start("--linear")
        let terminal = try stage.terminal
        #expect(try terminal.end() == 0)
        #expect(terminal.screen.lines[0].hasPrefix("1. key alpha, value \"first of all\""))
        #expect(!terminal.output.contains(0x1B))
    }
}
