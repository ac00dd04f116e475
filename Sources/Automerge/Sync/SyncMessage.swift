/// A message between two peers.
///
///     0x42 | heads | needed hashes | haves | changes
///
/// Each part is a count and its items. Each `have` consists of the hashes of the last sync, and of
/// a Bloom filter preceded by its length. Each change is a chunk preceded by its length. In the
/// newer form 0x43, a chunk may contain anything that a file may contain. The bytes after these
/// parts describe other capabilities of the peer and are skipped.
struct SyncMessage {
    struct Have: Equatable, Sendable {
        var lastSync: [ChangeHash] = []
        var filter = BloomFilter()
    }

    var heads: [ChangeHash]
    var need: [ChangeHash]
    var have: [Have]
    /// The changes, each as a whole chunk.
    var changes: [[UInt8]]

    /// The maximum number of haves. Every `have` is compared with every change. Known
    /// implementations send one `have` per message.
    static let mostHaves = 16

    static let type: UInt8 = 0x42
    static let newerType: UInt8 = 0x43
}

extension SyncMessage {
    init(_ bytes: [UInt8]) throws(FormatError) {
        self = try bytes.withUnsafeBufferPointer { (buffer) throws(FormatError) in
            var reader = ByteReader(buffer)
            return try SyncMessage(from: &reader)
        }
    }

    private init(from reader: inout ByteReader) throws(FormatError) {
        try Self.readType(from: &reader)
        heads = try reader.hashes()
        need = try reader.hashes()
        have = []
        for _ in 0..<(try Self.readHaveCount(from: &reader)) {
            let lastSync = try reader.hashes()
            let filter = try BloomFilter(from: try reader.prefixedBytes())
            have.append(Have(lastSync: lastSync, filter: filter))
        }
        changes = []
        for _ in 0..<(try reader.count()) {
            changes.append(Array(try reader.prefixedBytes()))
        }
    }

    static func readType(from reader: inout ByteReader) throws(FormatError) {
        let type = try reader.byte()
        guard type == Self.type || type == newerType else {
            throw FormatError(.badMessage, "the bytes are not a sync message")
        }
    }

    static func readHaveCount(from reader: inout ByteReader) throws(FormatError) -> Int {
        let count = try reader.count(ofSize: 2)
        guard count <= mostHaves else {
            throw FormatError(.badMessage, "a message has more than \(mostHaves) summaries")
        }
        return count
    }

    static func write(_ hashes: [ChangeHash], to out: inout ByteWriter) {
        out.unsigned(hashes.count)
        for hash in hashes { hash.write(to: &out) }
    }

    func encoded() -> [UInt8] {
        var out = ByteWriter()
        out.byte(Self.type)
        Self.write(heads, to: &out)
        Self.write(need, to: &out)
        out.unsigned(have.count)
        for item in have {
            Self.write(item.lastSync, to: &out)
            var filter = ByteWriter()
            item.filter.write(to: &filter)
            out.unsigned(filter.count)
            out.bytes(filter.buffer)
        }
        out.unsigned(changes.count)
        for change in changes { out.prefixed(change) }
        return out.array()
    }
}
