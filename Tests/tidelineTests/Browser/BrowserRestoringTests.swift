import Foundation
import TestSupport
import Testing

/// Restoring earlier values from time travel.
@Suite struct BrowserRestoringTests {
    @Test func keyIsRestoredAndTheRestoreIsUndone() throws {
        let stage = try BrowserStage()
        func value() throws -> String {
            try stage.tideline("kv", "get", stage.store, "delta").output
        }
        let now = try value()
        try stage.open("-w")
        try stage.press("/delta\r", sees: " 4/7")
        try stage.press("t", sees: "PAST")
        try stage.press("\u{1B}[H", sees: "\"the base\"")
        try stage.press("T", sees: "y: write", "+ \"the base\"", "restore delta as of 20")
        try stage.press("n", sees: "nothing was written", "PAST")
        try stage.press("T", sees: "y: write")
        try stage.press("y", sees: "(z: undo); t: return to now", "PAST")
        #expect(try value().contains("the base"))
        try stage.press("t", sees: "LIVE", "\"the base\"", not: "≠")
        try stage.press("z", sees: "Undo this change?")
        try stage.press("y", sees: "undone", "≠")
        #expect(try value() == now)
        try stage.quit()
    }

    @Test func keysWithAPrefixAreRestoredAndTheRestoreIsUndone() throws {
        let stage = try BrowserStage()
        func value() throws -> String {
            try stage.tideline("kv", "get", stage.store, "delta").output
        }
        let now = try value()
        try stage.open()
        try stage.press("t", sees: "PAST")
        try stage.press("\u{1B}[H", sees: "\"the base\"")
        try stage.press("gr", sees: "read-only; press w to")
        try stage.press("w", sees: "WRITE")
        try stage.press("gr", sees: ":restore-prefix alpha")
        try stage.press("\r", sees: "no key that starts with alpha")
        try stage.press("gr", sees: ":restore-prefix alpha")
        try stage.press("\u{15}restore-prefix del\r", sees: "y: write", "restore delta as of 20")
        try stage.press("y", sees: "(z: undo); t: return to now", "PAST")
        #expect(try value().contains("the base"))
        try stage.press("t", sees: "LIVE", not: "≠")
        try stage.press("z", sees: "Undo this change?")
        try stage.press("y", sees: "undone", "≠")
        #expect(try value() == now)
        try stage.quit()
    }

    @Test func stepsGoFromWriteToWriteOfOneKey() throws {
        let stage = try BrowserStage()
        try stage.open()
        try stage.press("/delta\r", sees: " 4/7")
        try stage.press("t", sees: "PAST")
        try stage.press(",", sees: "phone set delta: ")
        try stage.press(",", sees: "desk set delta: ")
        try stage.press(",", sees: "desk set delta: \"the base\"")
        try stage.press(",", sees: "no further write of this row in that direction")
        try stage.press(".", sees: "desk set delta: \"the base\" → ")
        try stage.quit()
    }

    @Test func chosenRowsAreConfirmedByTypingTheCount() throws {
        let stage = try BrowserStage()
        try stage.open("-w")
        try stage.press("t", sees: "PAST")
        try stage.press("\u{1B}[H", sees: "\"the base\"", "desk set alpha")
        // Only one of the earlier values differs from the current one.
        try stage.press("vG", sees: "range")
        try stage.press("T", sees: "y: write", "+ \"the base\"")
        try stage.press("y", sees: "(z: undo); t: return to now", "PAST")
        try stage.quit()
    }
}
