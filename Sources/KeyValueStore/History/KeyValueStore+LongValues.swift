public import Foundation
import Replication
import Synchronization

/// Values that are longer than ``KeyValueStore/Configuration/longestValue``, one at a time.
extension KeyValueStore {
    /// The value of a row as a binary property list, read from its log if it was left there; `nil`
    /// for a deletion.
    ///
    /// - Throws: `ReplicationError`: why the log cannot be read now; `.notFound` if the row has gone
    ///   from it.
    /// - Complexity: O(*n*) in the bytes of the value.
    public func bytes(of row: LogRow) throws -> Data? {
        guard row.isLeftInLog else { return row.bytes }
        return try longBytes(of: row.reference, key: row.key)
    }

    /// The value of a row, read from its log if it was left there; `nil` for a deletion.
    ///
    /// - Throws: As ``bytes(of:)``, and ``PropertyListError`` for bytes that are no value.
    public func value(of row: LogRow) throws -> PropertyList? {
        try bytes(of: row).map { try PropertyList(binary: $0) }
    }

    /// The value of a key's entry, read from its log if it was left there; `nil` where the key is
    /// removed.
    ///
    /// - Throws: As ``value(of:)-(LogRow)``.
    public func value(of entry: Entry) throws -> PropertyList? {
        guard let device = entry.device else { return try entry.value() }
        return try value(
            of: LogRow(
                device: device, id: 0, timestamp: entry.timestamp, key: entry.key,
                bytes: entry.bytes.map { Data($0) }, byteCount: entry.byteCount))
    }

    /// The value of the row of a key that wins in memory.
    func longBytes(ofRowOf key: String, _ row: LogsCache.Row) throws -> Data {
        let reference = memory.withLock { $0.references([row]) }
        guard let reference = reference.first else { throw Self.gone(key) }
        return try longBytes(of: reference, key: key)
    }

    private func longBytes(of reference: LogRow.Reference, key: String) throws -> Data {
        var found: LogRow?
        let unread = try forEachLog([reference.device], longest: .max) {
            try $0.newestRow(key, through: reference.timestamp)
        } merge: {
            found = $0
        }
        try failIfUnread(unread)
        guard let found, found.reference == reference, let bytes = found.bytes else {
            throw Self.gone(key)
        }
        return bytes
    }

    private static func gone(_ key: String) -> ReplicationError {
        ReplicationError(.notFound, "the row of \(key.quoted) has gone from its log")
    }
}
