/// The contents of a change chunk, parsed up to its columns.
///
///     dependencies | actor | sequence | first counter | time | message | other actors
///     | column numbers and lengths | columns | trailing bytes
///
/// The reader points into the bytes from which it was created.
struct ChangeReader {
    let dependencies: [ChangeHash]
    let actor: [UInt8]
    let sequence: UInt64
    let startCounter: UInt64
    let time: Int64
    let message: UnsafeBufferPointer<UInt8>
    let otherActors: [[UInt8]]
    let columns: ColumnLayout
    let extra: UnsafeBufferPointer<UInt8>
    let byteCount: Int

    static let knownColumns: Set<UInt32> = [
        ColumnSpecification.objectActor, ColumnSpecification.objectCounter,
        ColumnSpecification.keyActor, ColumnSpecification.keyCounter, ColumnSpecification.keyName,
        ColumnSpecification.insert, ColumnSpecification.action, ColumnSpecification.valueMeta,
        ColumnSpecification.value, ColumnSpecification.predecessorCount,
        ColumnSpecification.predecessorActor, ColumnSpecification.predecessorCounter,
        ColumnSpecification.expand, ColumnSpecification.markName,
    ]

    init(
        _ contents: UnsafeBufferPointer<UInt8>, storage: ColumnStorage,
        allowance: inout Allowance
    ) throws(FormatError) {
        try allowance.spend(Allowance.Cost.change)
        byteCount = contents.count
        var reader = ByteReader(contents)
        dependencies = try reader.hashes()
        try allowance.spend(Allowance.Cost.dependency, times: UInt64(dependencies.count))
        actor = Array(try reader.prefixedBytes())
        sequence = try reader.strictUnsigned()
        startCounter = try reader.strictUnsigned()
        time = try reader.strictSigned()
        message = try reader.prefixedBytes()
        otherActors = try reader.actors(allowance: &allowance)
        let layout = try ColumnLayout.read(from: &reader)
        guard layout.allSatisfy({ $0.specification & ColumnSpecification.deflated == 0 }) else {
            throw FormatError(.badColumn, "a change has a compressed column")
        }
        var budget = 0
        columns = try ColumnLayout(layout, from: &reader, storage: storage, budget: &budget)
        extra = reader.rest
        guard sequence > 0, startCounter > 0 else {
            throw FormatError(.badNumber, "a change's sequence number or first counter is 0")
        }
        guard startCounter < 1 << 62, sequence < 1 << 62 else {
            throw FormatError(
                .tooLarge, "a change's sequence number or first counter is 2^62 or more")
        }
        guard UTF8Check.isValid(message) else {
            throw FormatError(.badValue, "the message of a change is not UTF-8")
        }
    }

    /// Whether the change has columns that this implementation doesn't know.
    var hasUnknownColumns: Bool { columns.hasOthers(than: Self.knownColumns) }
}

/// One operation in the form that a change's columns store. Actors are numbered as in the chunk.
struct EncodedOperation {
    struct Identifier {
        var actor: Int
        var counter: UInt64
    }

    enum Key {
        case name(UnsafeBufferPointer<UInt8>)
        case head
        case element(Identifier)
    }

    /// The identifier of the object, or `nil` for the root.
    var object: Identifier?
    var key: Key
    var isInsert: Bool
    var action: UInt8
    var meta: UInt32
    var value: UnsafeBufferPointer<UInt8>
    var expand: Bool
    var markName: UnsafeBufferPointer<UInt8>?
    var predecessorCount: Int
}

/// A reader that returns the operations of a change or a bundle one at a time.
struct OperationReader {
    private var objectActor: RunDecoder<UnsignedReading>
    private var objectCounter: RunDecoder<UnsignedReading>
    private var objectDifference: DeltaDecoder?
    private var keyActor: RunDecoder<UnsignedReading>
    private var keyCounter: DeltaDecoder
    private var keyName: RunDecoder<BytesReading>
    private var insert: BooleanDecoder
    private var action: RunDecoder<UnsignedReading>
    private var meta: RunDecoder<UnsignedReading>
    private var value: ByteReader
    private var predecessorCount: RunDecoder<UnsignedReading>
    private var predecessorActor: RunDecoder<UnsignedReading>
    private var predecessorCounter: DeltaDecoder
    private var expand: BooleanDecoder
    private var markName: RunDecoder<BytesReading>

    /// Creates a reader of operation columns.
    ///
    /// - Parameter differences: The column of object counters if delta-encoded, as in bundles.
    init(_ columns: ColumnLayout, objectCounter differences: UnsafeBufferPointer<UInt8>? = nil) {
        objectActor = RunDecoder(columns[ColumnSpecification.objectActor])
        objectCounter = RunDecoder(columns[ColumnSpecification.objectCounter])
        objectDifference = differences.map { DeltaDecoder($0) }
        keyActor = RunDecoder(columns[ColumnSpecification.keyActor])
        keyCounter = DeltaDecoder(columns[ColumnSpecification.keyCounter])
        keyName = RunDecoder(columns[ColumnSpecification.keyName])
        insert = BooleanDecoder(columns[ColumnSpecification.insert])
        action = RunDecoder(columns[ColumnSpecification.action])
        meta = RunDecoder(columns[ColumnSpecification.valueMeta])
        value = ByteReader(columns[ColumnSpecification.value])
        predecessorCount = RunDecoder(columns[ColumnSpecification.predecessorCount])
        predecessorActor = RunDecoder(columns[ColumnSpecification.predecessorActor])
        predecessorCounter = DeltaDecoder(columns[ColumnSpecification.predecessorCounter])
        expand = BooleanDecoder(columns[ColumnSpecification.expand])
        markName = RunDecoder(columns[ColumnSpecification.markName])
    }

    /// Whether all operations have been read. The length of the action column determines the number
    /// of operations.
    var isDone: Bool { action.isDone }

    mutating func next() throws(FormatError) -> EncodedOperation {
        guard let number = try action.next() else {
            throw FormatError(.badColumn, "an operation has no action")
        }
        let maker =
            objectDifference == nil
            ? try objectCounter.next() : try objectDifference?.nextCount() ?? nil
        let object = try identifier(try objectActor.next(), maker)
        let key = try nextKey()
        let isInsert = try insert.next()
        let meta = try meta.next() ?? 0
        guard meta >> 4 <= UInt64(value.remaining) else { throw .truncated }
        guard meta >> 4 <= UInt64(Limits.value) else {
            throw FormatError(.tooLarge, "a value is longer than 256 MiB")
        }
        let bytes = try value.bytes(Int(meta >> 4))
        try OperationCheck.value(meta: meta, bytes: bytes, action: number)
        let count = try predecessorCount.next() ?? 0
        guard count < UInt64(Limits.rows) else {
            throw FormatError(.badColumn, "an operation has too many predecessors")
        }
        return EncodedOperation(
            object: object, key: key, isInsert: isInsert,
            action: try OperationCheck.action(number), meta: UInt32(meta), value: bytes,
            expand: try expand.next(), markName: try markName.next(),
            predecessorCount: Int(count))
    }

    mutating func nextPredecessor() throws(FormatError) -> EncodedOperation.Identifier {
        guard
            let found = try identifier(
                try predecessorActor.next(), try predecessorCounter.nextCount())
        else {
            throw FormatError(.badColumn, "an operation's predecessor is null")
        }
        return found
    }

    private mutating func nextKey() throws(FormatError) -> EncodedOperation.Key {
        let actor = try keyActor.next()
        let counter = try keyCounter.nextCount()
        if let name = try keyName.next() {
            guard actor == nil, counter == nil else {
                throw FormatError(.badColumn, "an operation has both a key and an element")
            }
            guard UTF8Check.isValid(name) else {
                throw FormatError(.badValue, "a key is not UTF-8")
            }
            return .name(name)
        }
        if actor == nil, counter == 0 { return .head }
        guard let element = try identifier(actor, counter) else {
            throw FormatError(.badColumn, "an operation has neither a key nor an element")
        }
        return .element(element)
    }

    private func identifier(
        _ actor: UInt64?, _ counter: UInt64?
    ) throws(FormatError) -> EncodedOperation.Identifier? {
        guard let actor, let counter else {
            guard actor == nil, counter == nil else {
                throw FormatError(.badColumn, "an identifier has only an actor or a counter")
            }
            return nil
        }
        guard actor < 1 << 32 else {
            throw FormatError(.badReference, "an operation names an actor that is not listed")
        }
        return EncodedOperation.Identifier(actor: Int(actor), counter: counter)
    }
}
