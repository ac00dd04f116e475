/// The heads and the number of changes in a sync message, without reading its changes.
package struct SyncMessageSummary: Sendable {
    /// The heads of the sender's document.
    package let heads: Set<ChangeHash>
    /// The number of chunks of changes in the message.
    package let changeCount: Int

    /// Parses a message.
    ///
    /// - Throws: `ReceiveSyncError` with code `.malformed` for bytes that are not a message.
    package init(_ message: some Collection<UInt8>) throws(ReceiveSyncError) {
        do throws(FormatError) {
            (heads, changeCount) = try Array(message).withBytes { (buffer) throws(FormatError) in
                var reader = ByteReader(buffer)
                return try Self.parts(of: &reader)
            }
        } catch {
            throw ReceiveSyncError(.malformed, error.message)
        }
    }

    private static func parts(
        of reader: inout ByteReader
    ) throws(FormatError) -> (Set<ChangeHash>, Int) {
        let type = try reader.byte()
        guard type == SyncMessage.type || type == SyncMessage.newerType else {
            throw FormatError(.badMessage, "the bytes are not a sync message")
        }
        let heads = Set(try SyncMessage.readHashes(from: &reader))
        _ = try SyncMessage.readHashes(from: &reader)
        for _ in 0..<(try reader.count(ofSize: 2)) {
            _ = try SyncMessage.readHashes(from: &reader)
            _ = try reader.prefixedBytes()
        }
        return (heads, try reader.count())
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
