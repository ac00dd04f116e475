import KeyValueStore
import Replication

/// The keys that a query lists, by index.
struct KeyList: IndexedItems {
    /// Indexes of keys in the store, now or at an instant of the past.
    enum Content: Sendable {
        case live(KeyValueStore.EntryList)
        case past(KeyValueStore.PastEntryList, PastInstant)
    }

    /// An instant, its keys in conflict, and the rows that wrote their values. `conflicts` is `nil`
    /// if conflicts are determined only for visible rows.
    struct PastInstant: Sendable {
        let instant: Timestamp
        var conflicts: [Name: LogRow.Reference]?
    }

    let store: KeyValueStore
    let content: Content
    let schema: ListSchema<KeyRow>

    var count: Int {
        switch content {
        case .live(let list): list.count
        case .past(let list, _): list.count
        }
    }

    /// Returns the keys of a range.
    ///
    /// - Throws: ``ListOutdated`` if the store was reloaded since the list was created.
    func items(_ range: Range<Int>) throws -> [KeyRow] {
        switch content {
        case .live(let list):
            guard let entries = store.entries(list, range) else { throw ListOutdated() }
            return entries.map(KeyRow.init)
        case .past(let list, let past):
            guard let rows = try store.rows(list, range) else { throw ListOutdated() }
            return rows.map { row in
                var keyRow = KeyRow(row)
                if let conflicts = past.conflicts { keyRow.note(conflicts) }
                return keyRow
            }
        }
    }

    func rows(_ range: Range<Int>) throws -> [Row] {
        var rows = try items(range)
        if case .past(_, let past) = content, past.conflicts == nil {
            let conflicts = try store.conflictOriginals(at: past.instant, among: rows.map(\.key))
            for index in rows.indices { rows[index].note(conflicts) }
        }
        return rows.map { schema.row($0.decodingValue()) }
    }

    func index(of row: RowID) throws -> Int? {
        switch content {
        case .live(let list): store.position(of: row.name, in: list)
        case .past(let list, _): store.position(of: row.name, in: list)
        }
    }

    /// Returns the keys that a query selects.
    ///
    /// - Throws: ``FilterError``; ``ListOutdated``; `CancellationError`.
    func selecting(_ query: RowQuery) async throws -> KeyList {
        if query.isPlain { return self }
        return selecting(try await positions(query, now: store.configuration.clock.now))
    }

    /// Returns the keys in natural order. Their values aren't read.
    ///
    /// - Throws: ``ListOutdated`` if the store was reloaded since the list was created.
    func inNaturalOrder() throws -> KeyList {
        let keys =
            switch content {
            case .live(let list): store.keys(of: list)
            case .past(let list, _): store.keys(of: list)
            }
        guard let keys else { throw ListOutdated() }
        return selecting(Array(keys.indices).inNaturalOrder { keys[$0] })
    }

    private func selecting(_ positions: [Int]) -> KeyList {
        switch content {
        case .live(let list):
            KeyList(store: store, content: .live(list.selecting(positions)), schema: schema)
        case .past(let list, let past):
            KeyList(store: store, content: .past(list.selecting(positions), past), schema: schema)
        }
    }
}

/// Thrown if a list must be recreated because the store was reloaded.
struct ListOutdated: Error {}
