import Replication
import Synchronization

/// The rows that the dictionary is made of: for each device and key the newest.
///
/// All keys stand in one block of bytes and all values in another; keys are found by open
/// addressing, the rows of a key are a linked list that begins with the winner. 32 bytes an entry
/// and 16 a row beside the bytes themselves: a store of a hundred thousand keys takes no hundred
/// thousand objects.
///
/// Causality (data rule 8) lives in three places. A row is marked `superseded` as soon as a newer
/// row of another device knew it. What rows know of rows that have not arrived is kept in
/// `ghosts`, and judged when they do. Digests of the losing heads tell whether they disagree with
/// the winner. So the result does not depend on the order in which rows arrive.
struct LogsCache: ~Copyable {
    struct Entry: BitwiseCopyable {
        var valueStart: Int
        /// `deleted` where the winner is a deletion, `long` where its value stays in its log.
        var valueLength: UInt32
        /// The first row of the list is the winner.
        var firstRow: UInt32

        static let deleted = UInt32.max
        static let long = UInt32.max - 1

        /// How many of the block's bytes are the value.
        var room: Int { valueLength < Self.long ? Int(valueLength) : 0 }
    }

    struct Row: BitwiseCopyable {
        var timestamp: Int64
        var next: UInt32
        var device: DeviceNumber
        var isSuperseded: Bool
    }

    /// The rows of a device on a key that others knew before they arrived here.
    struct Ghost: Hashable {
        let entry: UInt32
        let device: DeviceNumber
    }

    struct Foreknowledge {
        let knower: DeviceNumber
        var timestamp: Int64
    }

    struct ForkHead {
        let device: DeviceNumber
        let timestamp: Int64
        let digest: Int
        /// The row whose value it is: another one where this says that again.
        let side: RowStamp
    }

    static let none = UInt32.max
    /// As many devices can have numbers.
    static let deviceLimit = Int(DeviceNumber.max)
    /// A log may name so many devices, of which there may be no logs. If it names more, those count
    /// that have logs.
    static let namedDeviceLimit = 1_024

    /// Makes the compiler pass caches, and what contains them, by their address: without it a debug
    /// build follows each nested field through every function that reads one.
    private let inPlace = Atomic(false)

    var entries = GrowingBuffer<Entry>()
    var rows = GrowingBuffer<Row>()
    private var keys = KeyTable()
    private var valueBytes = GrowingBuffer<UInt8>()
    private var garbage = 0
    /// How many bytes the values have that stay in their logs.
    private var longValues: [UInt32: Int] = [:]
    /// Entries whose winner's bytes are certainly no property list.
    private(set) var brokenValues: Set<UInt32> = []

    private(set) var devices: [DeviceID] = []
    private var numbers: [DeviceID: DeviceNumber] = [:]
    /// Each device's place in the byte order of identifiers, which decides ties (data rule 6).
    private(set) var ranks: [UInt16] = []
    /// The devices by rank.
    private var inOrder: [DeviceNumber] = []
    /// The newest timestamp of each device, and how many keys it has rows of.
    var newest: [Int64] = []
    var keyCounts: [Int] = []

    var ghosts: [Ghost: [Foreknowledge]] = [:]
    /// The timestamps that PARStore 1 rows name as their parents, of rows that have not arrived,
    /// and the devices of the rows that name them.
    var namedParents: [UInt32: [Int64: [DeviceNumber]]] = [:]
    /// For entries with several heads: the digest of each losing head's value.
    var contested: [UInt32: [DeviceNumber: Int]] = [:]
    /// For entries of which some device's rows are not a chain: their heads, the winner first, by
    /// what each row names. Of the others each device has one head at most, its newest row.
    var forks: [UInt32: [ForkHead]] = [:]
    /// Entries whose heads disagree.
    var conflicts: Set<UInt32> = []
    /// Entries in the byte order of their keys, as far as they were sorted.
    var order: [UInt32] = []
    /// How many entries have a value.
    private(set) var liveCount = 0
    /// Bytes of the keys that have a value, and of those values.
    private(set) var liveByteCount = 0

    /// The number of `device`, given to it now if it has none.
    ///
    /// - Returns: `nil` for the 65,536th device.
    mutating func number(of device: DeviceID) -> DeviceNumber? {
        if let known = numbers[device] { return known }
        guard devices.count < Self.deviceLimit else { return nil }
        let number = DeviceNumber(devices.count)
        let rank = rank(ofNew: device)
        for index in ranks.indices where ranks[index] >= rank { ranks[index] += 1 }
        ranks.append(rank)
        inOrder.insert(number, at: Int(rank))
        devices.append(device)
        numbers[device] = number
        newest.append(.min)
        keyCounts.append(0)
        return number
    }

    /// How many of the known devices come before `device`.
    private func rank(ofNew device: DeviceID) -> UInt16 {
        var low = 0
        var high = inOrder.count
        while low < high {
            let middle = (low + high) / 2
            if devices[Int(inOrder[middle])] < device { low = middle + 1 } else { high = middle }
        }
        return UInt16(low)
    }

    func knownNumber(of device: DeviceID) -> DeviceNumber? { numbers[device] }

    /// The numbers of the devices that a log names, by the log's own numbers for them.
    mutating func numbers(of writers: [Int64: DeviceID]) -> [Int64: DeviceNumber] {
        guard writers.count <= Self.namedDeviceLimit else {
            return writers.compactMapValues { numbers[$0] }
        }
        return writers.compactMapValues { number(of: $0) }
    }

    /// Gives back memory that growing left over.
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

    /// The entry of `key`, made now if there is none. A new one has no rows until one is placed.
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
    /// The winner's bytes, or `nil` where it is a deletion, or its value stays in its log.
    func withValue<Result>(
        _ index: UInt32, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result? {
        let entry = entries[Int(index)]
        guard entry.valueLength < Entry.long else { return nil }
        return valueBytes.withRange(entry.valueStart, Int(entry.valueLength), body)
    }

    /// How many bytes the winner's value has if it stays in its log.
    func longValue(_ index: UInt32) -> Int? {
        entries[Int(index)].valueLength == Entry.long ? longValues[index] : nil
    }

    /// A copy of the winner's value, as far as it is here.
    func value(_ index: UInt32) -> LoadedValue {
        longValue(index).map(LoadedValue.long) ?? LoadedValue(withValue(index) { Array($0) })
    }

    /// Whether the entry has a value.
    func isLive(_ index: UInt32) -> Bool {
        entries[Int(index)].valueLength != Entry.deleted
    }

    /// Puts the winner's value in place of the former.
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

    /// Puts the winner's value in place of the former.
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
