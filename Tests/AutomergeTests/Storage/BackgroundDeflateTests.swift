import TestSupport
import Testing

@testable import Automerge

@Suite struct BackgroundDeflateTests {
    @Test(arguments: 1...20) func piecesCompressToWhatTheWholeDoes(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let words = (0..<50).map { _ in
            (0..<random.number(1..<9)).map { _ in UInt8(random.number(97..<123)) }
        }
        var bytes: [UInt8] = []
        while bytes.count < random.number(1..<300_000) { bytes += random.pick(words) + [32] }
        let deflate = BackgroundDeflate(effort: .values)
        var start = 0
        while bytes.count - start > BackgroundDeflate.pieceSize {
            let end = start + random.number(1..<bytes.count - start)
            bytes[start..<end].withUnsafeBufferPointer { deflate.append($0) }
            start = end
        }
        var whole = ByteWriter()
        bytes.withUnsafeBufferPointer { Deflate.deflate($0, into: &whole, effort: .values) }
        let pieces = bytes.withUnsafeBufferPointer { whole in
            Array(deflate.finish(UnsafeBufferPointer(rebasing: whole[start...]), of: whole))
        }
        withExtendedLifetime(deflate) {}
        #expect(pieces == whole.array())
    }

    /// Values of much the same, in one piece and in many.
    @Test(arguments: [6, 300])
    func whatRepeatsIsSavedInNoMoreThanTheUsualLevelGives(count: Int) throws {
        var random = SeededRandom(seed: 7)
        let blocks = (0..<60).map { _ in
            String((0..<40).map { _ in Character(Unicode.Scalar(UInt8(random.number(97..<123)))) })
        }
        // A short search finds one of the many places of a block, and not the one where more of the
        // same follows.
        let pages = (0..<8).map { _ in (0..<60).map { _ in random.pick(blocks) }.joined() }
        let document = Document()
        var column: [UInt8] = []
        for number in 0..<count {
            let value = (0..<20).map { _ in random.pick(pages) }.joined()
            try document.put(obj: .ROOT, key: "\(100_000 + number)", value: .String(value))
            column += Array(value.utf8)
        }
        var hasty = ByteWriter()
        var usual = ByteWriter()
        column.withUnsafeBufferPointer {
            Deflate.compress($0, into: &hasty, .values)
            Deflate.compress($0, into: &usual, .strings)
        }
        #expect(hasty.count > usual.count * 5 / 4)
        let saved = document.save()
        // Beside the values there are the keys, and the numbers of the operations.
        #expect(saved.count < usual.count + 400 + count * 4)
        #expect(try Document(saved).save() == saved)
    }

    @Test func aLongTextIsSavedAndReadAgain() throws {
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
