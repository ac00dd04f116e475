import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@Suite struct PropertyListJSONTests {
    @Test(arguments: BinaryPlistTests.samples)
    func valuesRoundTrip(_ value: PropertyList) throws {
        #expect(try PropertyList(json: value.json()) == value)
        #expect(try PropertyList(json: value.json(.indented)) == value)
    }

    struct Form: Sendable {
        let value: PropertyList
        let text: String
    }

    static let forms: [Form] = [
        Form(value: 1, text: "1"),
        Form(value: 1.0, text: "1.0"),
        Form(value: .integer(.min), text: "-9223372036854775808"),
        Form(value: .unsigned(.max), text: "18446744073709551615"),
        Form(value: true, text: "true"),
        Form(value: .data(Data([0, 255])), text: #"{"$data":"AP8="}"#),
        Form(value: .real(.nan), text: #"{"$real":"nan"}"#),
        Form(value: .real(-.infinity), text: #"{"$real":"-inf"}"#),
        Form(
            value: .date(Date(timeIntervalSinceReferenceDate: 0)),
            text: #"{"$date":"2001-01-01T00:00:00Z"}"#),
        Form(
            value: .date(Date(timeIntervalSinceReferenceDate: 0.5)),
            text: #"{"$date":"2001-01-01T00:00:00.5Z"}"#),
        Form(
            value: .date(Date(timeIntervalSinceReferenceDate: -0.5)),
            text: #"{"$date":"2000-12-31T23:59:59.5Z"}"#),
        Form(value: ["$data": "AP8="], text: #"{"$dictionary":{"$data":"AP8="}}"#),
        Form(value: ["b": 1, "a": [true, "x"]], text: #"{"a":[true,"x"],"b":1}"#),
        Form(value: "\u{1B}[31m\u{7F}\u{9B}2J\n", text: #""\u001b[31m\u007f\u009b2J\n""#),
    ]

    @Test(arguments: forms) func jsonFormatIsAsDocumented(_ form: Form) throws {
        #expect(try form.value.json() == form.text)
        #expect(try PropertyList(json: form.text) == form.value)
    }

    @Test(arguments: [
        "", " ", "{", "[1,]", "{\"a\":1,}", "01", "1.", "-", "+1", ".5", "1e", "nul", "tru",
        "\"", "\"\\x\"", "\"\\ud800\"", "\"a\nb\"", "[1] 2", "{\"a\":1,\"a\":2}", "{1:2}", "[null]",
        "null", "18446744073709551616", "1e400", "{\"$data\":\"?\"}", "{\"$date\":\"yesterday\"}",
        "{\"$date\":\"2026-02-30T00:00:00Z\"}", "{\"$date\":\"2026-02-03.5\"}",
        "{\"$date\":\"2026-02-03T10:30.5Z\"}", "{\"$real\":\"many\"}",
    ])
    func otherTextIsAnError(_ text: String) {
        #expect(throws: PropertyListError.self) { try PropertyList(json: text) }
    }

    @Test func bytesThatAreNotUTF8AreAnError() {
        #expect(throws: PropertyListError.self) {
            try PropertyList(json: [UInt8(ascii: "\""), 0xFF, UInt8(ascii: "\"")])
        }
    }

    @Test func manyOpenBracketsAreAnError() {
        let text = String(repeating: "[", count: 1_000_000)
        #expect(throws: PropertyListError.self) { try PropertyList(json: text) }
    }

    @Test func nullMeansRemovalInEntries() throws {
        let entries = try PropertyList.entries(json: Data(#"{"a": 1, "b": null}"#.utf8))
        #expect(entries == ["a": PropertyList?.some(1), "b": PropertyList?.none])
    }

    @Test func surrogatePairsAndEscapesAreRead() throws {
        #expect(try PropertyList(json: #""\ud83d\ude00\u00e9\/\b\f""#) == "😀é/\u{8}\u{C}")
    }

    @Test func datesKeepEveryBit() throws {
        var random = SeededRandom(seed: 5)
        for _ in 0..<2_000 {
            let seconds = Double.random(in: -60_000_000_000...200_000_000_000, using: &random)
            let value = PropertyList.date(Date(timeIntervalSinceReferenceDate: seconds))
            #expect(try PropertyList(json: value.json()) == value)
        }
    }

    @Test func damagedTextNeverCrashes() throws {
        var random = SeededRandom(seed: 6)
        let original = Array(
            try PropertyList(dictionaryLiteral: ("a", [1, 2.5, "é😀"]), ("d", .data(Data([1]))))
                .json().utf8)
        for _ in 0..<runCount(20_000) {
            var bytes = original
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            if let value = try? PropertyList(json: bytes) { _ = try value.binary() }
        }
    }

    @Test func datesBefore2001RoundTrip() throws {
        for microseconds: Int64 in [-1, -999_999, -1_000_001, -63_113_904_000_000_000, -123_456] {
            let date = Timestamp(microseconds: microseconds).date
            let text = try PropertyList.date(date).json()
            #expect(
                text
                    == "{\"$date\":\"\(Timestamp(microseconds: microseconds).iso8601)\"}"
                    .replacingOccurrences(of: ".000000Z", with: "Z"))
            #expect(try PropertyList(json: text) == .date(date))
        }
    }
}
