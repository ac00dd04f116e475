import Replication

/// A device's number in the logs cache: its place in the list of devices in order of appearance.
typealias DeviceNumber = UInt16

/// A row named by its device and timestamp, as other rows name it.
struct RowStamp: Hashable, Sendable {
    let device: DeviceNumber
    let timestamp: Int64
}

/// What a device's newest row of a key knew of that key when it was written.
///
/// Rows of one device on one key are a chain, so this holds for all of them together: it is the
/// version vector that `latest.known` stores.
enum Knowledge: Sendable {
    /// For each other device the newest timestamp that had been seen, what those rows had seen
    /// included.
    case vector([RowStamp])
    /// The timestamps that PARStore 1 rows name as their parents, devices unknown. Each stands
    /// for exactly the rows with that timestamp.
    case parents([Int64])

    static var none: Knowledge { .vector([]) }
}

/// The newest row of a device on a key, as it comes from a file or from `set`.
struct NewestRow: Sendable {
    let key: [UInt8]
    let timestamp: Int64
    let value: LoadedValue
    let knowledge: Knowledge
}
