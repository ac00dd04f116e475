import Replication

/// All devices' rows merged in memory.
///
/// Three arrays hold the most of it: entities; slots, one a property of an entity; entries, one a
/// value. They refer to each other by number: an entity to the chain of its slots, a slot to the
/// chain of its entries and to its current one. Values stay encoded in one buffer until somebody
/// looks at them.
///
/// What the merge of a set of rows is does not depend on their order:
/// - The current entry of a property is the one of the newest datestamp that counts; ties go by
///   when it was written, then by device, then by row.
/// - A property is in conflict while it has different values that were set, each in the place of all
///   that its writer had seen; what an entity was made with was set knowing of nothing.
/// - A removal takes back the entries that its writer had seen; one that another device added
///   meanwhile stays.
/// - A deletion ends everything about an entity that is older than it: its entries, and the
///   relationships to it. What others wrote to it meanwhile does not bring it back; making an
///   entity of that identifier again, later, does.
/// - Of several rows that make one entity the oldest says its type and datestamp.
/// - An entity whose making has not arrived is there, without a type.
struct EntityGraph {
    static let none = UInt32.max

    struct Node {
        var name: UInt32
        /// The name of its type; 0 while unknown.
        var type: UInt32 = 0
        var firstSlot = EntityGraph.none
        var slotCount: UInt32 = 0
        /// The newest of the relationship entries that point here, chained by their `length`.
        var firstIncoming = EntityGraph.none
        var firstCreation = EntityGraph.none
        /// Its datestamp.
        var date = Int64.max
        /// When the newest row about it was written.
        var newest = Int64.min
        var flags: NodeFlags = []
    }

    struct NodeFlags: OptionSet {
        let rawValue: UInt8
        /// Listed and found: made, or written to and never deleted.
        static let isAlive = NodeFlags(rawValue: 1)
        static let hasDeletion = NodeFlags(rawValue: 2)
        static let isDirty = NodeFlags(rawValue: 4)
        static let isTouched = NodeFlags(rawValue: 8)
        static let wasAlive = NodeFlags(rawValue: 16)
        /// Its slots are also in `slotTable`, because there are many.
        static let isTabled = NodeFlags(rawValue: 32)
    }

    struct Slot {
        var node: UInt32
        var key: UInt32
        var next: UInt32
        var firstEntry = EntityGraph.none
        /// The entry that the property reads as.
        var current = EntityGraph.none
        var flags: SlotFlags = []
    }

    struct SlotFlags: OptionSet {
        let rawValue: UInt8
        static let isDirty = SlotFlags(rawValue: 1)
        static let isTouched = SlotFlags(rawValue: 2)
        /// `covers` may hold something for it.
        static let hasCover = SlotFlags(rawValue: 4)
    }

    struct EntryFlags: OptionSet {
        let rawValue: UInt8
        static let isRemoved = EntryFlags(rawValue: 1)
        /// Its writer put it in the place of all the values that it had seen.
        static let isReplacing = EntryFlags(rawValue: 2)
        /// The one value that the property got in the write that made its entity.
        static let isFirst = EntryFlags(rawValue: 4)
    }

    struct Entry {
        var timestamp: Int64
        var date: Int64
        /// As in `RowBatch.Row`, but a relationship's is the target's number.
        var payload: UInt64
        /// Of a relationship: the next entry in the chain of its target.
        var length: UInt32
        var slot: UInt32
        var next: UInt32
        var tag: UInt32
        var row: UInt32
        var device: UInt16
        var kind: EntityValueKind
        var flags: EntryFlags = []

        var isRemoved: Bool { flags.contains(.isRemoved) }
        /// Whether it was set, and not added to others that its writer knew or wrote.
        var wasSet: Bool { !flags.isDisjoint(with: [.isReplacing, .isFirst]) }
    }

    struct Creation {
        var stamp: Stamp
        var date: Int64
        var type: UInt32
        var next: UInt32
    }

    /// The place of a row in the one order that all devices agree on.
    struct Stamp {
        var timestamp: Int64
        var device: UInt16
        var row: UInt32
    }

    struct SlotDevice: Hashable {
        var slot: UInt32
        var device: UInt16
    }

    /// The rows of a device up to one.
    struct SeenRows {
        var device: UInt16
        var row: UInt32
    }

    /// What the writer of a value that was set had seen of the property.
    struct Knowledge {
        /// The value's row in its device's log.
        var row: UInt32
        /// Of each device that is not here nothing, the writer's own included.
        var seen: [SeenRows]
    }

    /// A removal of all that its writer had seen of a property.
    struct Replacement {
        var slot: UInt32
        var timestamp: Int64
        /// What that was; `nil` for every row of the writer's own device and of no other.
        var seen: [SeenRows]?
        /// The entry that the value says again, as in ``EntityGraph/restated``.
        var restated: UInt64?
    }

    struct SlotKey: Hashable {
        var node: UInt32
        var key: UInt32
    }

    var names = StringTable()
    /// By name: the entity that has it as its identifier.
    var nodeOfName: ContiguousArray<UInt32> = [EntityGraph.none]
    var nodes: ContiguousArray<Node> = []
    var slots: ContiguousArray<Slot> = []
    var entries: ContiguousArray<Entry> = []
    var creations: ContiguousArray<Creation> = []
    var deletions: [UInt32: Stamp] = [:]
    var bytes: ContiguousArray<UInt8> = []
    /// Slots of entities that have too many for walking the chain.
    var slotTable: [SlotKey: UInt32] = [:]
    /// Rows up to which removals reach, by slot and device.
    var covers: [SlotDevice: UInt32] = [:]
    /// Single entries taken back that have not been found yet: device and row, by slot.
    var single: [UInt32: Set<UInt64>] = [:]

    /// By device: the last time that it took everything back from a property, until the value that
    /// the same write puts there has come.
    var replacing: [UInt16: Replacement] = [:]
    /// By who set them: of the values that were set and not taken back by the same device, what their
    /// writers had seen. One whose writer had seen all of its own device's rows, and no others, has
    /// none; a device has several where processes of it wrote unseen of each other.
    var knowledge: [SlotDevice: [Knowledge]] = [:]
    /// Whether what was known to writers of values that are taken back is kept all the same.
    var keepsKnowledge = false
    /// The entries that say another's value again, and those: device and row of both.
    var restated: [UInt64: UInt64] = [:]
    /// The properties that devices set without knowing of each other.
    var conflicts: Set<UInt32> = []
    /// Of the properties that came to be in conflict, or ceased to be, since tracking began:
    /// whether they were before.
    var conflictsBefore: [UInt32: Bool] = [:]

    var devices: [DeviceID] = []
    var deviceNumbers: [DeviceID: UInt16] = [:]
    /// By device: its place in the order of identifiers.
    var ranks: [UInt16] = []
    /// The devices in that order.
    private var devicesInOrder: [UInt16] = []
    /// By device: its last row, and the last of its rows that any removal speaks of.
    var lastRows: [UInt16: UInt32] = [:]
    var lastCovered: [UInt16: UInt32] = [:]
    /// By device: from its own names to ours.
    var localNames: [ContiguousArray<UInt32>] = []

    // What `settle()` still has to look at, and what `takeChanges` will report.
    var dirtyNodes: [UInt32] = []
    var dirtySlots: [UInt32] = []
    var isTracking = false
    var touchedNodes: [UInt32] = []
    var touchedSlots: [UInt32] = []

    /// Made by the first query that gains by them, then kept up.
    var valueIndexes: [UInt32: ValueIndex] = [:]
    var textIndex: TextIndex?

    /// The entities that are there, oldest first; `nil` after a change to them.
    var listed: ContiguousArray<UInt32>?
    /// Counts up with everything that could change an answer.
    var version: UInt64 = 0

    mutating func bumpVersion() { version &+= 1 }

    /// The number of a device, which is given one when it is new.
    ///
    /// - Throws: ``EntityStoreError`` with code `.unreadable` when there are 65,535 already.
    mutating func number(of device: DeviceID) throws(EntityStoreError) -> UInt16 {
        if let number = deviceNumbers[device] { return number }
        guard let number = UInt16(exactly: devices.count), number < UInt16.max else {
            throw EntityStoreError(.unreadable, "there are more than 65,534 devices")
        }
        devices.append(device)
        deviceNumbers[device] = number
        localNames.append([0])
        var low = 0
        var high = devicesInOrder.count
        while low < high {
            let middle = (low + high) / 2
            if devices[Int(devicesInOrder[middle])] < device {
                low = middle + 1
            } else {
                high = middle
            }
        }
        devicesInOrder.insert(number, at: low)
        ranks.append(0)
        for rank in low..<devicesInOrder.count {
            ranks[Int(devicesInOrder[rank])] = UInt16(rank)
        }
        return number
    }

    /// The entity with the identifier that `name` is, whether it is there or only spoken of.
    mutating func node(named name: UInt32) -> UInt32 {
        let place = Int(name)
        if nodeOfName.count <= place {
            nodeOfName.append(
                contentsOf: repeatElement(Self.none, count: names.count - nodeOfName.count))
        }
        if nodeOfName[place] != Self.none { return nodeOfName[place] }
        let number = UInt32(nodes.count)
        nodes.append(Node(name: name))
        nodeOfName[place] = number
        return number
    }

    func isNewer(_ a: Stamp, _ b: Stamp) -> Bool {
        if a.timestamp != b.timestamp { return a.timestamp > b.timestamp }
        if a.device != b.device { return ranks[Int(a.device)] > ranks[Int(b.device)] }
        return a.row > b.row
    }

    func isNewer(_ a: Entry, _ b: Entry) -> Bool {
        if a.date != b.date { return a.date > b.date }
        return isNewer(stamp(of: a), stamp(of: b))
    }

    func stamp(of entry: Entry) -> Stamp {
        Stamp(timestamp: entry.timestamp, device: entry.device, row: entry.row)
    }

    /// Whether an entry counts, as far as removals and deletions go. Its entity may be gone.
    func isVisible(_ entry: Entry) -> Bool {
        if entry.isRemoved { return false }
        let owner = slots[Int(entry.slot)].node
        if nodes[Int(owner)].flags.contains(.hasDeletion), let deletion = deletions[owner],
            !isNewer(stamp(of: entry), deletion)
        {
            return false
        }
        guard entry.kind == .relationship else { return true }
        let target = UInt32(entry.payload)
        let flags = nodes[Int(target)].flags
        guard flags.contains(.hasDeletion), let deletion = deletions[target] else { return true }
        return flags.contains(.isAlive) && isNewer(stamp(of: entry), deletion)
    }

    func slot(of node: UInt32, key: UInt32) -> UInt32? {
        let found = nodes[Int(node)]
        if found.flags.contains(.isTabled) {
            return slotTable[SlotKey(node: node, key: key)]
        }
        var slot = found.firstSlot
        while slot != Self.none {
            if slots[Int(slot)].key == key { return slot }
            slot = slots[Int(slot)].next
        }
        return nil
    }
}
