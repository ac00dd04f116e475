import TestSupport
import Testing

/// Conflicts that a person marks benign, on the screen.
@Suite struct BrowserBenignTests {
    @Test func aMarkIsThePersonsOwnAndThereTheNextTime() throws {
        let stage = try BrowserStage()
        let before = try FolderState(of: stage.store)
        try stage.open()
        try stage.press("c", sees: " 4/7", "≠1")
        try stage.press("B", sees: "benign, because:")
        try stage.press("as it should be\r", sees: "1 benign", "≈ delta", not: "≠")
        try stage.quit()
        try stage.open()
        try stage.sees("1 benign", "≈ delta")
        try stage.press("c", sees: "the 1 left are marked benign")
        try stage.press("jjj\r", sees: "≈ benign: as it should be", "common base")
        try stage.press("B", sees: "no longer marked benign: delta", "≠1", not: "1 benign")
        try stage.press("q", not: "common base")
        try stage.quit()
        #expect(try FolderState(of: stage.store) == before)
    }
}
