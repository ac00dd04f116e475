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
        let pieces = bytes[start...].withUnsafeBufferPointer { Array(deflate.finish($0)) }
        withExtendedLifetime(deflate) {}
        #expect(pieces == whole.array())
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
