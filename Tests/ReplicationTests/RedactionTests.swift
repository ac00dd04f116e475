import Foundation
import TestSupport
import Testing

@testable import Replication

/// Stand-ins for texts, bytes, numbers and identifiers.
@Suite struct RedactionTests {
    private func redaction(seed: UInt64 = 1, numbers: Bool = true) throws -> Redaction {
        try Redaction(
            devices: ["desk", "ben", "anna"].map { try DeviceID($0) }, includesNumbers: numbers,
            random: SeededRandom(seed: seed))
    }

    @Test func equalTextsGetEqualStandInsAndDifferentOnesDifferent() throws {
        let redaction = try redaction()
        let texts = (0..<5_000).map { String($0, radix: 36) } + ["a b", "b a", "é", "e\u{301}", ""]
        let standIns = texts.map(redaction.text)
        #expect(texts.map(redaction.text) == standIns)
        #expect(Set(standIns.map { Name($0) }).count == texts.count)
    }

    /// All words of a small class are used as stand-ins, so a word can be its own stand-in.
    @Test func everyWordOfASmallClassGetsAStandIn() throws {
        let redaction = try redaction()
        let letters = (UInt8(ascii: "a")...UInt8(ascii: "z")).map {
            String(decoding: [$0], as: UTF8.self)
        }
        let standIns = letters.map(redaction.text)
        #expect(Set(standIns) == Set(letters))
        #expect(zip(letters, standIns).count { $0 == $1 } <= 1)
        let bytes = (UInt8.min ... .max).map { redaction.data(Data([$0])) }
        #expect(Set(bytes).count == 256)
    }

    @Test(arguments: [
        "Groceries", "note/1/title", "Grüße, 世界 שלום", "Ключ_ά", "tel. +49 30 1234567",
        "\u{1B}[31mred\u{7}", "👩‍👩‍👧 emoji", "e\u{301}a",
        "\u{E0073}\u{E0065}\u{E0061}", "-\u{E0158}\u{E0155}\u{E01A2}",
    ])
    func standInHasTheSameLengthScriptAndPunctuation(_ text: String) throws {
        let standIn = try redaction().text(text)
        #expect(standIn != text)
        #expect(standIn.utf8.count == text.utf8.count)
        #expect(standIn.utf16.count == text.utf16.count)
        for (new, old) in zip(standIn.unicodeScalars, text.unicodeScalars) {
            #expect(new.properties.generalCategory == old.properties.generalCategory)
            #expect(new.value >> 7 == old.value >> 7)
        }
    }

    @Test func identifierInATextGetsTheStandInOfTheIdentifier() throws {
        let redaction = try redaction()
        let id = UUID()
        #expect(redaction.text(id.uuidString) == redaction.identifier(id).uuidString)
        #expect(
            redaction.text(id.uuidString.lowercased())
                == redaction.identifier(id).uuidString.lowercased())
        #expect(redaction.identifier(id) != id)
    }

    @Test func devicesKeepTheirOrder() throws {
        let redaction = try redaction()
        let names = try ["anna", "ben", "desk", "unknown"].map {
            try redaction.device(DeviceID($0)).name
        }
        #expect(names == ["device-1", "device-2", "device-3", "other-device-1"])
    }

    @Test func numbersKeepTheirSignAndNumberOfDigits() throws {
        let redaction = try redaction()
        var standIns: Set<Int64> = []
        let numbers: [Int64] =
            Array(-9...99) + [Int64.max, .max - 1, .min, .min + 1, 1_000_000, -123_456]
        for number in numbers {
            let standIn = redaction.integer(number)
            #expect(standIns.insert(standIn).inserted)
            #expect((standIn < 0) == (number < 0))
            if number != 0 {
                #expect(String(standIn).count == String(number).count, "\(number) \(standIn)")
            }
        }
        let large: [UInt64] = [.max, .max - 1, Int64.max.magnitude + 1]
        for number in large {
            #expect(redaction.integer(number) > Int64.max.magnitude)
        }
        #expect(redaction.real(.infinity) == .infinity)
        #expect(redaction.real(2.0).truncatingRemainder(dividingBy: 1) == 0)
        let real = redaction.real(-1.75)
        #expect(real != -1.75 && -2 < real && real <= -1)
        let dates = [Timestamp(microseconds: 1), Timestamp(microseconds: 9)]
        let moved = dates.map(redaction.date)
        #expect(moved[1].microseconds - moved[0].microseconds == 8 && moved != dates)
    }

    @Test func numbersStayUnlessTheyAreIncluded() throws {
        let redaction = try redaction(numbers: false)
        #expect(redaction.integer(Int64(5)) == 5)
        #expect(redaction.real(1.5) == 1.5)
        #expect(redaction.date(Date(timeIntervalSince1970: 7)) == Date(timeIntervalSince1970: 7))
    }

    @Test func orderedStringsKeepTheirOrderAndLength() throws {
        let strings = (0..<100).map { Data(repeating: UInt8($0), count: 16) }
        let standIns = try #require(try redaction().ordered(strings))
        #expect(standIns.allSatisfy { $0.count == 16 })
        #expect(zip(standIns, standIns.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
        #expect(Set(standIns).isDisjoint(with: strings))
    }

    @Test func shortOrderedStringsGetStandInsToo() throws {
        let strings = [Data(), Data([1]), Data([1, 2, 3]), Data([2])]
        let standIns = try #require(try redaction().ordered(strings))
        #expect(standIns.map(\.count) == [0, 1, 3, 1])
        #expect(zip(standIns, standIns.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
        let tooMany = (0..<257).map { Data([UInt8($0 / 2), UInt8($0 % 2)].prefix(1 + $0 % 2)) }
        #expect(try redaction().ordered(tooMany) == nil)
    }
}
