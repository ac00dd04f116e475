import Replication

/// Consecutive rows of one device's log, checked and ready to be merged.
///
/// Texts that repeat (identifiers, types, keys, tags) are numbers in the device's own list of
/// names, from 1; the batch carries the names that were added to that list. Values stand one after
/// the other in `bytes`.
struct RowBatch: Sendable {
    enum Operation: UInt8, Sendable {
        /// Makes an entity: `tag` is its type, `date` its datestamp.
        case creation = 1
        /// Gives a property a further entry.
        case entry = 2
        /// Takes back entries of a property: `payload` is the place of its `Cover`.
        case removal = 3
        /// Deletes an entity.
        case deletion = 4
    }

    struct Row: Sendable {
        /// From 1, without gaps, except for rows that are left out.
        var id: UInt32
        /// Names, 0 for none.
        var entity: UInt32
        var key: UInt32 = 0
        var tag: UInt32 = 0
        /// When the row was written.
        var timestamp: Int64
        /// The datestamp.
        var date: Int64
        /// By kind: an integer, the bits of a double, 0 or 1, microseconds, the name of a
        /// relationship's target, or where in `bytes` the value begins.
        var payload: UInt64 = 0
        var length: UInt32 = 0
        var operation: Operation
        var kind: EntityValueKind = .string
    }

    /// The entries that a removal takes back: what its writer had seen.
    struct Cover: Sendable, Equatable {
        /// By device: every row of the property up to this one.
        var upTo: [DeviceID: UInt32] = [:]
        /// By device: these rows.
        var rows: [DeviceID: [UInt32]] = [:]
        /// The entry whose value the one that follows in the same write says again.
        var restated: PropertyEntry.ID?
    }

    let device: DeviceID
    var names: [String] = []
    var rows: ContiguousArray<Row> = []
    var covers: [Cover] = []
    var bytes: ContiguousArray<UInt8> = []
    /// The number of the last row that was read, rows included that were left out; 0 for none.
    var lastRow: UInt32 = 0

    init(device: DeviceID) { self.device = device }

    var isEmpty: Bool { rows.isEmpty && names.isEmpty }
}
