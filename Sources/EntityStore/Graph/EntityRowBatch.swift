import Replication

/// Consecutive rows of one device's log, validated and ready to merge.
///
/// Repeated texts (identifiers, types, keys, tags) are numbers into the device's own list of names,
/// starting at 1. The batch carries the names that were added to that list. Values are concatenated
/// in `bytes`.
struct EntityRowBatch: Sendable {
    enum Operation: UInt8, Sendable {
        /// Creates an entity: `tag` is its type, `date` its datestamp.
        case creation = 1
        /// Adds an entry to a property.
        case entry = 2
        /// Removes entries of a property: `payload` is the index of its `Cover`.
        case removal = 3
        /// Deletes an entity.
        case deletion = 4
    }

    struct Row: Sendable {
        /// Numbers start at 1. The only gaps are skipped rows.
        var id: UInt32
        /// Names; 0 for none.
        var entity: UInt32
        var key: UInt32 = 0
        var tag: UInt32 = 0
        /// The time of the write.
        var timestamp: Int64
        /// The datestamp.
        var date: Int64
        /// By kind: an integer, the bits of a double, 0 or 1, microseconds, the name of a
        /// relationship's target, or the offset of the value in `bytes`.
        var payload: UInt64 = 0
        var length: UInt32 = 0
        var operation: Operation
        var kind: EntityValueKind = .string
    }

    /// The entries that a removal covers: those that its writer had seen.
    struct Cover: Sendable, Equatable, Codable {
        /// Per device: the number of the last covered row. All earlier rows of the property are
        /// also covered.
        var upTo: [DeviceID: UInt32] = [:]
        /// Per device: these rows.
        var rows: [DeviceID: [UInt32]] = [:]
        /// The entry that the next entry of the same write restates.
        var restated: PropertyEntry.ID?
    }

    let device: DeviceID
    var names: [String] = []
    var rows: ContiguousArray<Row> = []
    var covers: [Cover] = []
    var bytes: ContiguousArray<UInt8> = []
    /// The number of the last row that was read, including skipped rows; 0 for none.
    var lastRow: UInt32 = 0

    var isEmpty: Bool { rows.isEmpty && names.isEmpty }
}
