import KeyValueStore
import Replication

/// What was written to keys at an instant of the past.
extension KeyValueContext {
    /// More than these nobody reads in one line.
    private static let shownWrites = 20

    /// The rows of an instant, each with the value that its key had before.
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
                case (true, let old?): ("removed \(row.key): ", [old])
                case (true, nil): ("removed \(row.key)", [])
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
