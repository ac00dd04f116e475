import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

/// Entities of the demo store on the screen.
@Suite struct EntityScreenTests {
    @Test func labelsOfANewEntityAreDistinctAndInTheFooter() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "entities")
        await stage.press("w", "a")
        func hasLabel(_ label: String) -> Bool { stage.text.contains("│ \(label) ") }
        #expect(hasLabel("type") && hasLabel("name") && hasLabel("value type"), "\(stage.text)")
        #expect(stage.lines[23].contains("Tab type/name"), "\(stage.lines[23])")
        await session.close()
    }
}
