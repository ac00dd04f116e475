import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@Suite struct PropertyListCodableTests {
    /// A random value, with everything that encoders tend to lose.
    private static func value(
        _ random: inout SeededRandom, depth: Int = 0
    ) -> PropertyList {
        let names: [Name] = ["$date", "$dictionary", "$real", "a", "e\u{301}", "\u{e9}", "", "b"]
        switch Int.random(in: 0..<(depth < 4 ? 10 : 7), using: &random) {
        case 0:
            return .string(
                ["", "x", "e\u{301}", "\u{1b}\u{0}", "$data"].randomElement(using: &random) ?? "")
        case 1: return .integer([0, 1, .min, .max, 1 << 53 + 1].randomElement(using: &random) ?? 0)
        case 2:
            return .unsigned([.max, UInt64(Int64.max) + 1].randomElement(using: &random) ?? .max)
        case 3: return .boolean(.random(using: &random))
        case 4:
            let reals: [Double] = [
                0, -0.0, 1, -3, 0.1, 1e19, 1.5e300, .leastNonzeroMagnitude, .infinity, -.infinity,
                .nan,
                -Double.nan, Double(bitPattern: 0x7FF8_0000_0000_0123), 9_007_199_254_740_992,
            ]
            return .real(reals.randomElement(using: &random) ?? 0)
        case 5:
            let seconds: [Double] = [0, 0.5, 817_000_000.123456, -1e11, 1e300, -0.0, 12]
            return .date(
                Date(timeIntervalSinceReferenceDate: seconds.randomElement(using: &random) ?? 0))
        case 6: return .data(Data([0, 255].prefix(Int.random(in: 0...2, using: &random))))
        case 7:
            return .array(
                (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    value(&random, depth: depth + 1)
                })
        default:
            var members: [Name: PropertyList] = [:]
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                members[names.randomElement(using: &random) ?? ""] = value(
                    &random, depth: depth + 1)
            }
            return .dictionary(members)
        }
    }

    @Test func valuesRoundTripThroughJSONEncoder() throws {
        var random = SeededRandom(seed: 41)
        for _ in 0..<2_000 {
            let value = Self.value(&random)
            let json = try JSONEncoder().encode(value)
            #expect(try JSONDecoder().decode(PropertyList.self, from: json) == value)
            #expect(try PropertyList(json: json) == value)
        }
    }

    /// One at a time, because that encoder treats 0.0 and -0.0 in one file as equal.
    @Test(arguments: BinaryPlistTests.samples)
    func valueRoundTripsThroughPropertyListEncoder(_ value: PropertyList) throws {
        guard !["array", "dictionary"].contains(value.kind) else { return }
        let bytes = try PropertyListEncoder().encode([value])
        #expect(try PropertyListDecoder().decode([PropertyList].self, from: bytes) == [value])
    }

    @Test func datesAndDataOfOtherPropertyListsAreRead() throws {
        let date = Date(timeIntervalSinceReferenceDate: 5.5)
        let bytes = try PropertyListSerialization.data(
            fromPropertyList: ["date": date, "data": Data([1]), "n": 2, "t": true],
            format: .binary, options: 0)
        #expect(
            try PropertyListDecoder().decode(PropertyList.self, from: bytes)
                == ["date": .date(date), "data": .data(Data([1])), "n": 2, "t": true])
    }

    @Test func propertyListInsideASwiftValueIsUnchanged() throws {
        struct Note: Codable, Equatable {
            var title: String
            var more: PropertyList
        }
        let note = Note(title: "x", more: ["n": 1.0, "d": .data(Data([1])), "s": "$real"])
        let encoded = try #require(try PropertyList(encoding: note))
        #expect(encoded == ["title": "x", "more": note.more])
        #expect(try encoded.value(as: Note.self) == note)
        let json = try JSONEncoder().encode(note)
        #expect(try JSONDecoder().decode(Note.self, from: json) == note)
    }

    @Test func codableFormatMatchesTheJSON() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        func text(_ value: PropertyList) throws -> String {
            String(decoding: try encoder.encode(value), as: UTF8.self)
        }
        for form in PropertyListJSONTests.forms where form.value != 1.0 {
            guard form.text.allSatisfy({ $0 != "\\" }) else { continue }
            #expect(try text(form.value) == form.text)
        }
        #expect(try text(1.0) == #"{"$real":1}"#)
        #expect(
            try text(.dictionary(["e\u{301}": 1, "\u{e9}": 2]))
                == "{\"$dictionary\":[\"e\u{301}\",1,\"\u{e9}\",2]}")
    }

    @Test(arguments: [
        "null", "[null]", #"{"a":null}"#, #"{"$data":"?"}"#, #"{"$data":1}"#,
        #"{"$date":"yesterday"}"#, #"{"$real":"many"}"#, #"{"$real":true}"#,
        #"{"$dictionary":["a"]}"#, #"{"$dictionary":["a",1,"a",2]}"#, #"{"$dictionary":[1,1]}"#,
        #"{"$dictionary":1}"#,
    ])
    func invalidValuesAreRefused(_ text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(PropertyList.self, from: Data(text.utf8))
        }
        #expect(throws: PropertyListError.self) { try PropertyList(json: text) }
    }

    @Test func tooDeepValuesAreNeitherEncodedNorDecoded() throws {
        var value: PropertyList = []
        for _ in 1..<PropertyList.depthLimit { value = [value] }
        let json = try JSONEncoder().encode(value)
        #expect(try JSONDecoder().decode(PropertyList.self, from: json) == value)
        #expect(throws: EncodingError.self) {
            try JSONEncoder().encode(PropertyList.array([value]))
        }
        let deeper = Data("[".utf8) + json + Data("]".utf8)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(PropertyList.self, from: deeper)
        }
    }
}
