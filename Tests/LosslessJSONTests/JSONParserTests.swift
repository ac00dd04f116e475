import LosslessJSON
import Testing

@Suite struct JSONParserTests {
    struct Good: Sendable {
        let text: String
        let value: JSON
    }

    private static let lenient: JSONParser.Leniency = [.trailingCommas, .brokenText]

    @Test(arguments: [
        Good(
            text: " {\"a\" : [1, -2.5e1, true, null] } ",
            value: .object([
                .init(
                    name: "a",
                    value: .array([.number("1"), .number("-2.5e1"), .boolean(true), .null]))
            ])),
        Good(text: #""\u00fc\n\/\"\\\ud83d\ude00""#, value: .string("ü\n/\"\\😀")),
        Good(text: "\u{FEFF}123456789012345678901", value: .number("123456789012345678901")),
        Good(text: "-0", value: .number("-0")),
        Good(text: "[]", value: .array([])),
        Good(text: "{}", value: .object([])),
    ])
    func valuesKeepTheirSpelling(_ example: Good) throws {
        let bytes = Array(example.text.utf8)
        #expect(try JSONParser.parse(bytes) == example.value)
        #expect(try JSONParser.parse(bytes, allowing: Self.lenient) == example.value)
    }

    static let bad = [
        "", "{", "[", "[1", "[1 2]", "[,]", "[1,,]", "{\"a\"}", "{\"a\":}", "{a:1}", "tru", "1 2",
        "\"abc", #""\x""#, #""\u12""#, #""\u12g4""#, "-", "01", "1.", ".5", "1e", "nan", "0x10",
        "+",
        "'a'", String(repeating: "[", count: 100_000), "\"\\", "{\"a\":1,,}",
    ]

    @Test(arguments: bad) func invalidTextIsRejected(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(throws: JSONSyntaxError.self) { try JSONParser.parse(bytes) }
        #expect(throws: JSONSyntaxError.self) {
            try JSONParser.parse(bytes, allowing: Self.lenient)
        }
    }

    @Test(arguments: ["[1,]", "{\"a\":1 , }"]) func trailingCommasAreALeniency(
        _ text: String
    ) throws {
        let bytes = Array(text.utf8)
        #expect(throws: JSONSyntaxError.self) { try JSONParser.parse(bytes) }
        _ = try JSONParser.parse(bytes, allowing: .trailingCommas)
    }

    @Test(arguments: [
        (Array(#""\ud83d""#.utf8), "\u{FFFD}"), (Array(#""\ud83d\u0041""#.utf8), "\u{FFFD}A"),
        ([0x22, 0xFF, 0x22], "\u{FFFD}"), ([0x22, 0x01, 0x22], "\u{1}"),
    ])
    func brokenTextIsALeniency(_ bytes: [UInt8], _ text: String) throws {
        #expect(throws: JSONSyntaxError.self) { try JSONParser.parse(bytes) }
        #expect(try JSONParser.parse(bytes, allowing: .brokenText) == .string(text))
    }

    @Test func errorHasItsLocation() throws {
        let error = #expect(throws: JSONSyntaxError.self) {
            try JSONParser.parse(Array("{\"é\": 1,\n \"ü\": x}".utf8))
        }
        #expect(error?.line == 2)
        #expect(error?.column == 7)
        #expect(error?.offset == 17)
        #expect(error?.isTooDeep == false)
    }

    @Test func depthIsLimited() throws {
        let text = Array("[[[1]]]".utf8)
        _ = try JSONParser.parse(text, depthLimit: 3)
        let error = #expect(throws: JSONSyntaxError.self) {
            try JSONParser.parse(text, depthLimit: 2)
        }
        #expect(error?.isTooDeep == true)
    }

    @Test(.timeLimit(.minutes(30))) func escapesAreParsedInLinearTime() throws {
        let count = 500_000
        let text = "\"" + String(repeating: "tide\\n", count: count) + "\""
        let value = try JSONParser.parse(Array(text.utf8))
        #expect(value == .string(String(repeating: "tide\n", count: count)))
    }

    @Test func lastOfRepeatedMembersWins() throws {
        #expect(try JSONParser.parse(Array(#"{"a":1,"a":2}"#.utf8))["a"] == .number("2"))
    }
}
