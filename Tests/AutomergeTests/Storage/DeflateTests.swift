import TestSupport
import Testing

@testable import Automerge

@Suite struct DeflateTests {
    /// Bytes with the patterns of columns.
    enum Shape: CaseIterable {
        case words, lines, repeats, blocks, zeros, few, noise, runs

        func bytes(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
            func letters(_ count: Int) -> [UInt8] {
                (0..<count).map { _ in UInt8(random.number(97..<123)) }
            }
            var bytes: [UInt8] = []
            switch self {
            case .words:
                let words = (0..<400).map { _ in letters(random.number(1..<11)) }
                while bytes.count < count { bytes += random.pick(words) + [32] }
            case .lines:
                while bytes.count < count {
                    let device = random.number(0..<4)
                    let note = random.number(0..<900)
                    bytes += "2026-11-2\(device) device \(device) wrote note/\(note)\n".utf8
                }
            case .repeats:
                let pages = (0..<8).map { _ in letters(2_000) }
                while bytes.count < count { bytes += random.pick(pages) }
            case .blocks:
                let block = (0..<40_000).map { _ in UInt8(random.number(0..<256)) }
                while bytes.count < count { bytes += block }
            case .zeros: bytes = [UInt8](repeating: 0, count: count)
            case .few:
                for _ in 0..<count { bytes.append(random.pick([1, 2, 3, 0x40, 0x7e, 0x7f])) }
            case .noise: for _ in 0..<count { bytes.append(UInt8(random.number(0..<256))) }
            case .runs:
                while bytes.count < count {
                    bytes += [UInt8](
                        repeating: UInt8(random.number(0..<6)), count: random.number(1..<300))
                }
            }
            return Array(bytes.prefix(count))
        }
    }

    @Test(arguments: Shape.allCases, [300, 5_000, 120_000])
    func compressionRoundTripsAndMatchesTheSizeOfZlib(
        _ shape: Shape, _ count: Int
    ) throws {
        var random = SeededRandom(seed: UInt64(count))
        let bytes = shape.bytes(count, &random)
        var usual = ByteWriter()
        bytes.withUnsafeBufferPointer { Deflate.deflateUsually($0, into: &usual) }
        var out = ByteWriter()
        out.bytes([7, 7])
        bytes.withUnsafeBufferPointer { Deflate.deflate($0, into: &out) }
        #expect(out.count - 2 <= usual.count)
        let compressed = Array(out.array().dropFirst(2))
        let again = try compressed.withUnsafeBufferPointer { (buffer) throws(FormatError) in
            var read = ByteWriter()
            try Deflate.inflate(buffer, into: &read, limit: bytes.count)
            return read.array()
        }
        #expect(again == bytes)
    }

    @Test func longTextRoundTrips() throws {
        let document = Document()
        let text = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
        var random = SeededRandom(seed: 1)
        let content = String(
            (0..<120_000).map { _ in Character(Unicode.Scalar(UInt8(random.number(97..<123)))) })
        try document.spliceText(obj: text, start: 0, delete: 0, value: content)
        try document.put(obj: .ROOT, key: "after", value: .String(content))
        let again = try Document(document.save())
        #expect(try again.text(obj: text) == content)
        #expect(try again.get(obj: .ROOT, key: "after") == .Scalar(.String(content)))
        #expect(again.save() == document.save())
    }
}
