import Foundation
public import Replication

/// Resolving conflicts.
extension KeyValueStore {
    /// A conflict that was read before, and the value that resolves it.
    public struct Resolution: Sendable {
        /// The value that resolves a conflict.
        public enum Value: Sendable {
            /// The value of a row of the conflict: the winner, or one of the others.
            case row(LogRow)
            /// A new value; `nil` removes the key.
            case value(PropertyList?)
        }

        /// The conflict.
        public let conflict: Conflict
        /// The value that the key gets.
        public let value: Value

        /// Creates a resolution. Nothing is written.
        public init(_ conflict: Conflict, _ value: Value) {
            self.conflict = conflict
            self.value = value
        }
    }

    /// Resolves the conflict about `key` with the value of `device`: writes a row of this device
    /// that names every head as a parent.
    ///
    /// - Throws: ``KeyValueError``: `.notFound` if there is no conflict or the device is not part
    ///   of it, `.changedSinceRead` if rows arrived during the call, and the errors of `set`.
    /// - Complexity: As ``conflict(forKey:)``.
    public func resolve(_ key: String, taking device: DeviceID) throws {
        let conflict = try knownConflict(forKey: key)
        let row = conflict.rows.first { $0.device == device }
        guard let row else {
            if let problem = conflict.unread[device] {
                throw ReplicationError(
                    .unreadable, "the log of \(device) can't be read: \(problem)")
            }
            throw KeyValueError(
                .notFound, "the device \(device) has no side in the conflict about \(key.quoted)")
        }
        try resolve([(conflict, try bytes(of: row).map(Array.init))])
    }

    /// Resolves the conflict about `key` with a new value. `nil` removes the key.
    ///
    /// - Throws: As ``resolve(_:taking:)``.
    /// - Complexity: As ``conflict(forKey:)``.
    public func resolve(_ key: String, with value: PropertyList?) throws {
        let encoded = try Self.encoded(value, key)
        try resolve([(try knownConflict(forKey: key), encoded)])
    }

    private func knownConflict(forKey key: String) throws -> Conflict {
        guard let conflict = try conflict(forKey: key) else {
            throw KeyValueError(.notFound, "there is no conflict about \(key.quoted)")
        }
        return conflict
    }

    /// Resolves a conflict that was read before, with the value of one of its rows.
    ///
    /// - Parameter row: The winner, or one of the others.
    /// - Throws: As ``resolve(_:taking:)``; `.changedSinceRead` also if the conflict has changed or
    ///   no longer exists.
    public func resolve(_ conflict: Conflict, taking row: LogRow) throws {
        try resolve([(conflict, try bytes(of: row).map(Array.init))])
    }

    /// Resolves a conflict that was read before, with a new value. `nil` removes the key.
    ///
    /// - Throws: As ``resolve(_:with:)``; `.changedSinceRead` also if the conflict has changed or
    ///   no longer exists.
    public func resolve(_ conflict: Conflict, with value: PropertyList?) throws {
        try resolve([(conflict, try Self.encoded(value, conflict.key))])
    }

    /// Resolves conflicts that were read before: all of them in one transaction, or none.
    ///
    /// - Throws: As ``resolve(_:with:)``; `.changedSinceRead` if any of the conflicts has changed
    ///   or no longer exists.
    /// - Complexity: O(*n*) in the number of conflicts and the size of their values.
    public func resolve(_ resolutions: [Resolution]) throws {
        try resolve(
            try resolutions.map { resolution in
                switch resolution.value {
                case .row(let row): (resolution.conflict, try bytes(of: row).map(Array.init))
                case .value(let value):
                    (resolution.conflict, try Self.encoded(value, resolution.conflict.key))
                }
            })
    }

    private func resolve(_ resolutions: [(conflict: Conflict, value: [UInt8]?)]) throws {
        guard !resolutions.isEmpty else { return }
        try memory.withLock { memory in
            try checkWritable(memory)
            let entries = try resolutions.map { conflict, _ in
                guard let entry = memory.index(ofKey: conflict.key),
                    memory.references(memory.cache.heads(entry)) == conflict.heads
                else { throw KeyValueError(changed: conflict.key) }
                return entry
            }
            let written = try zip(resolutions, entries).map { resolution, entry in
                try memory.resolve(
                    key: resolution.conflict.key, entry, value: resolution.value,
                    clock: configuration.clock)
            }
            posted(written, in: memory)
        }
        saveSoon()
    }
}

extension Memory {
    /// Writes a row that names every head. In PARStore 1's format, a row names only one parent, so
    /// this method writes one row for each head of another device. Together, these rows name all
    /// heads.
    fileprivate mutating func resolve(
        key: String, _ entry: UInt32, value: [UInt8]?, clock: HybridClock
    ) throws(KeyValueError) -> Written {
        let heads = cache.heads(entry)
        let hadValue = cache.isLive(entry)
        guard ownIsParstore, let own else {
            return try write(key: key, value: value, clock: clock)
        }
        var times = try ticks(Array(repeating: key, count: heads.count), clock: clock)[...]
        let last = times.removeLast()
        for head in heads.dropFirst() where head.device != own {
            guard let timestamp = times.popFirst() else { break }
            supersede(head, of: key, by: own, with: value, at: timestamp)
        }
        if let winner = heads.first, winner.device != own {
            supersede(winner, of: key, by: own, with: value, at: last)
            return Written(
                entry: entry, timestamp: last, resolved: !cache.conflicts.contains(entry),
                isNew: !hadValue)
        }
        return write(key: key, value: value, at: last)
    }

    /// Writes a row in PARStore 1's format that names one head of another device as its parent.
    private mutating func supersede(
        _ head: LogsCache.Row, of key: String, by own: DeviceNumber, with value: [UInt8]?,
        at timestamp: Timestamp
    ) {
        var text = key
        text.withUTF8 {
            pending.waiting.append(
                key: $0, value: value, timestamp: timestamp.microseconds,
                parentTimestamp: head.timestamp, parents: [], known: [])
        }
        _ = cache.apply(
            NewestRow(
                key: Array(key.utf8), timestamp: timestamp.microseconds,
                value: LoadedValue(value), causalParents: .parents([head.timestamp])),
            of: own)
    }
}
