import Automerge
import AutomergeUtilities
import TestSupport
import Testing

@Suite struct UtilitiesExampleTests {
    @Test func articleExampleRuns() throws {
        // begin
        let document = Document()
        let list = try document.putObject(obj: .ROOT, key: "list", ty: .List)
        try document.insert(obj: list, index: 0, value: "bread")
        try document.walk()
        // end
        #expect(try document.values(obj: list) == [.Scalar("bread")])
        #expect(try Documentation.missingLines(of: #filePath) == [])
    }
}
