import KeyValueStore
import Replication

/// Packages with many devices or very many rows.
struct ScaleFiles {
    /// The total number of rows of all devices, for any number of devices.
    static let rowCount = 200_000

    let files: KeyValueFiles

    /// Creates a package of devices with the same number of writes.
    ///
    /// For seven of ten keys that a device creates, each of the next two devices writes a row. With
    /// many conflicts, these two rows are concurrent. Otherwise the second writer has seen the
    /// first row, except for one key in a hundred.
    ///
    /// - Returns: The package, and the number of its keys in conflict.
    func makeSpread(devices count: Int, hasManyConflicts: Bool) throws -> (StorePackage, Int) {
        let package = try files.package("Spread\(count)\(hasManyConflicts).store")
        let own = Self.rowCount / count
        let shared = own * 59 / 200
        let names = try (0..<count).map { try DeviceID("device-\(10_000 + $0)") }
        var conflicts = 0
        var changes = Array(repeating: [Change](), count: count)
        for maker in 0..<count {
            for number in 0..<own - 2 * shared {
                let key = "note/\(maker)/\(number)/title"
                let base = Timestamp(microseconds: Self.time(maker, number, 0))
                changes[maker].append(
                    try Change(timestamp: base, key: key, value: KeyValueFiles.value(number)))
                guard number < shared else { continue }
                let isConflict = hasManyConflicts || number % 100 == 0
                if isConflict { conflicts += 1 }
                var parent = LogRow.Reference(device: names[maker], timestamp: base)
                for step in 1...2 {
                    let writer = (maker + step) % count
                    let time = Timestamp(microseconds: Self.time(maker, number, step))
                    changes[writer].append(
                        try Change(
                            timestamp: time, parentTimestamp: parent.timestamp, parents: [parent],
                            key: key, value: .string("by \(writer) on \(number) of \(maker)")))
                    guard !isConflict else { continue }
                    parent = LogRow.Reference(device: names[writer], timestamp: time)
                }
            }
        }
        let store = try KeyValueFiles.store(package, nil)
        for (name, changes) in zip(names, changes) {
            try store.insertChanges(
                changes.sorted { $0.timestamp < $1.timestamp }, into: name, appendOnly: false)
        }
        try store.close()
        return (package, conflicts)
    }

    /// Returns a time that is later for a later step and different for every row.
    private static func time(_ maker: Int, _ number: Int, _ step: Int) -> Int64 {
        800_000_000_000_000 + (Int64(step) * 1_000_000 + Int64(number)) * 1_000 + Int64(maker)
    }
}
