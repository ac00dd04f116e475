import Automerge
import TestSupport
import Testing

@testable import DocumentSync

@Suite struct PeerMessageTests {
    static let document = DocumentID("4NMNnkMhL8jXrdJ9jamS58PAVdXu") ?? DocumentID()

    /// A message from a JavaScript program: maps with two-byte lengths, and absent values written
    /// out.
    static let join = hex(
        "b900046474797065646a6f696e6873656e646572496468706565722d6162636c706565724d65746164617461"
            + "b900026973746f726167654964f76b6973457068656d6572616cf57819737570706f7274656450726f74"
            + "6f636f6c56657273696f6e73816131")
    static let sync = hex(
        "b9000564747970656473796e63687461726765744964616264646174614542000000006a646f63756d656e74"
            + "4964781c344e4d4e6e6b4d684c386a5872644a396a616d5335385041566458756873656e646572496461"
            + "61")

    @Test func joinMessageOfJavaScriptIsRead() throws {
        #expect(
            try PeerMessage(Self.join)
                == .join(
                    sender: "peer-abc", metadata: PeerMetadata(isEphemeral: true),
                    versions: ["1"]))
    }

    @Test func syncMessageOfJavaScriptIsRead() throws {
        #expect(
            try PeerMessage(Self.sync)
                == .sync(
                    .init(
                        document: Self.document, sender: "a", target: "b",
                        data: [0x42, 0, 0, 0, 0])))
    }

    static let messages: [PeerMessage] = [
        .join(
            sender: "peer-1", metadata: PeerMetadata(storageID: "3760df37", isEphemeral: false),
            versions: ["1"]),
        .join(sender: "", metadata: PeerMetadata(), versions: []),
        .peer(
            sender: "storage-server-x", metadata: PeerMetadata(storageID: "s"), version: "1",
            target: "peer-1"), .error("unsupported protocol version"), .leave(sender: "peer-1"),
        .request(
            .init(
                document: document, sender: "a", target: "b",
                data: [UInt8](repeating: 7, count: 70_000)[...])),
        .sync(.init(document: document, sender: "a", target: "b", data: [1])),
        .unavailable(document: document, sender: "a", target: "b"),
        .ephemeral(
            .init(
                document: document, sender: "é", target: "b", session: "s",
                count: 1_700_000_000_000, data: [0xa0])),
    ]

    @Test(arguments: messages) func messagesRoundTrip(_ message: PeerMessage) throws {
        #expect(try PeerMessage(message.encoded) == message)
    }

    @Test func countsBeyond32BitsAreWrittenAsDoubles() {
        // fb4278bcfe56800000 is 1700000000000 in double precision.
        #expect(
            Self.messages[8].encoded.split(separator: hex("fb4278bcfe56800000")).count == 2)
    }

    @Test func unknownKindsAreNotErrors() throws {
        let message = CBORValue.map([.init(.text("type"), .text("remote-heads-changed"))]).encoded
        #expect(try PeerMessage(message) == .other(type: "remote-heads-changed"))
    }

    @Test func tagOfOlderVersionsIsUnwrapped() throws {
        let fields: [CBORValue.Entry] = [
            .init(.text("type"), .text("sync")), .init(.text("senderId"), .text("a")),
            .init(.text("targetId"), .text("b")),
            .init(.text("documentId"), .text(Self.document.text)),
            .init(.text("data"), .tagged(64, .bytes([0x42, 0, 0, 0, 0]))),
        ]
        #expect(try PeerMessage(CBORValue.map(fields).encoded) == PeerMessage(Self.sync))
    }

    static let refused: [(String, [CBORValue.Entry])] = [
        ("no type", [.init(.text("senderId"), .text("a"))]),
        ("a type that isn't text", [.init(.text("type"), .unsigned(1))]),
        ("no sender", [.init(.text("type"), .text("join"))]),
        (
            "a long name",
            [
                .init(.text("type"), .text("leave")),
                .init(.text("senderId"), .text(String(repeating: "x", count: 100_000))),
            ]
        ),
        (
            "no document",
            [
                .init(.text("type"), .text("doc-unavailable")),
                .init(.text("senderId"), .text("a")), .init(.text("targetId"), .text("b")),
                .init(.text("documentId"), .text("badbadbad")),
            ]
        ),
        (
            "empty data",
            [
                .init(.text("type"), .text("sync")), .init(.text("senderId"), .text("a")),
                .init(.text("targetId"), .text("b")),
                .init(.text("documentId"), .text(document.text)), .init(.text("data"), .bytes([])),
            ]
        ),
        (
            "a negative count",
            [
                .init(.text("type"), .text("ephemeral")), .init(.text("senderId"), .text("a")),
                .init(.text("targetId"), .text("b")), .init(.text("sessionId"), .text("s")),
                .init(.text("documentId"), .text(document.text)), .init(.text("data"), .bytes([1])),
                .init(.text("count"), .float(-1)),
            ]
        ),
    ]

    @Test(arguments: refused.indices) func invalidMessagesAreRefused(_ index: Int) {
        let error = #expect(throws: SyncError.self, "\(Self.refused[index].0)") {
            try PeerMessage(CBORValue.map(Self.refused[index].1).encoded)
        }
        #expect(error?.code == .badMessage)
    }

    @Test func damagedMessagesNeverTrap() {
        var random = SeededRandom(seed: 11)
        for _ in 0..<runCount(2_000) {
            var bytes = Self.messages.randomElement(using: &random)?.encoded ?? []
            if bytes.count > 1_000 { bytes.removeLast(bytes.count - 1_000) }
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                let place = bytes.indices.randomElement(using: &random) ?? 0
                bytes[place] = .random(in: 0...255, using: &random)
            }
            _ = try? PeerMessage(bytes)
        }
    }
}
