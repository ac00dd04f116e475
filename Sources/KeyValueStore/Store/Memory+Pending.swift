import Foundation
import Replication

/// Pending rows of this device in the form that history uses for rows of logs.
extension Memory {
    /// Returns the pending rows of the given keys, oldest first. The ``LogRow/id`` of each is 0.
    ///
    /// - Complexity: O(*n*) in the number of pending rows.
    func pendingRows(of keys: Set<Name>) -> [Name: [LogRow]] {
        guard let own, !pending.isEmpty else { return [:] }
        let device = cache.devices[Int(own)]
        let pending = pending.all
        var found: [Name: [LogRow]] = [:]
        for row in pending.rows {
            let key = String(decoding: pending.key(of: row), as: UTF8.self)
            guard keys.contains(Name(key)) else { continue }
            let parents = pending.parents(of: row).map { cache.reference(to: $0) }
            found[Name(key), default: []].append(
                LogRow(
                    device: device, id: 0, timestamp: Timestamp(microseconds: row.timestamp),
                    key: key, bytes: pending.value(of: row).map { Data($0) },
                    parentTimestamp: row.parentTimestamp.map(Timestamp.init(microseconds:)),
                    parents: parents.isEmpty ? nil : parents,
                    reverts: row.reverts.map {
                        LogRow.Reference(
                            device: device, timestamp: Timestamp(microseconds: $0))
                    }))
        }
        return found
    }

    /// Adds the pending rows of a key to the rows of the logs.
    func add(_ rows: [LogRow], to parts: inout [RowGraph.Part]) {
        guard let part = pendingPart(rows) else { return }
        let log = parts.firstIndex { $0.device == part.device }
        // The rows of a PARStore 1 log are a chain regardless of the parents that they name.
        if ownIsParstore, let log {
            parts[log].rows += part.rows
        } else {
            parts.append(part)
        }
    }

    /// Returns the pending rows of a key as a part of its graph, or `nil` for none.
    func pendingPart(_ rows: [LogRow]) -> RowGraph.Part? {
        guard let device = rows.first?.device else { return nil }
        return RowGraph.Part(
            device: device, format: ownIsParstore ? .parstore1 : .tideline2,
            // In this library's own format, each row names its own parents.
            isForked: !ownIsParstore,
            rows: rows.map { row in
                RowGraph.Node(
                    reference: row.reference, parents: row.parents,
                    parentTimestamp: row.parentTimestamp,
                    digest: LogsCache.digest(row.bytes.map(Array.init)),
                    reverts: row.reverts)
            })
    }
}
