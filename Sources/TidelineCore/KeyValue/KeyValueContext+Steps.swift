import KeyValueStore
import Replication

/// When one key was written, and which keys are not as they were.
extension KeyValueContext {
    /// More keys than these are not restored as one edit.
    private static let longestRestoring = 10_000

    /// The nearest instant at which a key was written, also by a write that did not win.
    ///
    /// - Complexity: A search in each log.
    func step(ofKey key: String, from instant: Timestamp, backwards: Bool) throws -> RowStep {
        let (edge, overflow) = instant.microseconds.addingReportingOverflow(backwards ? -1 : 1)
        guard !overflow else { return .none }
        var filter = KeyValueStore.RowFilter(key: key, longestValue: 0)
        if backwards {
            filter.through = Timestamp(microseconds: edge)
        } else {
            filter.from = Timestamp(microseconds: edge)
        }
        let rows = try store.rows(filter, backwards ? .newest : .oldest, limit: 1).rows
        return rows.first.map { .at($0.timestamp) } ?? .none
    }

    /// The keys with a beginning whose value, or whether they are there, is another now than at an
    /// instant; in byte order.
    ///
    /// - Throws: ``EditError``, `.invalid`, for more than can be restored at once.
    /// - Complexity: O(*n*) in the keys with that beginning.
    func changedKeys(under prefix: String, since instant: Timestamp) throws -> [String] {
        let then = try store.readableRows(at: instant, prefix: prefix).rows
        let names = Set(store.keys(prefix: prefix).map { Name($0) }).union(then.keys)
        guard !names.isEmpty || prefix.isEmpty else {
            throw EditError(.notFound, "no key begins with \(prefix), now or then")
        }
        var changed: [String] = []
        for name in names.sorted() {
            try Task.checkCancellation()
            if isChanged(name.text, since: then[name]) { changed.append(name.text) }
        }
        guard changed.count <= Self.longestRestoring else {
            throw EditError(
                .invalid,
                "\(changed.count) keys are not as they were, and \(Self.longestRestoring) are the "
                    + "most that one edit takes back: name a longer beginning")
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
