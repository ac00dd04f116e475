import Foundation
import TestSupport
import Testing

/// Resolving several conflicts at once on the screen.
@Suite struct BrowserManyConflictsTests {
    private let stage: BrowserStage

    /// Adds two conflicts to the existing one of `delta`.
    init() throws {
        stage = try BrowserStage()
        let other = stage.folder.appending("Other.store")
        try FileManager.default.copyItem(atPath: stage.store, toPath: other)
        for (store, device) in [(stage.store, "desk"), (other, "phone")] {
            for key in ["alpha", "golf"] {
                try stage.tideline(
                    "kv", "set", store, key, "\(key) by \(device)", device: device)
            }
        }
        try FileManager.default.removeItem(atPath: "\(stage.store)/Devices/phone")
        try FileManager.default.copyItem(
            atPath: "\(other)/Devices/phone", toPath: "\(stage.store)/Devices/phone")
    }

    private func conflicts() throws -> [String] {
        try stage.tideline("conflicts", stage.store, "--json").output
            .split(separator: "\n").map(String.init)
    }

    private func value(_ key: String) throws -> String {
        try stage.tideline("kv", "get", stage.store, key).output
    }

    @Test func allConflictsAreResolvedByOneDeviceAndUndoneTogether() throws {
        let before = try conflicts()
        #expect(before.count == 3)
        try stage.open("-w")
        try stage.press("M", sees: "3 rows in conflict", "3 of 3  keep the newest value", "phone")
        try stage.press(
            "jj", sees: "alpha, delta, golf", "3 3 of 3  keep desk's value",
            "4 3 of 3  keep phone's value")
        try stage.press("3", sees: "Type 3 and Enter to write", "as the desk has it")
        try stage.press("y", sees: "more than one row changes")
        try stage.press("3\r", sees: "(z: undo)", not: "≠")
        #expect(try conflicts().isEmpty)
        for key in ["alpha", "golf"] { #expect(try value(key).contains("\(key) by desk")) }
        #expect(try value("delta").contains("as the desk has it"))
        try stage.press("z", sees: "Undo this change?", "will be in conflict again")
        try stage.press("y", sees: "undone", "≠3")
        #expect(try conflicts() == before)
        try stage.quit()
    }

    @Test func filteredConflictsAreResolvedWithTheNewestSide() throws {
        try stage.open("-w")
        try stage.press("fa\r", not: "golf")
        try stage.press("M", sees: "2 rows in conflict")
        try stage.press("1", sees: "Type 2 and Enter to write")
        try stage.press("2\r", sees: "(z: undo)")
        #expect(try conflicts().count == 1)
        try stage.quit()
    }
}
