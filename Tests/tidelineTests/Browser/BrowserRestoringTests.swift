import Foundation
import TestSupport
import Testing

/// What was, written again from the past.
@Suite struct BrowserRestoringTests {
    @Test func aKeyGetsAgainWhatItHadAndThatIsTakenBack() throws {
        let stage = try BrowserStage()
        func value() throws -> String {
            try stage.tideline("kv", "get", stage.store, "delta").output
        }
        let now = try value()
        try stage.open("-w")
        try stage.press("c", sees: " 4/7")
        try stage.press("t", sees: "PAST")
        try stage.press("\u{1B}[H", sees: "\"the base\"")
        try stage.press("r", sees: "y writes it", "+ \"the base\"", "restore delta as of 20")
        try stage.press("n", sees: "nothing was written", "PAST")
        try stage.press("r", sees: "y writes it")
        try stage.press("y", sees: "(z undoes)", "LIVE", "\"the base\"", not: "≠")
        #expect(try value().contains("the base"))
        try stage.press("z", sees: "Take back?")
        try stage.press("y", sees: "taken back", "≠")
        #expect(try value() == now)
        try stage.quit()
    }

    @Test func whatWasChosenIsConfirmedByItsNumber() throws {
        let stage = try BrowserStage()
        try stage.open("-w")
        try stage.press("t", sees: "PAST")
        try stage.press("\u{1B}[H", sees: "\"the base\"", "desk set alpha")
        // Only one of all keys of then is another now.
        try stage.press("vG", sees: "range")
        try stage.press("r", sees: "y writes it", "+ \"the base\"")
        try stage.press("y", sees: "(z undoes)", "LIVE")
        try stage.quit()
    }
}
