import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@Suite struct BinaryPlistTests {
    static let samples: [PropertyList] = [
        "", "plain", "naïve café — 日本語 👩‍👩‍👧", .string(String(repeating: "x", count: 300)),
        .string(String(repeating: "é", count: 40_000)),
        0, 1, -1, 127, 128, 255, 256, 65_535, 65_536, 4_294_967_295, 4_294_967_296,
        .integer(.max), .integer(.min), .unsigned(.max), .unsigned(UInt64(Int64.max) + 1),
        0.0, -0.0, 1.0, 0.1, .real(.infinity), .real(-.infinity), .real(.nan),
        .real(.leastNonzeroMagnitude), true, false,
        .date(Date(timeIntervalSinceReferenceDate: 0)),
        .date(Date(timeIntervalSinceReferenceDate: -63_114_076_800.25)),
        .date(Date(timeIntervalSinceReferenceDate: 817_000_000.123456)),
        .data(Data()), .data(Data([0, 255, 1])), .data(Data(repeating: 9, count: 70_000)),
        [], [:], [1, 1.0, true, "1"], ["a": ["b": ["c": [1, 2, ["d": false]]]]],
        .array((0..<1_000).map { .integer($0) }),
        .dictionary(
            Dictionary(uniqueKeysWithValues: (0..<500).map { (Name("key \($0)"), .string("v")) })),
    ]

    @Test(arguments: samples) func valuesRoundTrip(_ value: PropertyList) throws {
        #expect(try PropertyList(binary: value.binary()) == value)
    }

    @Test func kindsStayDistinct() throws {
        let kinds: [PropertyList] = [1, 1.0, true, "1"]
        for (index, value) in kinds.enumerated() {
            let back = try PropertyList(binary: value.binary())
            for (other, different) in kinds.enumerated() {
                #expect((back == different) == (index == other))
            }
        }
    }

    @Test func equalValuesHaveEqualBytes() throws {
        var forward: [Name: PropertyList] = [:]
        var backward: [Name: PropertyList] = [:]
        for number in 0..<200 { forward["k\(number)"] = .integer(Int64(number)) }
        for number in (0..<200).reversed() { backward["k\(number)"] = .integer(Int64(number)) }
        #expect(
            try PropertyList.dictionary(forward).binary()
                == PropertyList.dictionary(backward).binary())
    }

    @Test func encodingsOfOneCharacterStayDistinct() throws {
        let composed = "caf\u{E9}"
        let decomposed = "cafe\u{301}"
        let list: PropertyList = [.string(composed), .string(decomposed)]
        guard case .array(let back) = try PropertyList(binary: list.binary()),
            case .string(let first) = back[0], case .string(let second) = back[1]
        else {
            Issue.record("not an array of strings")
            return
        }
        #expect(Array(first.utf8) == Array(composed.utf8))
        #expect(Array(second.utf8) == Array(decomposed.utf8))
    }

    @Test func foundationReadsTheOutput() throws {
        let value: PropertyList = [
            "text": "naïve", "list": [1, -5, 70_000], "flag": true, "real": 2.5,
            "data": .data(Data([1, 2, 3])),
            "date": .date(Date(timeIntervalSinceReferenceDate: 12.5)),
        ]
        let read = try PropertyListSerialization.propertyList(from: value.binary(), format: nil)
        let dictionary = try #require(read as? [String: Any])
        #expect(dictionary["text"] as? String == "naïve")
        #expect(dictionary["list"] as? [Int] == [1, -5, 70_000])
        #expect(dictionary["flag"] as? Bool == true)
        #expect(dictionary["real"] as? Double == 2.5)
        #expect(dictionary["data"] as? Data == Data([1, 2, 3]))
        #expect(dictionary["date"] as? Date == Date(timeIntervalSinceReferenceDate: 12.5))
    }

    @Test func readsWhatFoundationWrites() throws {
        let written = try PropertyListSerialization.data(
            fromPropertyList: [
                "text": "naïve", "list": [1, -5, 70_000], "long": String(repeating: "z", count: 99),
                "data": Data([1, 2, 3]), "real": 2.5,
                "date": Date(timeIntervalSinceReferenceDate: 12.5),
            ] as [String: Any], format: .binary, options: 0)
        #expect(
            try PropertyList(binary: written) == [
                "text": "naïve", "list": [1, -5, 70_000],
                "long": .string(String(repeating: "z", count: 99)),
                "data": .data(Data([1, 2, 3])), "real": 2.5,
                "date": .date(Date(timeIntervalSinceReferenceDate: 12.5)),
            ])
    }

    @Test func everyCutIsAnError() throws {
        let bytes = try PropertyList(
            dictionaryLiteral: ("a", [1, 2, "three"]), ("b", .data(Data([1])))
        ).binary()
        for length in 0..<bytes.count {
            #expect(throws: PropertyListError.self) {
                try PropertyList(binary: bytes.prefix(length))
            }
        }
    }

    @Test func damagedBytesNeverCrash() throws {
        var random = SeededRandom(seed: 11)
        let originals = try Self.samples.filter { "\($0)".count < 3_000 }.map {
            try Array($0.binary())
        }
        for _ in 0..<runCount(20_000) {
            var bytes = originals[Int.random(in: 0..<originals.count, using: &random)]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            if let value = try? PropertyList(binary: bytes) {
                // Accepted values can be written again.
                _ = try value.binary()
                _ = try value.json()
            }
        }
    }

    /// A list of `count` objects, each an array of the next one twice.
    static func doubling(_ count: Int, last: [UInt8]) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for index in 0..<count {
            offsets.append(UInt8(bytes.count))
            bytes += [0xA2, UInt8(index + 1), UInt8(index + 1)]
        }
        offsets.append(UInt8(bytes.count))
        bytes += last
        let table = UInt8(bytes.count)
        bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
        bytes += [0, 0, 0, 0, 0, 0, 0, UInt8(count + 1)]
        bytes += [0, 0, 0, 0, 0, 0, 0, 0]
        bytes += [0, 0, 0, 0, 0, 0, 0, table]
        return bytes
    }

    @Test func expansionBombsAreRefused() throws {
        #expect(
            try PropertyList(binary: Self.doubling(3, last: [0x09])) == [
                [[true, true], [true, true]], [[true, true], [true, true]],
            ])
        #expect(throws: PropertyListError.self) {
            try PropertyList(binary: Self.doubling(50, last: [0x09]))
        }
    }

    @Test func containersInsideThemselvesAreRefused() throws {
        // The last of three arrays refers back to the first.
        #expect(throws: PropertyListError.self) {
            try PropertyList(binary: Self.doubling(2, last: [0xA1, 0x00]))
        }
    }

    @Test func tooDeepValuesAreWrittenNeitherAsBinaryNorAsJSON() throws {
        var deep: PropertyList = "x"
        for _ in 0..<PropertyList.depthLimit { deep = [deep] }
        #expect(try PropertyList(binary: deep.binary()) == deep)
        #expect(throws: PropertyListError.self) { try PropertyList.array([deep]).binary() }
        #expect(throws: PropertyListError.self) { try PropertyList.array([deep]).json() }
    }
}
