import Testing

@testable import ServerCatalog

@Suite struct LenientJSONTests {
    struct Good: Sendable {
        let text: String
        let value: LenientJSON
    }

    @Test(arguments: [
        Good(
            text: " {\"a\" : [1, -2.5e1, true, null,], } ",
            value: .object([
                .init(key: "a", value: .array([.integer(1), .real(-25), .boolean(true), .null]))
            ])),
        Good(text: #""\u00fc\n\/\"\\\ud83d\ude00""#, value: .string("ü\n/\"\\😀")),
        Good(text: #""\ud83d""#, value: .string("\u{FFFD}")),
        Good(text: #""\ud83d\u0041""#, value: .string("\u{FFFD}A")),
        Good(text: "9223372036854775807", value: .integer(.max)),
        Good(text: "9223372036854775808", value: .real(9_223_372_036_854_775_808)),
        Good(text: "[]", value: .array([])),
        Good(text: "{}", value: .object([])),
    ])
    func valueIsRead(_ example: Good) throws {
        #expect(try LenientJSON(parsing: Array(example.text.utf8)) == example.value)
    }

    @Test(arguments: [
        "", "{", "[", "[1", "[1 2]", "[,]", "[1,,]", "{\"a\"}", "{\"a\":}", "{a:1}", "tru", "1 2",
        "\"abc", #""\x""#, #""\u12""#, #""\u12g4""#, "-", "1e999", "nan", "0x10", "+", "'a'",
        String(repeating: "[", count: 100_000), "\"\\", "{\"a\":1,,}",
    ])
    func badTextIsRefused(_ text: String) {
        #expect(throws: LenientJSON.Failure.self) { try LenientJSON(parsing: Array(text.utf8)) }
    }

    @Test func lastOfEqualKeysCounts() throws {
        #expect(try LenientJSON(parsing: Array(#"{"a":1,"a":2}"#.utf8))["a"] == .integer(2))
    }

    @Test func bytesThatAreNoTextAreReplaced() throws {
        #expect(try LenientJSON(parsing: [0x22, 0xFF, 0x22]) == .string("\u{FFFD}"))
    }
}
