/// The identifier of an operation. Identifiers are ordered by counter and then by actor. If values
/// are concurrent, the value with the greatest identifier wins.
package struct OperationID: Hashable, Sendable, CustomStringConvertible {
    package let counter: UInt64
    package let actor: ActorId

    /// The identifier in the notation of object identifiers, such as `42@06a2b97e`.
    package var description: String { "\(counter)@\(actor.hexadecimal)" }
}

extension ActorId {
    /// The bytes as lowercase hexadecimal digits.
    package var hexadecimal: String { Hexadecimal.string(bytes) }

    /// Creates an actor from hexadecimal digits, or returns `nil` if the text is invalid or longer
    /// than 128 bytes.
    package init?(hexadecimal text: some StringProtocol) {
        guard let bytes = Hexadecimal.bytes(text), bytes.count <= Self.longestData else {
            return nil
        }
        self.init(bytes: bytes)
    }
}

/// A value with the operation that wrote it.
package struct WrittenValue: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case object(ObjId, ObjType)
        case scalar(ScalarValue)
        /// Milliseconds since 1970. A `Date` would round distant times.
        case timestamp(Int64)
    }

    package let content: Content
    package let operation: OperationID
    /// The number of the change that the operation is part of, in the order of
    /// ``Document/getHistory()``.
    package let change: Int?
    /// The newest operation that changed the value: the last increment of a counter, otherwise
    /// ``operation``.
    package let newestOperation: OperationID
    /// The number of the change that ``newestOperation`` is part of.
    package let newestChange: Int?
}

/// An operation that contributed to the value of a counter: its first value or an increment.
package struct CounterPart: Hashable, Sendable {
    package let amount: Int64
    package let actor: ActorId
    /// The number of the change that the operation is part of.
    package let change: Int?
}

/// A key or an index with all its values that no other operation supersedes.
package struct WrittenPlace: Hashable, Sendable {
    package let prop: Prop
    /// The winner.
    package let winner: WrittenValue
    /// The other values, sorted by descending operation identifier.
    package let others: [WrittenValue]
}

/// The metadata of a change, without its operations.
package struct RecordedChange: Hashable, Sendable {
    package let hash: ChangeHash
    package let actor: ActorId
    /// The sequence number of the change, starting at 1 for the actor's first change.
    package let sequence: UInt64
    /// The counter of the first operation.
    package let startCounter: UInt64
    package let operationCount: Int
    /// The hashes of the causal parents, in ascending order.
    package let dependencies: [ChangeHash]
    /// The numbers of `dependencies`, unordered.
    package let dependencyNumbers: [Int]
    /// Seconds since 1970 by the author's clock, or 0 if the change has no time.
    package let time: Int64
    package let message: String?
}

/// Methods that return values together with their authors. If `heads` is `nil`, the current state
/// is read.
extension Document {
    /// Returns the contents of a map or list, in the order of keys or elements. For a text, the
    /// result is empty.
    ///
    /// - Throws: `DocError` with code `.unknownObject` or `.unknownChange`.
    package func places(of obj: ObjId, at heads: Set<ChangeHash>?) throws -> [WrittenPlace] {
        try withEngine { (engine) throws(FormatError) in
            let clock = try engine.clock(ifGiven: heads)
            return engine.places(of: try engine.opSet.object(obj), at: clock)
        }
    }

    /// Returns the elements of a list at `indices`, except those beyond its end.
    ///
    /// - Complexity: Logarithmic per element for the current state, linear in the length of the
    ///   list for other heads.
    package func elements(
        of obj: ObjId, in indices: Range<Int>, at heads: Set<ChangeHash>?
    ) throws -> [WrittenPlace] {
        try withEngine { (engine) throws(FormatError) in
            let clock = try engine.clock(ifGiven: heads)
            return engine.elements(of: try engine.list(obj), in: indices, at: clock)
        }
    }

    /// Returns the values of one key or index, or `nil` if there are no values.
    package func place(
        _ prop: Prop, of obj: ObjId, at heads: Set<ChangeHash>?
    ) throws -> WrittenPlace? {
        try withEngine { (engine) throws(FormatError) in
            let clock = try engine.clock(ifGiven: heads)
            switch prop {
            case .Index(let index):
                let start = Int(clamping: index)
                guard start < .max else { return nil }
                return engine.elements(
                    of: try engine.list(obj), in: start..<start + 1, at: clock
                ).first
            case .Key(let key):
                let object = try engine.map(obj)
                guard let name = engine.opSet.names.find(key),
                    let slot = engine.opSet.slot(object: object, name: name)
                else { return nil }
                return engine.place(prop, slot: slot, element: none, at: clock)
            }
        }
    }

    /// Returns the newest value that all current values of a place superseded, directly or
    /// indirectly; `nil` if there is none.
    ///
    /// - Complexity: O(*n*) in the number of values that the place has had.
    package func commonBase(
        of place: WrittenPlace, at heads: Set<ChangeHash>?
    ) throws -> WrittenValue? {
        try withEngine { (engine) throws(FormatError) in
            let clock = try engine.clock(ifGiven: heads)
            return engine.commonBase(of: [place.winner] + place.others, at: clock)
        }
    }

    /// Returns the operations that result in the value of a counter, first its initial value; empty
    /// for other values.
    ///
    /// - Complexity: O(*n* log *n*) in the number of increments.
    package func counterParts(
        of value: WrittenValue, at heads: Set<ChangeHash>?
    ) throws -> [CounterPart] {
        try withEngine { (engine) throws(FormatError) in
            let clock = try engine.clock(ifGiven: heads)
            return engine.counterParts(of: value.operation, at: clock)
        }
    }

    /// Returns the changes with these numbers, in the order of ``getHistory()``.
    package func recordedChanges(_ numbers: Range<Int>) -> [RecordedChange] {
        withEngine { engine in
            engine.commit()
            return numbers.clamped(to: 0..<engine.graph.count).map { engine.recordedChange($0) }
        }
    }

    /// An estimate of the memory that the document takes, in bytes.
    ///
    /// - Complexity: O(1).
    package var memoryEstimate: Int {
        withEngine { engine in
            engine.opSet.operations.count * 128 + engine.opSet.heap.count
                + engine.opSet.objects.count * 128 + engine.graph.count * 192
                + engine.queue.byteCount
        }
    }

    package var changeCount: Int {
        withEngine { engine in
            engine.commit()
            return engine.graph.count
        }
    }

    /// Returns the number of a change in the order of ``getHistory()``.
    package func changeNumber(of hash: ChangeHash) -> Int? {
        withEngine { $0.graph.index(of: hash).map { Int($0) } }
    }

    /// Returns, for each change in the order of ``getHistory()``, whether it is one of the changes
    /// with these numbers or an ancestor of one. Unknown numbers are ignored.
    package func ancestors(of numbers: some Sequence<Int>) -> [Bool] {
        withEngine { engine in
            engine.commit()
            let starts = numbers.filter { (0..<engine.graph.count).contains($0) }
            return engine.graph.ancestors(of: starts.map { UInt32($0) })
        }
    }

    /// Returns the heads of a document that contains exactly the changes for which `isKnown` is
    /// true. The dependencies of each of these changes must be included.
    package func heads(where isKnown: [Bool]) -> Set<ChangeHash> {
        withEngine { $0.heads(where: isKnown) }
    }

    /// Returns the missing dependencies of the waiting changes.
    package func missingChanges() -> [ChangeHash] {
        withEngine { $0.queue.missing().sorted() }
    }

    /// The changes that wait for missing dependencies.
    package var waitingChanges: Set<ChangeHash> { withEngine { $0.queue.hashes } }

    /// The number of changes that wait for missing dependencies.
    package var waitingChangeCount: Int { withEngine { $0.queue.count } }
}

extension Engine {
    mutating func clock(
        ifGiven heads: Set<ChangeHash>?
    ) throws(FormatError) -> Clock? {
        guard let heads else {
            commit()
            return nil
        }
        return try clock(at: heads)
    }

    fileprivate mutating func places(of object: UInt32, at clock: Clock?) -> [WrittenPlace] {
        var places: [WrittenPlace] = []
        if opSet.objects[object].isMap {
            for entry in opSet.entries(of: object, at: clock) {
                guard let slot = opSet.slot(object: object, name: entry.name) else { continue }
                let prop = Prop.Key(opSet.names.string(entry.name))
                if let place = place(prop, slot: slot, element: none, at: clock) {
                    places.append(place)
                }
            }
        } else if !opSet.objects[object].isText {
            opSet.forEachVisible(of: object, at: clock) { element, _ in
                let prop = Prop.Index(UInt64(places.count))
                let slot = opSet.operations[element].slot
                if let place = place(prop, slot: slot, element: element, at: clock) {
                    places.append(place)
                }
                return true
            }
        }
        return places
    }

    fileprivate func elements(
        of object: UInt32, in indices: Range<Int>, at clock: Clock?
    ) -> [WrittenPlace] {
        var places: [WrittenPlace] = []
        func add(_ element: UInt32, _ index: Int) {
            let slot = opSet.operations[element].slot
            if let place = place(
                .Index(UInt64(index)), slot: slot, element: element, at: clock)
            {
                places.append(place)
            }
        }
        let indices = indices.clamped(to: 0..<Int.max)
        if clock == nil {
            for index in indices.clamped(to: 0..<opSet.length(of: object, at: nil)) {
                add(opSet.element(at: index, of: object, at: nil), index)
            }
        } else {
            var index = 0
            opSet.forEachVisible(of: object, at: clock) { element, _ in
                if indices.contains(index) { add(element, index) }
                index += 1
                return index < indices.upperBound
            }
        }
        return places
    }

    fileprivate func place(
        _ prop: Prop, slot: UInt32, element: UInt32, at clock: Clock?
    ) -> WrittenPlace? {
        if clock == nil, slot == none || opSet.slots[slot].visibleCount == 1 {
            let row = opSet.winner(slot: slot, element: element, at: nil)
            guard row != none else { return nil }
            return WrittenPlace(prop: prop, winner: written(row, at: nil), others: [])
        }
        let rows = opSet.visibleRows(slot: slot, element: element, at: clock)
        guard let winner = rows.last else { return nil }
        return WrittenPlace(
            prop: prop, winner: written(winner, at: clock),
            others: rows.dropLast().reversed().map { written($0, at: clock) })
    }

    fileprivate func commonBase(of values: [WrittenValue], at clock: Clock?) -> WrittenValue? {
        var common: Set<UInt32>?
        for value in values {
            guard let actor = opSet.actors.find(value.operation.actor.bytes),
                let row = opSet.row(actor: actor, counter: value.operation.counter)
            else { return nil }
            let before = superseded(by: row)
            common = common?.intersection(before) ?? before
        }
        // An operation has a greater identifier than the operations of its place that it
        // supersedes.
        let newest = common?.max { opSet.precedes($0, $1) }
        return newest.map { written($0, at: clock) }
    }

    /// Returns all operations that an operation supersedes, directly or indirectly.
    private func superseded(by row: UInt32) -> Set<UInt32> {
        var found: Set<UInt32> = []
        var open = [row]
        while let next = open.popLast() {
            let field = opSet.operations[next].predecessors
            for index in 0..<opSet.links.count(field) {
                let predecessor = opSet.links.row(field, index)
                guard opSet.operations[predecessor].holdsValue else { continue }
                if found.insert(predecessor).inserted { open.append(predecessor) }
            }
        }
        return found
    }

    private func written(_ row: UInt32, at clock: Clock?) -> WrittenValue {
        let operation = opSet.operations[row]
        let content: WrittenValue.Content
        if operation.action == Action.set, operation.valueType == ValueType.timestamp {
            content = .timestamp(opSet.number(of: row))
        } else {
            switch opSet.value(of: row, at: clock) {
            case .Object(let id, let type): content = .object(id, type)
            case .Scalar(let value): content = .scalar(value)
            }
        }
        let (id, number) = (identifier(of: operation), change(of: operation))
        guard operation.isCounter, let increment = opSet.newestIncrement(of: row, at: clock) else {
            return WrittenValue(
                content: content, operation: id, change: number, newestOperation: id,
                newestChange: number)
        }
        let newest = opSet.operations[increment]
        return WrittenValue(
            content: content, operation: id, change: number,
            newestOperation: identifier(of: newest), newestChange: change(of: newest))
    }

    fileprivate func counterParts(of id: OperationID, at clock: Clock?) -> [CounterPart] {
        guard let actor = opSet.actors.find(id.actor.bytes),
            let row = opSet.row(actor: actor, counter: id.counter),
            opSet.operations[row].isCounter
        else { return [] }
        return ([row] + opSet.increments(of: row, at: clock)).map { row in
            let operation = opSet.operations[row]
            return CounterPart(
                amount: opSet.number(of: row), actor: identifier(of: operation).actor,
                change: change(of: operation))
        }
    }

    private func identifier(of operation: Operation) -> OperationID {
        OperationID(
            counter: operation.counter,
            actor: ActorId(bytes: opSet.actors.bytes(operation.actor)))
    }

    /// Returns the number of the change that contains an operation.
    func change(of operation: Operation) -> Int? {
        let changes = opSet.actors.entries[Int(operation.actor)].changes
        let next = changes.indices.firstPosition {
            graph.records[changes[$0]].startCounter > operation.counter
        }
        return next > 0 ? Int(changes[next - 1]) : nil
    }

    fileprivate func recordedChange(_ number: Int) -> RecordedChange {
        let change = UInt32(number)
        let record = graph.records[change]
        return RecordedChange(
            hash: graph.hashes[change],
            actor: ActorId(bytes: opSet.actors.bytes(record.actor)), sequence: record.sequence,
            startCounter: record.startCounter, operationCount: Int(record.operationCount),
            dependencies: graph.dependencyHashes(of: change),
            dependencyNumbers: (0..<Int(record.dependencyCount)).map {
                Int(graph.dependency($0, of: change))
            },
            time: record.time, message: graph.message(of: change))
    }

    fileprivate func heads(where isKnown: [Bool]) -> Set<ChangeHash> {
        let count = Swift.min(isKnown.count, graph.count)
        var isHead = Array(isKnown[..<count])
        for change in 0..<count where isKnown[change] {
            for number in 0..<Int(graph.records[change].dependencyCount) {
                let dependency = Int(graph.dependency(number, of: UInt32(change)))
                if dependency < count { isHead[dependency] = false }
            }
        }
        return Set((0..<count).filter { isHead[$0] }.map { graph.hashes[$0] })
    }
}
