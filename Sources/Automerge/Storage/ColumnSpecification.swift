/// The number of a column, which encodes its purpose, its type and whether it is compressed.
///
///     identifier, 28 bits | compressed, 1 bit | type, 3 bits
enum ColumnSpecification {
    static let deflated: UInt32 = 8

    /// Returns the identifier that related columns share: a group and its members, or the types of
    /// values and their bytes.
    static func identifier(of specification: UInt32) -> UInt32 { specification >> 4 }

    /// The type of a column's values, encoded in the column's number.
    enum Kind: UInt32 {
        case group, actor, unsigned, difference, truth, text, valueMeta, value

        init(_ specification: UInt32) { self = Kind(rawValue: specification & 7) ?? .unsigned }
    }

    // Columns of operations, in changes and documents.
    static let objectActor: UInt32 = 0x01
    static let objectCounter: UInt32 = 0x02
    static let keyActor: UInt32 = 0x11
    static let keyCounter: UInt32 = 0x13
    static let keyName: UInt32 = 0x15
    static let idActor: UInt32 = 0x21
    static let idCounter: UInt32 = 0x23
    static let insert: UInt32 = 0x34
    static let action: UInt32 = 0x42
    static let valueMeta: UInt32 = 0x56
    static let value: UInt32 = 0x57
    static let predecessorCount: UInt32 = 0x70
    static let predecessorActor: UInt32 = 0x71
    static let predecessorCounter: UInt32 = 0x73
    static let successorCount: UInt32 = 0x80
    static let successorActor: UInt32 = 0x81
    static let successorCounter: UInt32 = 0x83
    static let expand: UInt32 = 0x94
    static let markName: UInt32 = 0xa5

    // Identifiers of column groups that occur only in changes, or only in documents.
    static let ids = identifier(of: idActor)
    static let predecessors = identifier(of: predecessorCount)
    static let successors = identifier(of: successorCount)

    // Columns of changes, in documents.
    static let actor: UInt32 = 0x01
    static let sequence: UInt32 = 0x03
    static let maxCounter: UInt32 = 0x13
    static let time: UInt32 = 0x23
    static let message: UInt32 = 0x35
    static let dependencyCount: UInt32 = 0x40
    static let dependency: UInt32 = 0x43
    static let extraMeta: UInt32 = 0x56
    static let extra: UInt32 = 0x57
}

/// The columns of a chunk, sorted by number.
struct ColumnLayout {
    struct Column {
        var specification: UInt32
        var bytes: UnsafeBufferPointer<UInt8>
    }

    private(set) var columns: [Column] = []

    /// Reads the numbers and lengths of the columns. The data follows later, and the initializer
    /// reads it.
    static func read(
        from reader: inout ByteReader
    ) throws(FormatError) -> [(specification: UInt32, length: Int)] {
        let count = try reader.count(ofSize: 2)
        var result: [(specification: UInt32, length: Int)] = []
        var previous: UInt32?
        for _ in 0..<count {
            let number = try reader.strictUnsigned()
            guard number <= UInt64(UInt32.max) else {
                throw FormatError(.badColumn, "a column's number has more than 32 bits")
            }
            let specification = UInt32(number)
            let normal = specification & ~ColumnSpecification.deflated
            if let previous, normal <= previous {
                throw FormatError(.badColumn, "the columns are not in ascending order")
            }
            previous = normal
            let length = try reader.strictUnsigned()
            guard length < 1 << 40 else { throw .truncated }
            result.append((specification, Int(length)))
        }
        return result
    }

    /// Reads the data of the columns from `reader`, and inflates compressed columns into `storage`.
    ///
    /// - Parameter budget: The maximum number of bytes that compressed columns may still inflate
    ///   to.
    init(
        _ layout: [(specification: UInt32, length: Int)], from reader: inout ByteReader,
        storage: ColumnStorage, budget: inout Int
    ) throws(FormatError) {
        for (specification, length) in layout {
            let bytes = try reader.bytes(length)
            if specification & ColumnSpecification.deflated == 0 {
                columns.append(Column(specification: specification, bytes: bytes))
                continue
            }
            let inflated = try storage.inflate(bytes, limit: budget)
            budget -= inflated.count
            columns.append(
                Column(
                    specification: specification & ~ColumnSpecification.deflated,
                    bytes: inflated))
        }
    }

    /// The bytes of a column. An omitted column is empty.
    subscript(_ specification: UInt32) -> UnsafeBufferPointer<UInt8> {
        columns.first { $0.specification == specification }?.bytes
            ?? UnsafeBufferPointer(start: nil, count: 0)
    }

    /// Returns whether there is a column that isn't in `known`.
    func hasOthers(than known: Set<UInt32>) -> Bool {
        columns.contains { !known.contains($0.specification) }
    }
}

/// The memory of inflated columns, which must be retained while they are read.
final class ColumnStorage {
    private var buffers: [UnsafeMutablePointer<UInt8>?] = []

    deinit {
        for buffer in buffers { buffer?.deallocate() }
    }

    func keep(_ written: consuming ByteWriter) -> UnsafeBufferPointer<UInt8> {
        let bytes = written.release()
        buffers.append(bytes.baseAddress)
        return UnsafeBufferPointer(bytes)
    }

    func inflate(
        _ bytes: UnsafeBufferPointer<UInt8>, limit: Int
    ) throws(FormatError) -> UnsafeBufferPointer<UInt8> {
        var out = ByteWriter()
        try Deflate.inflate(bytes, into: &out, limit: limit)
        return keep(out)
    }
}
