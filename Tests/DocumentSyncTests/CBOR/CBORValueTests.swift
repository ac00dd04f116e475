import DocumentSync
import TestSupport
import Testing

@Suite struct CBORValueTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let bytes: String
        let value: CBORValue
        var testDescription: String { bytes }

        init(_ bytes: String, _ value: CBORValue) {
            self.bytes = bytes
            self.value = value
        }
    }

    private static func map(_ pairs: (CBORValue, CBORValue)...) -> CBORValue {
        .map(pairs.map { CBORValue.Entry($0.0, $0.1) })
    }

    /// Appendix A of RFC 8949, except for values that it encodes in a shorter form than Tideline
    /// does.
    static let written: [Example] = [
        Example("00", .unsigned(0)), Example("01", .unsigned(1)), Example("0a", .unsigned(10)),
        Example("17", .unsigned(23)), Example("1818", .unsigned(24)),
        Example("1819", .unsigned(25)), Example("1864", .unsigned(100)),
        Example("1903e8", .unsigned(1_000)), Example("1a000f4240", .unsigned(1_000_000)),
        Example("1b000000e8d4a51000", .unsigned(1_000_000_000_000)),
        Example("1bffffffffffffffff", .unsigned(.max)),
        Example("3bffffffffffffffff", .negative(.max)), Example("20", .negative(0)),
        Example("29", .negative(9)), Example("3863", .negative(99)),
        Example("3903e7", .negative(999)), Example("fb3ff199999999999a", .float(1.1)),
        Example("fb7e37e43c8800759c", .float(1.0e300)),
        Example("fbc010666666666666", .float(-4.1)), Example("f4", .boolean(false)),
        Example("f5", .boolean(true)), Example("f6", .null), Example("f7", .undefined),
        Example("f0", .simple(16)), Example("f8ff", .simple(255)), Example("40", .bytes([])),
        Example("4401020304", .bytes([1, 2, 3, 4])), Example("60", .text("")),
        Example("6161", .text("a")), Example("6449455446", .text("IETF")),
        Example("62225c", .text("\"\\")), Example("62c3bc", .text("ü")),
        Example("63e6b0b4", .text("水")), Example("64f0908591", .text("𐅑")),
        Example("80", .array([])),
        Example("83010203", .array([.unsigned(1), .unsigned(2), .unsigned(3)])),
        Example(
            "8301820203820405",
            .array([
                .unsigned(1), .array([.unsigned(2), .unsigned(3)]),
                .array([.unsigned(4), .unsigned(5)]),
            ])), Example("a0", .map([])),
        Example("a201020304", map((.unsigned(1), .unsigned(2)), (.unsigned(3), .unsigned(4)))),
        Example(
            "a26161016162820203",
            map(
                (.text("a"), .unsigned(1)),
                (.text("b"), .array([.unsigned(2), .unsigned(3)])))),
        Example("826161a161626163", .array([.text("a"), map((.text("b"), .text("c")))])),
        Example(
            "c074323031332d30332d32315432303a30343a30305a",
            .tagged(0, .text("2013-03-21T20:04:00Z"))),
        Example("c11a514b67b0", .tagged(1, .unsigned(1_363_896_240))),
        Example("d818456449455446", .tagged(24, .bytes([0x64, 0x49, 0x45, 0x54, 0x46]))),
        Example("c249010000000000000000", .tagged(2, .bytes([1, 0, 0, 0, 0, 0, 0, 0, 0]))),
    ]

    /// Encodings that Tideline reads but doesn't write.
    static let read: [Example] = [
        Example("f90000", .float(0)), Example("f98000", .float(-0.0)), Example("f93c00", .float(1)),
        Example("f93e00", .float(1.5)), Example("f97bff", .float(65_504)),
        Example("fa47c35000", .float(100_000)),
        Example("fa7f7fffff", .float(3.4028234663852886e+38)),
        Example("f90001", .float(5.960464477539063e-8)),
        Example("f90400", .float(0.00006103515625)), Example("f9c400", .float(-4)),
        Example("f97c00", .float(.infinity)), Example("f97e00", .float(.nan)),
        Example("f9fc00", .float(-.infinity)), Example("fa7f800000", .float(.infinity)),
        Example("5f42010243030405ff", .bytes([1, 2, 3, 4, 5])),
        Example("7f657374726561646d696e67ff", .text("streaming")), Example("9fff", .array([])),
        Example(
            "9f018202039f0405ffff",
            .array([
                .unsigned(1), .array([.unsigned(2), .unsigned(3)]),
                .array([.unsigned(4), .unsigned(5)]),
            ])),
        Example(
            "bf61610161629f0203ffff",
            map(
                (.text("a"), .unsigned(1)),
                (.text("b"), .array([.unsigned(2), .unsigned(3)])))),
        Example(
            "bf6346756ef563416d7421ff",
            map((.text("Fun"), .boolean(true)), (.text("Amt"), .negative(1)))),
        // Lengths in a longer form than necessary. JavaScript programs encode all maps this way.
        Example("b900016161f7", map((.text("a"), .undefined))),
        Example("bb00000000000000016161f7", map((.text("a"), .undefined))),
        Example("1b0000000000000001", .unsigned(1)), Example("5a0000000107", .bytes([7])),
    ]

    @Test(arguments: written) func examplesOfTheStandardRoundTrip(
        _ example: Example
    ) throws {
        #expect(try CBORValue(hex(example.bytes)) == example.value)
        #expect(example.value.encoded == hex(example.bytes))
    }

    @Test(arguments: read) func longerEncodingsAreRead(_ example: Example) throws {
        #expect(try CBORValue(hex(example.bytes)) == example.value)
    }

    @Test(arguments: [
        "", "18", "1900", "1a0000", "1b00000000000000", "1c", "1d", "1e", "1f", "3f", "df", "ff",
        "41", "5f41", "5f00ff", "5f5f4100ffff", "5f6100ff", "61ff", "62c328", "7f41ff", "81",
        "8200",
        "9f", "a1", "a100", "bf00ff", "c0", "f800", "f81f", "f818", "fc", "fd", "fe", "f97e",
        "0000",
        "a0a0", "9bffffffffffffffff", "bbffffffffffffffff", "5bffffffffffffffff",
        "7bffffffffffffffff", "9b7fffffffffffffff00", "d9ffff",
    ])
    func malformedBytesAreRefused(_ bytes: String) {
        #expect(throws: CBORError.self) { try CBORValue(hex(bytes)) }
    }

    @Test func nestingIsLimited() throws {
        let deepest = [UInt8](repeating: 0x81, count: 32) + [0]
        _ = try CBORValue(deepest)
        for byte: UInt8 in [0x81, 0x9f, 0xc1, 0xa1] {
            let error = #expect(throws: CBORError.self) {
                try CBORValue([UInt8](repeating: byte, count: 1_000_000))
            }
            #expect(error?.code == .tooLarge)
        }
    }

    @Test func aMillionSmallValuesAreTooMany() {
        let error = #expect(throws: CBORError.self) {
            try CBORValue(
                [0x9a, 0x00, 0x0f, 0x42, 0x40] + [UInt8](repeating: 0xf6, count: 1_000_000))
        }
        #expect(error?.code == .tooLarge)
    }

    @Test func textsAreComparedByTheirBytes() {
        #expect(CBORValue.text("\u{e9}") != CBORValue.text("e\u{301}"))
    }

    @Test func randomValuesRoundTrip() throws {
        var random = SeededRandom(seed: 8949)
        for _ in 0..<runCount(500) {
            let value = Self.value(depth: 0, using: &random)
            #expect(try CBORValue(value.encoded) == value)
        }
    }

    @Test func randomAndDamagedBytesNeverTrap() {
        var random = SeededRandom(seed: 7049)
        for _ in 0..<runCount(2_000) {
            var bytes = Self.value(depth: 0, using: &random).encoded
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                let place = bytes.indices.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = .random(in: 0...255, using: &random)
                case 1: bytes.removeLast(bytes.count - place)
                default: bytes.insert(.random(in: 0...255, using: &random), at: place)
                }
            }
            // A decoded value survives another round trip.
            if let value = try? CBORValue(bytes) {
                #expect((try? CBORValue(value.encoded)) == value)
            }
            let noise = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            _ = try? CBORValue(noise)
        }
    }

    static func value(depth: Int, using random: inout SeededRandom) -> CBORValue {
        func number() -> UInt64 { random.next() >> UInt64.random(in: 0..<64, using: &random) }
        func text() -> String {
            String(
                (0..<Int.random(in: 0..<30, using: &random)).compactMap { _ in
                    "aé水𐅑 \n".randomElement(using: &random)
                })
        }
        switch Int.random(in: 0..<(depth < 4 ? 11 : 8), using: &random) {
        case 0: return .unsigned(number())
        case 1: return .negative(number())
        case 2: return .bytes((0..<(number() % 300)).map { UInt8(truncatingIfNeeded: $0) }[...])
        case 3: return .text(text())
        case 4: return .boolean(.random(using: &random))
        case 5: return [.null, .undefined].randomElement(using: &random) ?? .null
        case 6: return .float(Double(bitPattern: random.next()))
        case 7: return .simple(UInt8.random(in: 32...255, using: &random))
        case 8: return .tagged(number(), value(depth: depth + 1, using: &random))
        case 9:
            return .array(
                (0..<Int.random(in: 0..<30, using: &random)).map { _ in
                    value(depth: depth + 1, using: &random)
                })
        default:
            return .map(
                (0..<Int.random(in: 0..<6, using: &random)).map { _ in
                    CBORValue.Entry(.text(text()), value(depth: depth + 1, using: &random))
                })
        }
    }
}
