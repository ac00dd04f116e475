import Replication

/// The merged rows of all devices, in memory.
///
/// Three arrays hold most of the data: entities, slots (one per property of an entity), and entries
/// (one per value). The elements refer to each other by number: an entity to the chain of its
/// slots, a slot to the chain of its entries and to its current entry. Values stay encoded in one
/// buffer until they are read.
///
/// The result of a merge doesn't depend on the order of the rows:
/// - The current entry of a property is the visible one with the newest datestamp. If datestamps
///   are equal, the write time decides, then the device, then the row.
/// - Setting a property replaces all values that the writer had seen. A property is in conflict
///   while it has different values that were set. Initial values count as set by a writer that had
///   seen nothing.
/// - A removal covers the entries that its writer had seen. An entry that another device added
///   concurrently stays.
/// - A deletion ends all older entries of an entity and the relationships to it. Concurrent writes
///   don't bring the entity back. Only a later creation with the same identifier does.
/// - If several rows create one entity, the oldest decides its type and datestamp.
/// - An entity whose creation hasn't arrived exists without a type.
struct EntityGraph {
    static let none = UInt32.max

    struct Node {
        var name: UInt32
        /// The name of the entity's type; 0 while unknown.
        var type: UInt32 = 0
        var firstSlot = EntityGraph.none
        var slotCount: UInt32 = 0
        /// The newest of the relationship entries that point to the entity, chained by their
        /// `length`.
        var firstIncoming = EntityGraph.none
        var firstCreation = EntityGraph.none
        /// The creation date.
        var date = Int64.max
        /// The time of the newest row about the entity.
        var newest = Int64.min
        var flags: NodeFlags = []
    }

    struct NodeFlags: OptionSet {
        let rawValue: UInt8
        /// Whether the entity is listed: created, or written to and never deleted.
        static let isAlive = NodeFlags(rawValue: 1)
        static let hasDeletion = NodeFlags(rawValue: 2)
        static let isDirty = NodeFlags(rawValue: 4)
        static let isTouched = NodeFlags(rawValue: 8)
        static let wasAlive = NodeFlags(rawValue: 16)
        /// Whether the entity's slots are also in `slotTable` because there are many.
        static let isTabled = NodeFlags(rawValue: 32)
    }

    struct Slot {
        var node: UInt32
        var key: UInt32
        var next: UInt32
        var firstEntry = EntityGraph.none
        /// The current entry of the property.
        var current = EntityGraph.none
        var flags: SlotFlags = []
    }

    struct SlotFlags: OptionSet {
        let rawValue: UInt8
        static let isDirty = SlotFlags(rawValue: 1)
        static let isTouched = SlotFlags(rawValue: 2)
        /// Whether `covers` may have an entry for the slot.
        static let hasCover = SlotFlags(rawValue: 4)
    }

    struct EntryFlags: OptionSet {
        let rawValue: UInt8
        static let isRemoved = EntryFlags(rawValue: 1)
        /// Whether the entry replaced all values that its writer had seen.
        static let isReplacing = EntryFlags(rawValue: 2)
        /// Whether the write that created the entity also added this entry, and no other entry of
        /// the same property.
        static let isFirst = EntryFlags(rawValue: 4)
    }

    struct Entry {
        var timestamp: Int64
        var date: Int64
        /// As in `EntityRowBatch.Row`, except that a relationship's payload is the number of its
        /// target.
        var payload: UInt64
        /// As in `EntityRowBatch.Row`, except for a relationship: the next entry in the chain of
        /// its target.
        var length: UInt32
        var slot: UInt32
        var next: UInt32
        var tag: UInt32
        var row: UInt32
        var device: UInt16
        var kind: EntityValueKind
        var flags: EntryFlags = []

        var isRemoved: Bool { flags.contains(.isRemoved) }
        /// Whether the writer set the value, instead of adding it to other values that the writer
        /// knew or wrote.
        var wasSet: Bool { !flags.isDisjoint(with: [.isReplacing, .isFirst]) }
    }

    struct Creation {
        var stamp: Stamp
        var date: Int64
        var type: UInt32
        var next: UInt32
    }

    /// The position of a row in the total order that all devices share.
    struct Stamp {
        var timestamp: Int64
        var device: UInt16
        var row: UInt32
    }

    struct SlotDevice: Hashable {
        var slot: UInt32
        var device: UInt16
    }

    /// The rows of a device up to and including `row`.
    struct SeenRows {
        var device: UInt16
        var row: UInt32
    }

    /// The causes of a set value: the rows of the property that its writer had seen.
    struct Causes {
        /// The row of the value in its device's log.
        var row: UInt32
        /// The rows that the writer had seen, by device. It had seen no rows of a device that isn't
        /// listed, even if that device is the writer.
        var seen: [SeenRows]
    }

    /// A removal of values of a property. It affects all values that its writer had seen.
    struct Replacement {
        var slot: UInt32
        var timestamp: Int64
        /// The rows that the writer had seen, by device; `nil` if these are all earlier rows of its
        /// own device and no rows of other devices.
        var seen: [SeenRows]?
        /// The entry that the value restates, as in ``EntityGraph/restated``.
        var restated: UInt64?
    }

    struct SlotKey: Hashable {
        var node: UInt32
        var key: UInt32
    }

    var names = StringTable()
    /// The entity for each name that is an identifier.
    var nodeOfName: ContiguousArray<UInt32> = [EntityGraph.none]
    var nodes: ContiguousArray<Node> = []
    var slots: ContiguousArray<Slot> = []
    var entries: ContiguousArray<Entry> = []
    var creations: ContiguousArray<Creation> = []
    var deletions: [UInt32: Stamp] = [:]
    var bytes: ContiguousArray<UInt8> = []
    /// The slots of entities with too many slots to walk the chain.
    var slotTable: [SlotKey: UInt32] = [:]
    /// The last rows that removals cover, by slot and device.
    var covers: [SlotDevice: UInt32] = [:]
    /// Single removed entries that haven't arrived yet, as device and row, by slot.
    var single: [UInt32: Set<UInt64>] = [:]

    /// The latest removal of a whole property, by device. If the same write also sets a value, the
    /// value is the next row, which needs this removal.
    var replacing: [UInt16: Replacement] = [:]
    /// The causes of set values, by writer, without values that their own device has removed.
    /// There is no entry for a value whose writer had seen all rows of its own device and no rows
    /// of other devices. A device has several entries if its processes wrote concurrently.
    var causes: [SlotDevice: [Causes]] = [:]
    /// Whether the causes of removed values are kept.
    var keepsCauses = false
    /// The entries that restate another entry. Both entries are given by device and row.
    var restated: [UInt64: UInt64] = [:]
    /// The properties in conflict.
    var conflicts: Set<UInt32> = []
    /// The previous conflict state of each property whose state changed since tracking began.
    var conflictsBefore: [UInt32: Bool] = [:]

    private(set) var deviceNumbers = DeviceNumbers()
    /// The devices by number.
    var devices: [DeviceID] { deviceNumbers.devices }
    var lastRows: [UInt16: UInt32] = [:]
    /// The last row of each device that a removal refers to.
    var lastCovered: [UInt16: UInt32] = [:]
    /// For each device, the names in its log: the index is the device's number for a name, and the
    /// element is the graph's number.
    var localNames: [ContiguousArray<UInt32>] = []

    // Work for the next `applyPending()`, and the changes for the next `takeChanges(…)`.
    var dirtyNodes: [UInt32] = []
    var dirtySlots: [UInt32] = []
    var isTracking = false
    var touchedNodes: [UInt32] = []
    var touchedSlots: [UInt32] = []

    /// The indexes of values, by key. The first query that benefits from an index creates it, and
    /// every later change updates it.
    var valueIndexes: [UInt32: ValueIndex] = [:]
    var textIndex: TextIndex?

    /// The living entities, oldest first; `nil` after an entity was created or deleted.
    var listed: ContiguousArray<UInt32>?
    /// Incremented by every change that can affect the result of a query.
    var version: UInt64 = 0

    mutating func bumpVersion() { version &+= 1 }

    /// Returns the number of a device, assigning one to a new device.
    ///
    /// - Throws: ``EntityStoreError`` with code `.unreadable` if there are 65,535 already.
    mutating func number(of device: DeviceID) throws(EntityStoreError) -> UInt16 {
        guard let number = deviceNumbers.number(of: device) else {
            throw EntityStoreError(.unreadable, "there are more than 65,535 devices")
        }
        if number == localNames.count { localNames.append([0]) }
        return number
    }

    /// Returns the entity whose identifier is `name`, whether it exists or is only referenced.
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
        if a.device != b.device { return deviceNumbers.isAfter(a.device, b.device) }
        return a.row > b.row
    }

    func isNewer(_ a: Entry, _ b: Entry) -> Bool {
        if a.date != b.date { return a.date > b.date }
        return isNewer(stamp(of: a), stamp(of: b))
    }

    func stamp(of entry: Entry) -> Stamp {
        Stamp(timestamp: entry.timestamp, device: entry.device, row: entry.row)
    }

    /// Returns whether the entry is still visible after all removals and deletions. Doesn't check
    /// whether its entity is deleted.
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
