import Replication
import Synchronization

/// The rows that make up the dictionary: the newest row per device and key.
///
/// All keys are in one block of bytes and all values in another. Keys are found by open addressing,
/// and the rows of a key are a linked list that starts with the winner. An entry takes 32 bytes,
/// and a row takes 16, in addition to the bytes of keys and values. So a store with a hundred
/// thousand keys doesn't need a hundred thousand objects.
///
/// Causality (data rule 8) is kept in three places. A row is marked `superseded` once a newer row
/// of another device had seen it. References to rows that haven't arrived are kept in `missingRows`
/// and applied when those rows arrive. Digests of the losing heads show whether these disagree with
/// the winner. So the result doesn't depend on the order in which rows arrive.
struct LogsCache: ~Copyable {
    struct Entry: BitwiseCopyable {
        var valueStart: Int
        /// The length of the value; `deleted` if the winner is a deletion, `long` if its value
        /// stays in its log.
        var valueLength: UInt32
        /// The first row of the list, which is the winner.
        var firstRow: UInt32

        static let deleted = UInt32.max
        static let long = UInt32.max - 1

        /// The number of bytes of the block that the value occupies.
        var room: Int { valueLength < Self.long ? Int(valueLength) : 0 }
    }

    struct Row: BitwiseCopyable {
        var timestamp: Int64
        var next: UInt32
        var device: DeviceNumber
        var isSuperseded: Bool
        var stamp: RowStamp { RowStamp(device: device, timestamp: timestamp) }
    }

    /// The device and the key of rows that haven't arrived but that other rows had seen.
    struct MissingRow: Hashable {
        let entry: UInt32
        let device: DeviceNumber
    }

    struct SeenReference {
        let referrer: DeviceNumber
        var timestamp: Int64
    }

    struct ForkHead {
        let device: DeviceNumber
        let timestamp: Int64
        let digest: Int
        /// The row that provides this head's value: the head itself, or the row that it restores by
        /// reverting others.
        let side: RowStamp
    }

    static let none = UInt32.max
    /// The maximum number of devices without a log that logs may name. Further devices are ignored.
    static let namedDeviceLimit = 1_024

    /// A field that makes the compiler pass caches, and values that contain them, by address.
    /// Otherwise, a function in a debug build copies every nested field, even if it reads only one.
    private let inPlace = Atomic(false)

    var entries = GrowingBuffer<Entry>()
    var rows = GrowingBuffer<Row>()
    private var keys = KeyTable()
    private var valueBytes = GrowingBuffer<UInt8>()
    private var garbage = 0
    /// The lengths of the values that stay in their logs.
    private var longValues: [UInt32: Int] = [:]
    /// Entries with a winner whose bytes were found not to be a property list.
    private(set) var brokenValues: Set<UInt32> = []

    private(set) var deviceNumbers = DeviceNumbers()
    /// The newest timestamp and the number of keys of each device.
    var newest: [Int64] = []
    var keyCounts: [Int] = []

    var missingRows: [MissingRow: [SeenReference]] = [:]
    /// Parents that haven't arrived, named by PARStore 1 rows: for each parent's timestamp, the
    /// devices whose rows name it.
    var namedParents: [UInt32: [Int64: [DeviceNumber]]] = [:]
    /// For entries with several heads: the digest of each losing head's value.
    var contested: [UInt32: [DeviceNumber: Int]] = [:]
    /// For entries in which a device's rows are not a chain: the heads, the winner first,
    /// determined from the parents that each row names. For other entries, each device has one head
    /// at most, its newest row.
    var forks: [UInt32: [ForkHead]] = [:]
    /// Entries in conflict: their heads have different values.
    var conflicts: Set<UInt32> = []
    /// Entries in byte order of their keys; entries added since the last sort are missing.
    var order: [UInt32] = []
    /// The number of entries with a value.
    private(set) var liveCount = 0
    /// The total size of the keys and values of the entries with a value, in bytes.
    private(set) var liveByteCount = 0

    /// The devices by number.
    var devices: [DeviceID] { deviceNumbers.devices }

    /// Returns the number of `device`, and assigns one if it has none.
    ///
    /// - Returns: `nil` if all 65,535 numbers are taken.
    mutating func number(of device: DeviceID) -> DeviceNumber? {
        guard let number = deviceNumbers.number(of: device) else { return nil }
        if number == newest.count {
            newest.append(.min)
            keyCounts.append(0)
        }
        return number
    }

    func knownNumber(of device: DeviceID) -> DeviceNumber? { deviceNumbers[device] }

    /// Returns a reference to a row that names its device by identifier.
    func reference(to row: RowStamp) -> LogRow.Reference {
        LogRow.Reference(
            device: devices[Int(row.device)],
            timestamp: Timestamp(microseconds: row.timestamp))
    }

    /// Maps a log's own numbers for devices to the numbers of the same devices in this cache.
    mutating func numbers(of writers: [Int64: DeviceID]) -> [Int64: DeviceNumber] {
        guard writers.count <= Self.namedDeviceLimit else {
            return writers.compactMapValues { deviceNumbers[$0] }
        }
        return writers.compactMapValues { number(of: $0) }
    }

    /// Shrinks the buffers to fit.
    mutating func trim() {
        keys.trim()
        valueBytes.trim()
        entries.trim()
        rows.trim()
    }
}

// MARK: - Keys

extension LogsCache {
    func index(ofKey key: UnsafeBufferPointer<UInt8>) -> UInt32? { keys.index(of: key) }

    /// Returns the entry of `key`, and creates it if necessary. A new entry has no rows.
    mutating func makeIndex(ofKey key: UnsafeBufferPointer<UInt8>) -> UInt32 {
        let (index, isNew) = keys.insert(key)
        if isNew {
            entries.append(Entry(valueStart: 0, valueLength: Entry.deleted, firstRow: Self.none))
        }
        return index
    }

    func withKey<Result>(
        _ index: UInt32, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
        try keys.withBytes(index, body)
    }

    func key(_ index: UInt32) -> String { keys.text(index) }
}

// MARK: - Values

extension LogsCache {
    /// Calls `body` with the winner's bytes. Returns `nil` if the winner is a deletion or its value
    /// stays in its log.
    func withValue<Result>(
        _ index: UInt32, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result? {
        let entry = entries[Int(index)]
        guard entry.valueLength < Entry.long else { return nil }
        return valueBytes.withRange(entry.valueStart, Int(entry.valueLength), body)
    }

    /// Returns the length of the winner's value if it stays in its log.
    func longValue(_ index: UInt32) -> Int? {
        entries[Int(index)].valueLength == Entry.long ? longValues[index] : nil
    }

    /// Returns a copy of the winner's value, if it is in the cache.
    func value(_ index: UInt32) -> LoadedValue {
        longValue(index).map(LoadedValue.long) ?? LoadedValue(withValue(index) { Array($0) })
    }

    /// Returns whether the entry has a value.
    func isLive(_ index: UInt32) -> Bool {
        entries[Int(index)].valueLength != Entry.deleted
    }

    /// Replaces the value with the winner's value.
    mutating func setValue(_ index: UInt32, _ value: LoadedValue) {
        switch value {
        case .removal: setValue(index, nil)
        case .bytes(let bytes): bytes.withUnsafeBufferPointer { setValue(index, $0) }
        case .long(let byteCount):
            setValue(index, nil)
            entries[Int(index)].valueLength = Entry.long
            longValues[index] = byteCount
            liveCount += 1
            liveByteCount += byteCount + keys.length(index)
        }
    }

    /// Replaces the value with the winner's value.
    mutating func setValue(_ index: UInt32, _ value: UnsafeBufferPointer<UInt8>?) {
        let entry = entries[Int(index)]
        let room = entry.room
        if entry.valueLength != Entry.deleted {
            liveCount -= 1
            liveByteCount -= room + keys.length(index)
        }
        if entry.valueLength == Entry.long {
            liveByteCount -= longValues.removeValue(forKey: index) ?? 0
        }
        if !brokenValues.isEmpty { brokenValues.remove(index) }
        guard let value else {
            garbage += room
            entries[Int(index)].valueLength = Entry.deleted
            return
        }
        if !BinaryPlistReader.isFramed(UnsafeRawBufferPointer(value)) {
            brokenValues.insert(index)
        }
        liveCount += 1
        liveByteCount += value.count + keys.length(index)
        entries[Int(index)].valueLength = UInt32(value.count)
        if value.count <= room {
            valueBytes.overwrite(at: entry.valueStart, with: value)
            garbage += room - value.count
        } else {
            garbage += room
            entries[Int(index)].valueStart = valueBytes.count
            valueBytes.append(contentsOf: value)
            if garbage > 1 << 20, garbage > valueBytes.count / 2 { compact() }
        }
    }

    private mutating func compact() {
        var packed = GrowingBuffer<UInt8>()
        for index in 0..<entries.count {
            let entry = entries[index]
            guard entry.valueLength < Entry.long else { continue }
            let start = packed.count
            valueBytes.withRange(entry.valueStart, entry.room) {
                packed.append(contentsOf: $0)
            }
            entries[index].valueStart = start
        }
        valueBytes = packed
        garbage = 0
    }
}
