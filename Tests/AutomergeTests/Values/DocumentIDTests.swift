import Automerge
import Foundation
import TestSupport
import Testing

@Suite struct DocumentIDTests {
    struct Known: Sendable {
        let text: String
        let bytes: [UInt8]

        init(_ text: String, _ hex: String) {
            self.text = text
            let digits = Array(hex)
            bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
                UInt8(String(digits[$0..<($0 + 2)]), radix: 16)
            }
        }
    }

    static let known = [
        Known("4NMNnkMhL8jXrdJ9jamS58PAVdXu", "f1c29c8474c84adeb800be47627d33bf"),
        Known("2j9knpCseyhnK8izDmLpGP5WMdZQ", "7bf18580944c450ea740c1f23be047ca"),
        Known("K3YptshN5CcFZNpnnXcStizSNPU", "1654a0b543b948ffb7fb83f58f4d1d75"),
        Known("1ezULPhgshBPYi4H2MTBoMKwc3S", "00cf851bc4f4441d86d127c26774145e"),
        Known("11111111111111114Ki9Gx", "00000000000000000000000000000000"),
        Known("An6Ui6sE1F", "01020304"),
        Known("qjcTRo6yXG", "05060708"),
    ]

    @Test(arguments: known) func knownIdentifiersRoundTrip(_ known: Known) throws {
        let id = try #require(DocumentID(known.text))
        #expect(id.bytes == known.bytes)
        #expect(try #require(DocumentID(bytes: known.bytes)).text == known.text)
        #expect(DocumentID("automerge:" + known.text) == id)
        #expect(id.address == "automerge:" + known.text)
    }

    @Test func headIsEncodedLikeInAutomergeRepo() {
        let head = Known(
            "NrKbS9YG7YrZGoQWgBLvSwZmcE9PBU51iHfvyuq1ZsitTgbcn",
            "319d28cab982faa8c52cd4e57021131898cae44b6f08dcb1c28e2e1737a9811b")
        #expect(Base58Check.text(head.bytes) == head.text)
        #expect(Base58Check.payload(head.text) == head.bytes)
    }

    @Test(arguments: [
        "badbadbad", "not-base58-encoded", "", "1", "automerge:", "4NMNnkMhL8jXrdJ9jamS58PAVdXv",
        "4NMNnkMhL8jXrdJ9jamS58PAVdXu/title", "4NMNnkMhL8jXrdJ9jamS58PAVdXu#", "é",
        "1654a0b5-43b9-48ff-b7fb-83f58f4d1d7",
    ])
    func invalidIdentifiersAreRefused(_ text: String) {
        #expect(DocumentID(text) == nil)
    }

    @Test func veryLongTextIsRefusedImmediately() {
        #expect(DocumentID(String(repeating: "z", count: 10_000_000)) == nil)
    }

    @Test func uuidIdentifiesTheSameDocument() throws {
        let uuid = try #require(UUID(uuidString: "1654a0b5-43b9-48ff-b7fb-83f58f4d1d75"))
        let id = try #require(DocumentID("1654a0b5-43b9-48ff-b7fb-83f58f4d1d75"))
        #expect(id.text == "K3YptshN5CcFZNpnnXcStizSNPU")
        #expect(id.uuid == uuid)
        #expect(DocumentID(uuid) == id)
    }

    @Test func bytesRoundTripAndChangedCharactersAreDetected() throws {
        var random = SeededRandom(seed: 58)
        for _ in 0..<runCount(200) {
            let count = Int.random(in: 1...40, using: &random)
            let zeros = Int.random(in: 0...3, using: &random)
            let bytes = (0..<count).map { index in
                index < zeros ? 0 : UInt8.random(in: 0...255, using: &random)
            }
            let id = try #require(DocumentID(bytes: bytes))
            #expect(DocumentID(id.text)?.bytes == bytes)
            var characters = Array(id.text.utf8)
            let place = Int.random(in: 0..<characters.count, using: &random)
            let other = UInt8.random(in: 0...127, using: &random)
            if characters[place] != other {
                characters[place] = other
                #expect(DocumentID(String(decoding: characters, as: UTF8.self)) == nil)
            }
        }
    }
}
