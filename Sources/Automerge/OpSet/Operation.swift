/// The actions of operations, with their numbers in the format. Operations with numbers from 8 on
/// are kept, but have no effect and are never visible.
enum Action {
    static let makeMap: UInt8 = 0
    static let set: UInt8 = 1
    static let makeList: UInt8 = 2
    static let delete: UInt8 = 3
    static let makeText: UInt8 = 4
    static let increment: UInt8 = 5
    static let makeTable: UInt8 = 6
    static let mark: UInt8 = 7

    @inline(__always)
    static func makesObject(_ action: UInt8) -> Bool {
        action == makeMap || action == makeList || action == makeText || action == makeTable
    }

    /// Returns whether an operation with this action can be the value of a key or element.
    @inline(__always)
    static func holdsValue(_ action: UInt8) -> Bool {
        action == set || makesObject(action)
    }
}

/// The types of values, stored in the low four bits of a value's metadata.
enum ValueType {
    static let null: UInt32 = 0
    static let no: UInt32 = 1
    static let yes: UInt32 = 2
    static let unsigned: UInt32 = 3
    static let signed: UInt32 = 4
    static let double: UInt32 = 5
    static let string: UInt32 = 6
    static let bytes: UInt32 = 7
    static let counter: UInt32 = 8
    static let timestamp: UInt32 = 9
}

/// The absence of a row, leaf, slot, name or object.
let none: UInt32 = .max

/// One operation, in 48 bytes.
///
/// Rows are numbered in the order in which changes were applied, and by counter within each change.
/// The row of an operation can therefore be computed from its identifier. Deletions also have rows.
struct Operation: BitwiseCopyable {
    var counter: UInt64
    var actor: UInt32
    var object: UInt32
    /// In a map, the index of the key's name. In a list, the row of the operation's element. For an
    /// insertion, the row of the element before it, or `none` at the start of the list.
    var key: UInt32
    /// A value of up to four bytes, lowest byte first; or the offset of a longer value in the heap;
    /// or the object that a make operation created.
    var value: UInt32
    /// The length of the value in bytes, times 16, plus its type.
    var meta: UInt32
    /// The operations that this operation supersedes, and those that supersede it. See `LinkTable`.
    var predecessors: UInt32 = none
    var successors: UInt32 = none
    /// For an insertion, its leaf. For other operations, the next older row of the slot.
    var place: UInt32 = none
    /// The slot of an element that was written after its insertion.
    var slot: UInt32 = none
    var action: UInt8
    var flags: UInt8
    /// The number of positions that the operation takes in its text or list while visible.
    /// `Operation.longWidth` means that `WidthTable` has the number.
    var width: UInt16 = 0

    static let insertFlag: UInt8 = 1
    static let expandFlag: UInt8 = 2
    static let visibleFlag: UInt8 = 4
    static let longWidth: UInt16 = .max

    @inline(__always) var isInsert: Bool { flags & Self.insertFlag != 0 }
    @inline(__always) var isVisible: Bool { flags & Self.visibleFlag != 0 }
    @inline(__always) var valueType: UInt32 { meta & 15 }
    @inline(__always) var valueCount: Int { Int(meta >> 4) }
    @inline(__always) var isCounter: Bool {
        action == Action.set && meta & 15 == ValueType.counter
    }
    /// Whether the operation can be visible if no operation supersedes it.
    @inline(__always) var holdsValue: Bool { Action.holdsValue(action) }
}

/// The operations of a key, or of an element that was written after its insertion.
struct Slot: BitwiseCopyable {
    /// The newest row, by counter and actor. Each row refers to the next older one.
    var newest: UInt32 = none
    /// The newest visible row.
    var winner: UInt32 = none
    var visibleCount: UInt32 = 0
    /// The name of the key, or the row of the element.
    var owner: UInt32
}

/// Lists of rows, each represented in 32 bits: `none`, a single row, or an index into separate
/// lists if the high bit is set.
struct LinkTable: ~Copyable {
    private var lists: [ContiguousArray<UInt32>] = []

    static let listBit: UInt32 = 1 << 31

    borrowing func copy() -> LinkTable {
        var result = LinkTable()
        result.lists = lists
        return result
    }

    @inline(__always)
    mutating func add(_ row: UInt32, to field: inout UInt32) {
        if field == none { field = row } else { addSlow(row, to: &field) }
    }

    @inline(never)
    private mutating func addSlow(_ row: UInt32, to field: inout UInt32) {
        if field & Self.listBit == 0 {
            lists.append([field, row])
            field = Self.listBit | UInt32(lists.count - 1)
        } else {
            lists[Int(field & ~Self.listBit)].append(row)
        }
    }

    @inline(__always)
    func count(_ field: UInt32) -> Int {
        if field == none { return 0 }
        return field & Self.listBit == 0 ? 1 : lists[Int(field & ~Self.listBit)].count
    }

    /// Returns the row at `index`, which must be below the count.
    @inline(__always)
    func row(_ field: UInt32, _ index: Int) -> UInt32 {
        field & Self.listBit == 0 ? field : lists[Int(field & ~Self.listBit)][index]
    }

    /// Returns the list for a field with the high bit set.
    func list(_ field: UInt32) -> ContiguousArray<UInt32> {
        lists[Int(field & ~Self.listBit)]
    }
}
