import LosslessJSON
import TestSupport
import Testing

@Suite struct ArticleExampleTests {
    @Test func articleExampleRuns() throws {
        // begin
        let text = #"{"id": 9007199254740993, "price": 1.0}"#
        let json = try JSONParser.parse(Array(text.utf8))
        print(json["id"] == .number("9007199254740993"))  // true: no digit is lost
        print(JSON.isReal("1.0"), JSON.isReal("1"))  // true false
        // end
        #expect(json["id"] == .number("9007199254740993"))
        #expect(JSON.isReal("1.0") && !JSON.isReal("1"))
        #expect(try Documentation.missingLines(of: #filePath) == [])
    }
}
