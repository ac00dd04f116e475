/// A loader that reads the operation columns of a document into the rows of an op set.
struct OperationLoader: ~Copyable {
    private let actors: [UInt32]
    private let columns: ColumnLayout
    /// The identifiers of all operations in document order. The identifiers of their successors are
    /// in separate arrays.
    private var idActors = PackedArray<UInt32>()
    private var idCounters = PackedArray<UInt64>()
    private var successorCounts = PackedArray<UInt32>()
    private var successorActors = PackedArray<UInt32>()
    private var successorCounters = PackedArray<UInt64>()

    static let knownColumns: Set<UInt32> = [
        ColumnSpecification.objectActor, ColumnSpecification.objectCounter,
        ColumnSpecification.keyActor, ColumnSpecification.keyCounter, ColumnSpecification.keyName,
        ColumnSpecification.idActor, ColumnSpecification.idCounter, ColumnSpecification.insert,
        ColumnSpecification.action, ColumnSpecification.valueMeta, ColumnSpecification.value,
        ColumnSpecification.successorCount, ColumnSpecification.successorActor,
        ColumnSpecification.successorCounter, ColumnSpecification.expand,
        ColumnSpecification.markName,
    ]

    init(actors: [UInt32], columns: ColumnLayout) {
        self.actors = actors
        self.columns = columns
    }

    var actorCount: UInt32 { UInt32(actors.count) }
    /// The number of identifiers, including those of successors.
    var identifierCount: Int { idCounters.count + successorCounters.count }

    /// The number of operations that the document lists, which excludes deletions.
    var count: Int { idCounters.count }

    /// Returns the row of the operation at a position in the document, or `nil` if no change
    /// contains it.
    func row(_ place: Int, in set: borrowing OpSet) -> UInt32? {
        set.actors.row(actor: idActors[place], counter: idCounters[place])
    }

    private func actor(_ index: UInt64?) throws(FormatError) -> UInt32 {
        guard let index, index < UInt64(actors.count) else {
            throw FormatError(.badReference, "an operation names an actor that is not listed")
        }
        return actors[Int(index)]
    }

    /// Reads the identifiers of all operations and successors, and passes each to `visit`.
    mutating func readIdentifiers(
        allowance: inout Allowance, _ visit: (UInt32, UInt64) throws(FormatError) -> Void
    ) throws(FormatError) {
        var idActor = RunDecoder<UnsignedReading>(columns[ColumnSpecification.idActor])
        var idCounter = DeltaDecoder(columns[ColumnSpecification.idCounter])
        var count = RunDecoder<UnsignedReading>(columns[ColumnSpecification.successorCount])
        var actor = RunDecoder<UnsignedReading>(columns[ColumnSpecification.successorActor])
        var counter = DeltaDecoder(columns[ColumnSpecification.successorCounter])
        while !idActor.isDone {
            try allowance.spend(Allowance.Cost.insertion)
            let author = try self.actor(try idActor.next())
            guard let number = try idCounter.nextCount() else {
                throw FormatError(.badColumn, "an operation has no counter")
            }
            try visit(author, number)
            idActors.append(author)
            idCounters.append(number)
            let successors = try count.next() ?? 0
            // A successor may be a deletion, which occurs nowhere else and needs a row.
            try allowance.spend(
                Allowance.Cost.link + Allowance.Cost.insertion, times: successors)
            guard identifierCount + Int(successors) < Limits.rows else { throw Self.tooMany }
            successorCounts.append(UInt32(successors))
            for _ in 0..<successors {
                let author = try self.actor(try actor.next())
                guard let number = try counter.nextCount() else {
                    throw FormatError(.badColumn, "a successor has no counter")
                }
                try visit(author, number)
                successorActors.append(author)
                successorCounters.append(number)
            }
        }
    }

    private static let tooMany = FormatError(
        .tooLarge, "a document has too many operations")

    /// Loads all other columns into `rows` rows and builds the indexes.
    mutating func load(
        rows: Int, into set: inout OpSet, allowance: inout Allowance
    ) throws(FormatError) {
        let blank = Operation(
            counter: 0, actor: none, object: 0, key: none, value: 0, meta: 0,
            action: Action.delete, flags: 0)
        set.operations.append(repeating: blank, count: rows)
        var objectActor = RunDecoder<UnsignedReading>(columns[ColumnSpecification.objectActor])
        var objectCounter = RunDecoder<UnsignedReading>(
            columns[ColumnSpecification.objectCounter])
        var keyActor = RunDecoder<UnsignedReading>(columns[ColumnSpecification.keyActor])
        var keyCounter = DeltaDecoder(columns[ColumnSpecification.keyCounter])
        var keyName = RunDecoder<BytesReading>(columns[ColumnSpecification.keyName])
        var insert = BooleanDecoder(columns[ColumnSpecification.insert])
        var action = RunDecoder<UnsignedReading>(columns[ColumnSpecification.action])
        var meta = RunDecoder<UnsignedReading>(columns[ColumnSpecification.valueMeta])
        var value = ByteReader(columns[ColumnSpecification.value])
        var expand = BooleanDecoder(columns[ColumnSpecification.expand])
        var markName = RunDecoder<BytesReading>(columns[ColumnSpecification.markName])
        var state = Position()
        var filled = 0
        var nextSuccessor = 0
        for index in 0..<idCounters.count {
            let counter = idCounters[index]
            let author = idActors[index]
            let row = try Self.row(actor: author, counter: counter, in: set)
            guard set.operations[row].actor == none else {
                throw FormatError(.badColumn, "two operations have the same identifier")
            }
            filled += 1
            let maker = try objectCounter.next()
            let makerActor = try objectActor.next()
            if maker != state.makerCounter || makerActor != state.makerActor || index == 0 {
                try enter(maker, makerActor, state: &state, in: set)
            }
            guard let number = try action.next() else {
                throw FormatError(.badColumn, "an operation has no action")
            }
            let metadata = try meta.next() ?? 0
            guard metadata >> 4 <= UInt64(value.remaining) else { throw .truncated }
            guard metadata >> 4 <= UInt64(Limits.value) else {
                throw FormatError(.tooLarge, "a value is longer than 256 MiB")
            }
            let bytes = try value.bytes(Int(metadata >> 4))
            try OperationCheck.value(meta: metadata, bytes: bytes, action: number)
            let code = try OperationCheck.action(number)
            let isInsert = try insert.next()
            // Insertions have been charged already.
            if !isInsert {
                try allowance.spend(Allowance.Cost.operation - Allowance.Cost.insertion)
            }
            if Action.makesObject(code) { try allowance.spend(Allowance.Cost.object) }
            var operation = Operation(
                counter: counter, actor: author, object: state.object, key: none,
                value: try set.store(bytes), meta: UInt32(metadata), action: code,
                flags: (isInsert ? Operation.insertFlag : 0)
                    | (try expand.next() ? Operation.expandFlag : 0))
            guard code != Action.delete else {
                throw FormatError(.badColumn, "the operations of a document include a deletion")
            }
            let name = try keyName.next()
            let element = try keyCounter.nextCount()
            let elementActor = try keyActor.next()
            if state.isMap {
                guard let name, element == nil, elementActor == nil, !isInsert,
                    code != Action.mark
                else {
                    throw FormatError(
                        .badColumn, "an operation on a map has no key, or has fields of lists")
                }
                operation.key = try intern(name, state: &state, in: &set)
            } else {
                guard name == nil, code != Action.mark || isInsert else {
                    throw FormatError(
                        .badColumn,
                        "an operation on a list has a key, or a mark is not an insertion")
                }
                operation.key = try self.element(
                    element, elementActor, isInsert: isInsert, state: state, in: set)
                if isInsert { state.element = row }
            }
            let width =
                state.isText
                ? set.width(ofText: bytes, type: operation.valueType, action: code)
                : code == Action.mark ? 0 : 1
            if width < Int(Operation.longWidth) { operation.width = UInt16(width) }
            operation.predecessors = set.operations[row].predecessors
            set.operations[row] = operation
            if width >= Int(Operation.longWidth) { set.setWidth(width, of: row) }
            if let mark = try markName.next(), code == Action.mark {
                set.markNames[row] = try set.names.intern(mark)
            }
            if Action.makesObject(code) { set.makeObject(for: row) }
            if isInsert {
                set.elements.append(
                    row, to: &set.objects[state.object].root, operations: set.operations.base)
                if code == Action.mark { set.objects[state.object].hasMarks = true }
            } else {
                try chain(row, state: &state, in: &set)
            }
            for _ in 0..<successorCounts[index] {
                let successor = try Self.row(
                    actor: successorActors[nextSuccessor],
                    counter: successorCounters[nextSuccessor], in: set)
                nextSuccessor += 1
                var field = set.operations[row].successors
                set.links.add(successor, to: &field)
                set.operations[row].successors = field
                field = set.operations[successor].predecessors
                set.links.add(row, to: &field)
                set.operations[successor].predecessors = field
            }
        }
        guard action.isDone, value.isAtEnd else {
            throw FormatError(.badColumn, "the columns of a document have different lengths")
        }
        try addDeletions(from: filled, rows: rows, to: &set)
        finish(&set)
    }

    /// The current position in the document.
    private struct Position {
        var makerCounter: UInt64?
        var makerActor: UInt64?
        var object = OpSet.rootObject
        var maker: UInt32 = none
        var isMap = true
        var isText = false
        /// The element created by the last insertion.
        var element: UInt32 = none
        /// The name, bytes and slot of the last map operation's key.
        var name: UInt32 = none
        var nameBytes: UnsafeBufferPointer<UInt8>?
        var slot: UInt32 = none
    }

    @inline(__always)
    private static func row(
        actor: UInt32, counter: UInt64, in set: borrowing OpSet
    ) throws(FormatError) -> UInt32 {
        guard let row = set.actors.row(actor: actor, counter: counter) else {
            throw FormatError(
                .badReference, "an operation refers to an operation that doesn't exist")
        }
        return row
    }

    /// Moves to the next object, which must come after all previous objects.
    private func enter(
        _ counter: UInt64?, _ actorIndex: UInt64?, state: inout Position, in set: borrowing OpSet
    ) throws(FormatError) {
        state.makerCounter = counter
        state.makerActor = actorIndex
        state.element = none
        state.name = none
        state.nameBytes = nil
        state.slot = none
        guard let counter else {
            guard actorIndex == nil, state.maker == none else {
                throw FormatError(.badColumn, "the objects of a document are out of order")
            }
            return
        }
        let maker = try Self.row(
            actor: try actor(actorIndex), counter: counter, in: set)
        guard state.maker == none || set.precedes(state.maker, maker) else {
            throw FormatError(.badColumn, "the objects of a document are out of order")
        }
        let operation = set.operations[maker]
        guard operation.actor != none, Action.makesObject(operation.action) else {
            throw FormatError(.badReference, "an operation refers to a value that is not an object")
        }
        state.maker = maker
        state.object = operation.value
        state.isMap = set.objects[state.object].isMap
        state.isText = set.objects[state.object].isText
    }

    private func intern(
        _ name: UnsafeBufferPointer<UInt8>, state: inout Position, in set: inout OpSet
    ) throws(FormatError) -> UInt32 {
        if let last = state.nameBytes, last.count == name.count,
            last.baseAddress == name.baseAddress
        {
            return state.name
        }
        guard UTF8Check.isValid(name) else {
            throw FormatError(.badValue, "a key is not UTF-8")
        }
        let index = try set.names.intern(name)
        if index != state.name {
            guard state.name == none || set.names.precedes(state.name, index) else {
                throw FormatError(.badColumn, "the keys of a map are out of order")
            }
            state.slot = set.makeSlot(object: state.object, name: index)
        }
        state.nameBytes = name
        state.name = index
        return index
    }

    /// Returns the element that an insertion follows, or that any other operation modifies.
    @inline(__always)
    private func element(
        _ counter: UInt64?, _ actorIndex: UInt64?, isInsert: Bool, state: Position,
        in set: borrowing OpSet
    ) throws(FormatError) -> UInt32 {
        guard let actorIndex else {
            guard counter == 0, isInsert else {
                throw FormatError(.badColumn, "an operation on a list has no element")
            }
            return none
        }
        guard let counter else {
            throw FormatError(.badColumn, "an operation on a list has no element")
        }
        let row = try Self.row(actor: try actor(actorIndex), counter: counter, in: set)
        if isInsert {
            let reference = set.operations[row]
            guard reference.actor != none, reference.object == state.object, reference.isInsert
            else {
                throw FormatError(.badReference, "an element follows an element that doesn't exist")
            }
        } else if row != state.element {
            throw FormatError(
                .badReference, "an operation doesn't come after the element that it modifies")
        }
        return row
    }

    /// Adds a map operation, or a later operation on an element, to its slot.
    private func chain(
        _ row: UInt32, state: inout Position, in set: inout OpSet
    ) throws(FormatError) {
        let slot = state.isMap ? state.slot : set.makeSlot(element: state.element)
        let newest = set.slots[slot].newest
        let older = newest == none && !state.isMap ? state.element : newest
        guard older == none || set.precedes(older, row) else {
            throw FormatError(.badColumn, "the operations of a key are out of order")
        }
        set.operations[row].place = newest
        set.slots[slot].newest = row
    }

    /// Fills the rows that are known only as successors, which are deletions.
    private func addDeletions(
        from filled: Int, rows: Int, to set: inout OpSet
    ) throws(FormatError) {
        guard filled < rows else { return }
        for index in 0..<successorCounters.count {
            let counter = successorCounters[index]
            let author = successorActors[index]
            let row = try Self.row(actor: author, counter: counter, in: set)
            guard set.operations[row].actor == none else { continue }
            let first = set.operations[set.links.row(set.operations[row].predecessors, 0)]
            let owner =
                first.isInsert
                ? set.links.row(set.operations[row].predecessors, 0) : first.key
            set.operations[row].counter = counter
            set.operations[row].actor = author
            set.operations[row].object = first.object
            set.operations[row].key = owner
        }
        for row in 0..<rows where set.operations[row].actor == none {
            throw FormatError(.badColumn, "operations of a change are missing")
        }
    }

    /// Computes which operations are visible, and the totals of all lists.
    private func finish(_ set: inout OpSet) {
        for row in 0..<set.operations.count {
            let operation = set.operations[row]
            guard operation.holdsValue else { continue }
            var isVisible = operation.successors == none
            if !isVisible, operation.isCounter {
                isVisible = true
                for index in 0..<set.links.count(operation.successors) {
                    let successor = set.links.row(operation.successors, index)
                    if set.operations[successor].action != Action.increment { isVisible = false }
                }
            }
            if isVisible { set.operations[row].flags |= Operation.visibleFlag }
        }
        for slot in 0..<set.slots.count {
            var state = set.slots[slot]
            state.visibleCount = 0
            state.winner = none
            var row = state.newest
            var oldest = row
            while row != none {
                if set.operations[row].isVisible {
                    if state.winner == none { state.winner = row }
                    state.visibleCount += 1
                }
                oldest = row
                row = set.operations[row].place
            }
            // In a list, the oldest operation is the insertion, which isn't part of the chain.
            if oldest != none, !set.objects[set.operations[oldest].object].isMap,
                set.operations[state.owner].isVisible
            {
                if state.winner == none { state.winner = state.owner }
                state.visibleCount += 1
            }
            set.slots[slot] = state
        }
        let table = set.widths
        for object in 0..<set.objects.count where !set.objects[object].isMap {
            set.elements.build(&set.objects[object].root, widths: table)
        }
    }
}
