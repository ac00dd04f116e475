import KeyValueStore
import Replication

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
