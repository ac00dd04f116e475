import Automerge

extension PeerMessage {
    /// The encoded message. Its fields are in automerge-repo's order.
    package var encoded: [UInt8] {
        var writer = MessageWriter(capacity: dataCount + 256)
        switch self {
        case .join(let sender, let metadata, let versions):
            writer.begin(type, count: 4)
            writer.field("senderId", sender)
            writer.metadata(metadata)
            writer.field("supportedProtocolVersions", versions)
        case .peer(let sender, let metadata, let version, let target):
            writer.begin(type, count: 5)
            writer.field("senderId", sender)
            writer.metadata(metadata)
            writer.field("selectedProtocolVersion", version)
            writer.field("targetId", target)
        case .error(let message):
            writer.begin(type, count: 2)
            writer.field("message", message)
        case .leave(let sender):
            writer.begin(type, count: 2)
            writer.field("senderId", sender)
        case .sync(let message): writer.message(type, message)
        case .request(let message): writer.message(type, message)
        case .unavailable(let document, let sender, let target):
            writer.begin(type, count: 4)
            writer.field("documentId", document.text)
            writer.field("targetId", target)
            writer.field("senderId", sender)
        case .ephemeral(let message):
            writer.begin(type, count: 7)
            writer.field("targetId", message.target)
            writer.field("documentId", message.document.text)
            writer.field("data", message.data)
            writer.field("count", message.count)
            writer.field("sessionId", message.session)
            writer.field("senderId", message.sender)
        case .other(let type): writer.begin(type, count: 1)
        }
        return writer.bytes
    }

    private var dataCount: Int {
        switch self {
        case .sync(let message), .request(let message): message.data.count
        case .ephemeral(let message): message.data.count
        default: 0
        }
    }
}

private struct MessageWriter {
    private var writer: CBORWriter
    var bytes: [UInt8] { writer.bytes }

    init(capacity: Int) { writer = CBORWriter(capacity: capacity) }

    mutating func begin(_ type: String, count: Int) {
        writer.map(count: count)
        field("type", type)
    }

    mutating func field(_ key: String, _ text: String) {
        writer.text(key)
        writer.text(text)
    }

    mutating func field(_ key: String, _ peer: PeerID) { field(key, peer.text) }

    mutating func field(_ key: String, _ texts: [String]) {
        writer.text(key)
        writer.array(count: texts.count)
        for text in texts { writer.text(text) }
    }

    mutating func field(_ key: String, _ bytes: ArraySlice<UInt8>) {
        writer.text(key)
        writer.byteString(bytes)
    }

    mutating func field(_ key: String, _ count: UInt64) {
        writer.text(key)
        writer.count(count)
    }

    mutating func metadata(_ metadata: PeerMetadata) {
        writer.text("peerMetadata")
        writer.map(count: metadata.storageID == nil ? 1 : 2)
        if let storage = metadata.storageID { field("storageId", storage) }
        writer.text("isEphemeral")
        writer.boolean(metadata.isEphemeral)
    }

    mutating func message(_ type: String, _ message: PeerMessage.DocumentMessage) {
        begin(type, count: 5)
        field("targetId", message.target)
        field("documentId", message.document.text)
        field("data", message.data)
        field("senderId", message.sender)
    }
}
