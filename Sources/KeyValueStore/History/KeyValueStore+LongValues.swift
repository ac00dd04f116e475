public import Foundation
import Replication

/// Access to single values longer than ``KeyValueStore/Configuration/longestValue``.
extension KeyValueStore {
    /// Returns the value of a row as a binary property list, read from its log if necessary; `nil`
    /// for a deletion.
    ///
    /// - Throws: `ReplicationError` if the log can't be read now; `.notFound` if the row is no
    ///   longer in it.
    /// - Complexity: O(*n*) in the bytes of the value.
    public func bytes(of row: LogRow) throws -> Data? {
        guard row.isLeftInLog else { return row.bytes }
        return try longBytes(of: row.reference, key: row.key)
    }

    /// Returns the value of a row, read from its log if necessary; `nil` for a deletion.
    ///
    /// - Throws: The errors of ``bytes(of:)``, and ``PropertyListError`` for bytes that are not a
    ///   value.
    public func value(of row: LogRow) throws -> PropertyList? {
        try bytes(of: row).map { try PropertyList(binary: $0) }
    }

    /// Returns the value of a key's entry, read from its log if necessary; `nil` if the key is
    /// removed.
    ///
    /// - Throws: As ``value(of:)-(LogRow)``.
    public func value(of entry: Entry) throws -> PropertyList? {
        guard let row = entry.row else { return try entry.value() }
        return try value(of: row)
    }

    /// Returns the value of the row that is the winner in memory.
    func longBytes(ofRowOf key: String, _ row: LogsCache.Row) throws -> Data {
        let reference = memory.withLock { $0.references([row]) }
        guard let reference = reference.first else { throw Self.missingValue(key) }
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
            throw Self.missingValue(key)
        }
        return bytes
    }

    private static func missingValue(_ key: String) -> ReplicationError {
        ReplicationError(.notFound, "the row of \(key.quoted) is no longer in its log")
    }
}

extension KeyValueStore.Entry {
    /// The winner without its number and causal parents, which are not in memory; `nil` in an
    /// in-memory store.
    var row: LogRow? {
        device.map { device in
            LogRow(
                device: device, id: 0, timestamp: timestamp, key: key,
                bytes: bytes.map { Data($0) }, byteCount: byteCount)
        }
    }
}
