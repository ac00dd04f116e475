import KeyValueStore
import Replication

/// The keys that a query lists, by index.
struct KeyList: IndexedRows, Sendable {
    /// Indexes of keys in the store, now or at an instant of the past.
    enum Content: Sendable {
        case live(KeyValueStore.EntryList)
        case past(KeyValueStore.PastEntryList, PastInstant)
    }

    /// An instant with its conflicting keys and the original rows of their values; `nil` if these
    /// are looked up only for the visible rows.
    struct PastInstant: Sendable {
        let instant: Timestamp
        var conflicts: [Name: LogRow.Reference]?
    }

    let store: KeyValueStore
    let content: Content
    let deviceName: @Sendable (DeviceID) -> String

    var count: Int {
        switch content {
        case .live(let list): list.count
        case .past(let list, _): list.count
        }
    }

    /// - Throws: ``ListOutdated`` if the store was reloaded since the list was made.
    func keyRows(_ range: Range<Int>) throws -> [KeyRow] {
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
        var rows = try keyRows(range)
        if case .past(_, let past) = content, past.conflicts == nil {
            let conflicts = try store.conflictOriginals(at: past.instant, among: rows.map(\.key))
            for index in rows.indices { rows[index].note(conflicts) }
        }
        return rows.map { $0.row(deviceName: deviceName) }
    }

    func index(of row: RowID) throws -> Int? {
        switch content {
        case .live(let list): store.position(of: row.name, in: list)
        case .past(let list, _): store.position(of: row.name, in: list)
        }
    }

    /// Returns the keys for which `isIncluded` is true, in the order of `sort`.
    func arranged(
        _ isIncluded: ((KeyRow) -> Bool)?, sort: RowQuery.Sort?
    ) throws -> KeyList {
        var positions: [Int]?
        if let isIncluded {
            var kept: [Int] = []
            try forEach { if isIncluded($1) { kept.append($0) } }
            positions = kept
        }
        if let sort { positions = try sorted(positions, by: sort) }
        return positions.map(selecting) ?? self
    }

    private func selecting(_ positions: [Int]) -> KeyList {
        switch content {
        case .live(let list):
            KeyList(store: store, content: .live(list.selecting(positions)), deviceName: deviceName)
        case .past(let list, let past):
            KeyList(
                store: store, content: .past(list.selecting(positions), past),
                deviceName: deviceName)
        }
    }

    private func forEach(_ body: (Int, KeyRow) -> Void) throws {
        let chunk = 512
        for start in stride(from: 0, to: count, by: chunk) {
            try Task.checkCancellation()
            let range = start..<min(count, start + chunk)
            for (offset, row) in try keyRows(range).enumerated() { body(start + offset, row) }
        }
    }

    /// Returns positions in the order of `sort`. Equal ones stay in key order.
    private func sorted(_ positions: [Int]?, by sort: RowQuery.Sort) throws -> [Int] {
        let positions = positions ?? Array(0..<count)
        if sort.column == "key" { return sort.isDescending ? positions.reversed() : positions }
        switch sort.column {
        case "age":
            // The newest instant has the lowest age.
            return try order(positions, isDescending: !sort.isDescending, .distantPast) {
                $0.timestamp
            }
        case "device":
            return try order(positions, isDescending: sort.isDescending, "") {
                $0.device.map(deviceName) ?? ""
            }
        case "value":
            return try order(positions, isDescending: sort.isDescending, .none) {
                ValueOrder($0.value)
            }
        default:
            return try order(positions, isDescending: sort.isDescending, "") {
                $0.value?.typeName ?? ""
            }
        }
    }

    /// Sorts positions by a property of their keys, which is computed once per key.
    private func order<Mark: Comparable>(
        _ positions: [Int], isDescending: Bool, _ none: Mark, by mark: (KeyRow) -> Mark
    ) throws -> [Int] {
        var marks = [Mark](repeating: none, count: count)
        try forEach { marks[$0] = mark($1) }
        return positions.sorted { lhs, rhs in
            let (a, b) = (marks[lhs], marks[rhs])
            return a == b ? lhs < rhs : isDescending ? a > b : a < b
        }
    }
}

/// Thrown if a list must be recreated because the store was reloaded.
struct ListOutdated: Error {}
