/// A device's number in the logs cache: its index in the list of devices in order of appearance.
typealias DeviceNumber = UInt16

/// A reference to a row by its device and timestamp, in the form in which other rows name it.
struct RowStamp: Hashable, Sendable {
    let device: DeviceNumber
    let timestamp: Int64
}

/// The causal parents of a device's newest row for a key.
///
/// A device's rows for a key form a chain, so one value describes the parents of all of them
/// together. It is the version vector that `latest.known` stores.
enum CausalParents: Sendable {
    /// The newest timestamp of each other device that the row had seen, directly or through other
    /// rows.
    case vector([RowStamp])
    /// The timestamps that PARStore 1 rows name as their parents, without devices. Each refers to
    /// exactly the rows with that timestamp.
    case parents([Int64])

    static var none: CausalParents { .vector([]) }
}

/// A device's newest row for a key, from a file or from `set`.
struct NewestRow: Sendable {
    let key: [UInt8]
    let timestamp: Int64
    let value: LoadedValue
    let causalParents: CausalParents
}
