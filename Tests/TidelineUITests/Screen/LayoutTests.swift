import Testing

@testable import TidelineUI

@Suite struct LayoutTests {
    @Test(arguments: [(80, 24), (120, 40), (200, 60)])
    func showAll(_ size: (Int, Int)) async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), columns: size.0, rows: size.1)
        print(stage.text)
    }
}
