import TestSupport
import Testing
import TidelineCore

@Suite struct ArticleExampleTests {
    @Test func articleExampleRuns() async throws {
        let shared = try SharedPackage()
        let path = shared.path
        // begin
        let session = try StoreOpener(device: nil).open(path)
        for await event in session.events() {
            if case .loaded = event.kind { break }
        }
        for pane in session.panes {
            let window = try await pane.source.window(WindowRequest(count: 3))
            print(pane.id.text, window.total, window.rows.map { $0.cells.map(\.text) })
        }
        await session.close()
        // end
        #expect(try Documentation.missingLines(of: #filePath) == [])
    }
}
