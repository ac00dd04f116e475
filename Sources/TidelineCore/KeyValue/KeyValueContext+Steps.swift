import KeyValueStore
import Replication

/// Finding changed keys.
extension KeyValueContext {
    /// The maximum number of keys that one edit can restore.
    private static let longestRestoring = 10_000

    /// Returns the added, changed and deleted keys with a prefix since an instant, in byte order.
    ///
    /// - Throws: ``EditError`` with code `.invalid` if one edit can't restore so many keys.
    /// - Complexity: O(*n*) in the number of keys with that prefix.
    func changedKeys(under prefix: String, since instant: Timestamp) throws -> [String] {
        let then = try store.readableRows(at: instant, prefix: prefix).rows
        let names = Set(store.keys(prefix: prefix).map { Name($0) }).union(then.keys)
        guard !names.isEmpty || prefix.isEmpty else {
            throw EditError(.notFound, "no key starts with \(prefix), neither now nor at that time")
        }
        var changed: [String] = []
        for name in names.sorted() {
            try Task.checkCancellation()
            if isChanged(name.text, since: then[name]) { changed.append(name.text) }
        }
        guard changed.count <= Self.longestRestoring else {
            throw EditError(
                .invalid,
                "\(Counted.grouped(changed.count)) keys have changed, but one edit can restore at most "
                    + "\(Counted.grouped(Self.longestRestoring)): use a longer prefix")
        }
        return changed
    }

    private func isChanged(_ key: String, since then: LogRow?) -> Bool {
        let entry = store.entry(forKey: key).flatMap { $0.isRemoved ? nil : $0 }
        let row = then.flatMap { $0.isDeletion ? nil : $0 }
        guard let entry, let row else { return (entry == nil) != (row == nil) }
        if entry.timestamp == row.timestamp, entry.device == row.device { return false }
        guard !row.isLeftInLog, let now = try? entry.value() else { return true }
        return (try? row.value()) ?? nil != now
    }
}

/// The writes to keys at an instant of the past.
extension KeyValueContext {
    /// The maximum number of writes to show.
    private static let shownWrites = 20

    /// Returns the rows of an instant, each with the previous value of its key.
    ///
    /// - Complexity: A search in each log for the instant and for each row's predecessor.
    func writes(at instant: Timestamp, device: DeviceID?) throws -> [PastWrite] {
        let filter = KeyValueStore.RowFilter(
            devices: device.map { [$0] }, from: instant, through: instant,
            longestValue: Self.longestListed)
        let rows = try store.rows(filter, .oldest, limit: Self.shownWrites).rows
        let before = try store.readablePredecessors(of: rows).rows
        return rows.map { row in
            let old = before[Name(row.key)].flatMap { $0.isDeletion ? nil : oneLine($0) }
            let (lead, values): (String, [String]) =
                switch (row.isDeletion, old) {
                case (true, let old?): ("deleted \(row.key): ", [old])
                case (true, nil): ("deleted \(row.key)", [])
                case (false, oneLine(row)): ("set \(row.key) again: ", [oneLine(row)])
                case (false, let old?): ("set \(row.key): ", [old, oneLine(row)])
                case (false, nil): ("set \(row.key): ", [oneLine(row)])
                }
            return PastWrite(
                .device(row.device), lead, values: values,
                link: row.isDeletion ? nil : Detail.Link(pane: .keys, row: RowID(row.key)))
        }
    }
}
