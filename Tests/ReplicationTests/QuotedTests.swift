import Testing

@testable import Replication

@Suite struct QuotedTests {
    @Test(arguments: [
        ("note", "\"note\""),
        ("Ben's phone", "\"Ben's phone\""),
        ("say \"no\"", #""say \"no\"""#),
        ("a\\'b", #""a\\'b""#),
        ("''", "\"''\""),
        ("line\nend", #""line\nend""#),
        ("bell\u{7}", #""bell\u{07}""#),
        ("", "\"\""),
    ])
    func quotingKeepsApostrophes(_ text: String, _ quoted: String) {
        #expect(text.quoted == quoted)
    }
}
