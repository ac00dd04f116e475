/// The parts of a sync message, without reading its changes.
package struct SyncMessageSummary: Sendable {
    /// The heads of the sender's document.
    package let heads: Set<ChangeHash>
    /// The changes that the sender requests.
    package let needed: [ChangeHash]
    /// The heads that both sides had after earlier syncs, according to the sender. The sender's
    /// later changes are in a Bloom filter of `filterByteCount` bytes.
    package let haves: [(lastSync: [ChangeHash], filterByteCount: Int)]
    /// The number of chunks of changes in the message.
    package let changeCount: Int

    /// Parses a message.
    ///
    /// - Throws: `ReceiveSyncError` with code `.malformed` for bytes that are not a message.
    package init(_ message: some Collection<UInt8>) throws(ReceiveSyncError) {
        do throws(FormatError) {
            self = try Array(message).withUnsafeBufferPointer { (buffer) throws(FormatError) in
                var reader = ByteReader(buffer)
                return try SyncMessageSummary(from: &reader)
            }
        } catch {
            throw ReceiveSyncError(.malformed, error.message)
        }
    }

    private init(from reader: inout ByteReader) throws(FormatError) {
        try SyncMessage.readType(from: &reader)
        heads = Set(try reader.hashes())
        needed = try reader.hashes()
        var haves: [(lastSync: [ChangeHash], filterByteCount: Int)] = []
        for _ in 0..<(try SyncMessage.readHaveCount(from: &reader)) {
            let lastSync = try reader.hashes()
            haves.append((lastSync, try reader.prefixedBytes().count))
        }
        self.haves = haves
        changeCount = try reader.count()
    }
}

extension SyncState {
    /// The memory used for the heads, requests and filters that the peer sent, in bytes.
    package var claimByteCount: Int {
        withSession { session in
            let hashes =
                session.sharedHeads.count + (session.theirHeads?.count ?? 0)
                + (session.theirNeed?.count ?? 0)
                + (session.theirHave ?? []).reduce(0) { $0 + $1.lastSync.count }
            return hashes * ChangeHash.byteCount
                + (session.theirHave ?? []).reduce(0) { $0 + 64 + $1.filter.byteCount }
        }
    }
}
