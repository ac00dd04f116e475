import Foundation
import Replication
import TestSupport
import Testing

@testable import KeyValueStore

/// Compares the fast check of values with the reader that decodes them.
@Suite struct PlainPlistTests {
    private static func isRead(_ bytes: [UInt8]) -> Bool {
        (try? PropertyList(binary: bytes)) != nil
    }
    private static func isPlain(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { PlainPlist.accepts($0) }
    }

    @Test func commonValuesNeedNoDecoding() throws {
        let values: [PropertyList] = [
            1, -1, .integer(.max), 1.5, true, "text",
            .string(String(repeating: "long ", count: 500)),
            "naïve", .date(Date(timeIntervalSinceReferenceDate: 1)), .data(Data([1, 2, 3])), [],
            [:],
            [1, "two", 3.0], ["title": "Note", "done": false, "rank": 1.5, "tag": "home"],
        ]
        for value in values { #expect(Self.isPlain(try value.binaryBytes()), "\(value)") }
    }

    @Test func fastCheckMatchesTheReader() throws {
        var random = SeededRandom(seed: 11)
        var taken = 0
        for sample in BinaryPlistTests.samples {
            let whole = try sample.binaryBytes()
            for _ in 0..<(whole.count > 10_000 ? 20 : 600) * runCount(1) {
                var bytes = whole
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    // The first and last bytes determine most of the format.
                    let place = Int.random(in: 0..<min(bytes.count, 60), using: &random)
                    let index = Bool.random(using: &random) ? place : bytes.count - 1 - place
                    bytes[index] = UInt8.random(in: .min ... .max, using: &random)
                }
                if Int.random(in: 0..<8, using: &random) == 0 {
                    bytes.removeSubrange(
                        Int.random(in: 0..<bytes.count, using: &random)..<bytes.count)
                }
                guard Self.isPlain(bytes) else { continue }
                taken += 1
                #expect(Self.isRead(bytes), "\(sample)")
            }
        }
        #expect(taken > 1_000)
    }

    @Test func duplicateKeyIsNotAcceptedByTheFastCheck() throws {
        let bytes = try (["aa": 1, "ab": 2] as PropertyList).binaryBytes()
        #expect(Self.isPlain(bytes))
        var twice = bytes
        for index in twice.indices.dropLast() where twice[index...].starts(with: "ab".utf8) {
            twice[index + 1] = UInt8(ascii: "a")
        }
        #expect(!Self.isPlain(twice) && !Self.isRead(twice))
    }
}
