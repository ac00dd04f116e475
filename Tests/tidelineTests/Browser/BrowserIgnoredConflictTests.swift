import TestSupport
import Testing

/// Ignored conflicts on the screen.
@Suite struct BrowserIgnoredConflictTests {
    @Test func ignoredConflictIsRememberedOutsideTheStore() throws {
        let stage = try BrowserStage()
        let before = try FolderState(of: stage.store)
        try stage.open()
        try stage.press("c", sees: " 1/1", "≠1")
        try stage.press("I", sees: ", with note:")
        try stage.press("as it should be\r", sees: "1 ignored", "≈ delta", not: "≠")
        try stage.press("1", sees: " 1/7")
        try stage.quit()
        try stage.open()
        try stage.sees("1 ignored", "≈ delta")
        try stage.press("c", sees: "the only conflict is ignored")
        try stage.press("jjj\r", sees: "≈ ignored: as it should be", "common base")
        try stage.press("I", sees: "no longer ignored: delta", "≠1", not: "1 ignored")
        try stage.press("q", not: "common base")
        try stage.quit()
        #expect(try FolderState(of: stage.store) == before)
    }
}
