import Synchronization

/// All operations of a document, and the current state that results from them.
///
/// An array of rows holds all operations in the order in which they were applied. Indexes map the
/// keys of maps and the positions of lists to their operations. The type does no locking.
struct OpSet: ~Copyable {
    /// A field that makes the compiler pass op sets, and types that contain them, by address.
    /// Without it, a debug build tracks about two hundred nested fields through every function that
    /// reads one of them. This tracking would take half of this module's compile time.
    private let inPlace = Atomic(false)

    var operations = PackedArray<Operation>()
    var links = LinkTable()
    /// The bytes of values that don't fit in a row.
    var heap = PackedArray<UInt8>()
    var names = NameTable()
    var actors = ActorTable()
    var elements = ElementStore()
    var slots = PackedArray<Slot>()
    /// Samples of the rows in long chains at regular intervals, oldest first, by slot.
    var chainSamples: [UInt32: ContiguousArray<UInt32>] = [:]
    var longWidths = PackedArray<WidthTable.Long>()
    var objects = PackedArray<Object>()
    /// The keys of each map, including those without a current value.
    var mapKeys: [MapKeys] = []
    /// The slot of each key, by object and name.
    var keySlots: [UInt64: UInt32] = [:]
    /// The names of marks, by the operation's row.
    var markNames: [UInt32: UInt32] = [:]
    let encoding: TextEncoding

    /// The pending transaction, which consists of the operations from its first row on.
    var pending = Pending()

    struct Object: BitwiseCopyable {
        /// The row of the operation that created the object, or `none` for the root.
        var maker: UInt32
        /// The action that created the object.
        var type: UInt8
        var hasMarks = false
        var root = ElementStore.Root()
        /// The index of a map's keys.
        var keys: UInt32 = none

        var isMap: Bool { type == Action.makeMap || type == Action.makeTable }
        var isText: Bool { type == Action.makeText }
    }

    struct MapKeys {
        var names = ContiguousArray<UInt32>()
        var isSorted = true
    }

    struct Pending: BitwiseCopyable {
        var firstRow = 0
        var actor: UInt32 = none
        var startCounter: UInt64 = 0
    }

    static let rootObject: UInt32 = 0

    init(encoding: TextEncoding) {
        self.encoding = encoding
        objects.append(Object(maker: none, type: Action.makeMap, keys: 0))
        mapKeys.append(MapKeys())
    }

    borrowing func copy() -> OpSet {
        var result = OpSet(encoding: encoding)
        result.operations = operations.copy()
        result.links = links.copy()
        result.heap = heap.copy()
        result.names = names.copy()
        result.actors = actors.copy()
        result.elements = elements.copy()
        result.slots = slots.copy()
        result.chainSamples = chainSamples
        result.longWidths = longWidths.copy()
        result.objects = objects.copy()
        result.mapKeys = mapKeys
        result.keySlots = keySlots
        result.markNames = markNames
        result.pending = pending
        return result
    }

    // MARK: Identifiers

    /// Returns the row of an operation. Operations of the pending transaction are included.
    @inline(__always)
    func row(actor: UInt32, counter: UInt64) -> UInt32? {
        if actor == pending.actor, counter >= pending.startCounter {
            let offset = counter - pending.startCounter
            guard offset < UInt64(operations.count - pending.firstRow) else { return nil }
            return UInt32(pending.firstRow) + UInt32(offset)
        }
        return actors.row(actor: actor, counter: counter)
    }

    /// Returns whether one operation's identifier is below another's. Identifiers are compared by
    /// counter and then by actor.
    @inline(__always)
    func precedes(_ left: UInt32, _ right: UInt32) -> Bool {
        let first = operations[left]
        let second = operations[right]
        if first.counter != second.counter { return first.counter < second.counter }
        return actors.ranks[first.actor] < actors.ranks[second.actor]
    }

    var widths: WidthTable {
        WidthTable(
            operations: operations.base, slots: slots.base, long: longWidths.base,
            longCount: longWidths.count)
    }

    // MARK: Slots

    func slot(object: UInt32, name: UInt32) -> UInt32? {
        keySlots[UInt64(object) << 32 | UInt64(name)]
    }

    /// Returns the slot of a key, creating it if necessary.
    mutating func makeSlot(object: UInt32, name: UInt32) -> UInt32 {
        let id = UInt64(object) << 32 | UInt64(name)
        if let known = keySlots[id] { return known }
        let slot = UInt32(slots.count)
        slots.append(Slot(owner: name))
        keySlots[id] = slot
        let keys = Int(objects[object].keys)
        if let last = mapKeys[keys].names.last, !names.precedes(last, name) {
            mapKeys[keys].isSorted = false
        }
        mapKeys[keys].names.append(name)
        return slot
    }

    /// Returns the slot of an element, creating it if necessary.
    mutating func makeSlot(element: UInt32) -> UInt32 {
        let known = operations[element].slot
        if known != none { return known }
        let slot = UInt32(slots.count)
        let isVisible = operations[element].isVisible
        slots.append(
            Slot(
                newest: none, winner: isVisible ? element : none, visibleCount: isVisible ? 1 : 0,
                owner: element))
        operations[element].slot = slot
        return slot
    }

    /// Returns the names of a map's keys in the order of their bytes, including keys without a
    /// current value.
    mutating func sortedNames(of object: UInt32) -> ContiguousArray<UInt32> {
        let keys = Int(objects[object].keys)
        if !mapKeys[keys].isSorted {
            var list = mapKeys[keys].names
            mapKeys[keys].names = []
            list.sort { names.precedes($0, $1) }
            mapKeys[keys].names = list
            mapKeys[keys].isSorted = true
        }
        return mapKeys[keys].names
    }

    // MARK: Values

    /// Calls `body` with the bytes of a value.
    @inline(__always)
    func withValue<Result>(
        of row: UInt32, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
        let operation = operations[row]
        let count = operation.valueCount
        if count <= 4 {
            return try withUnsafeBytes(of: operation.value.littleEndian) { raw in
                try raw.withMemoryRebound(to: UInt8.self) {
                    try body(UnsafeBufferPointer(rebasing: $0[..<count]))
                }
            }
        }
        return try body(
            UnsafeBufferPointer(start: heap.base + Int(operation.value), count: count))
    }

    /// Stores the bytes of a value and returns the value's representation in the row.
    @inline(__always)
    mutating func store(_ bytes: UnsafeBufferPointer<UInt8>) throws(FormatError) -> UInt32 {
        if bytes.count <= 4 {
            var packed: UInt32 = 0
            for (index, byte) in bytes.enumerated() { packed |= UInt32(byte) << UInt32(8 * index) }
            return packed
        }
        return try storeLong(bytes)
    }

    private mutating func storeLong(
        _ bytes: UnsafeBufferPointer<UInt8>
    ) throws(FormatError) -> UInt32 {
        guard bytes.count <= Limits.value, heap.count + bytes.count < Int(UInt32.max) else {
            throw FormatError(
                .tooLarge,
                "a value is longer than 256 MiB, or all values together are longer than 4 GiB")
        }
        let offset = UInt32(heap.count)
        if let start = bytes.baseAddress { heap.append(from: start, count: bytes.count) }
        return offset
    }

    /// Returns the number of positions that a value takes in a text. In a list, each value takes
    /// one position.
    func width(
        ofText bytes: UnsafeBufferPointer<UInt8>, type: UInt32, action: UInt8
    ) -> Int {
        if action == Action.mark { return 0 }
        guard action == Action.set, type == ValueType.string else {
            // Every other value counts as an object replacement character, U+FFFC.
            return encoding == .utf8 ? 3 : 1
        }
        return encoding.width(of: bytes)
    }

    /// Sets the width of a row in its list or text.
    mutating func setWidth(_ width: Int, of row: UInt32) {
        if width < Int(Operation.longWidth) {
            operations[row].width = UInt16(width)
        } else {
            operations[row].width = Operation.longWidth
            longWidths.append(WidthTable.Long(row: row, width: UInt32(truncatingIfNeeded: width)))
        }
    }
}

extension TextEncoding {
    /// Returns the length of a string in units of the encoding.
    func width(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
        switch self {
        case .utf8: return bytes.count
        case .unicodeScalar:
            var count = 0
            for byte in bytes where byte & 0xc0 != 0x80 { count += 1 }
            return count
        case .utf16:
            var count = 0
            for byte in bytes where byte & 0xc0 != 0x80 { count += byte >= 0xf0 ? 2 : 1 }
            return count
        case .graphemeCluster:
            if bytes.count == 1 { return 1 }
            return String(decoding: bytes, as: UTF8.self).count
        }
    }
}
