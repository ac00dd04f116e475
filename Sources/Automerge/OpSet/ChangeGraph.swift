/// The changes of a document, in an order in which each follows its dependencies.
struct ChangeGraph: ~Copyable {
    struct Record: BitwiseCopyable {
        var actor: UInt32
        var operationCount: UInt32
        var sequence: UInt64
        var startCounter: UInt64
        var time: Int64
        var firstRow: UInt32
        /// Index into the messages, or `none` for a change without a message.
        var message: UInt32 = none
        var firstDependency: UInt32 = 0
        var dependencyCount: UInt32 = 0
        /// Index into the trailing bytes, or `none` for a change without any.
        var extra: UInt32 = none

        /// The highest counter after the change. A change without operations doesn't use a counter.
        var maxCounter: UInt64 { startCounter &+ UInt64(operationCount) &- 1 }
    }

    private(set) var records = PackedArray<Record>()
    private(set) var dependencies = PackedArray<UInt32>()
    private(set) var hashes = PackedArray<ChangeHash>()
    private(set) var messages = NameTable()
    private(set) var extras: [[UInt8]] = []
    /// The original bytes of changes that can't be re-encoded from their operations, because these
    /// changes have unknown columns or an unusual encoding.
    private(set) var originals: [UInt32: [UInt8]] = [:]
    /// Values of columns from later versions of the format.
    var unknownColumns = UnknownColumns()
    /// The changes that no other change depends on, in ascending order of their hashes.
    private(set) var heads: [UInt32] = []
    private(set) var maxCounter: UInt64 = 0
    /// A hash table with open addressing, keyed by the first word of the hash. Each entry is an
    /// index plus 1, or 0 if empty.
    private var table = PackedArray<UInt32>()

    borrowing func copy() -> ChangeGraph {
        var result = ChangeGraph()
        result.records = records.copy()
        result.dependencies = dependencies.copy()
        result.hashes = hashes.copy()
        result.messages = messages.copy()
        result.extras = extras
        result.originals = originals
        result.unknownColumns = unknownColumns
        result.heads = heads
        result.maxCounter = maxCounter
        result.table = table.copy()
        return result
    }

    var count: Int { records.count }

    // MARK: Looking up

    /// Returns the indices of changes.
    ///
    /// - Throws: ``FormatError``, `.unknownChange`, if one of the changes is missing in the
    ///   document.
    func indices(of hashes: Set<ChangeHash>) throws(FormatError) -> [UInt32] {
        var indices: [UInt32] = []
        for hash in hashes {
            guard let index = index(of: hash) else {
                throw FormatError(.unknownChange, "the document has no change \(hash)")
            }
            indices.append(index)
        }
        return indices
    }

    func index(of hash: ChangeHash) -> UInt32? {
        guard !table.isEmpty else { return nil }
        let mask = table.count - 1
        var place = Int(truncatingIfNeeded: hash.words.0) & mask
        while true {
            let entry = table[place]
            if entry == 0 { return nil }
            if hashes[entry - 1] == hash { return entry - 1 }
            place = (place + 1) & mask
        }
    }

    func message(of change: UInt32) -> String? {
        let message = records[change].message
        return message == none ? nil : messages.string(message)
    }

    func extra(of change: UInt32) -> [UInt8] {
        let extra = records[change].extra
        return extra == none ? [] : extras[Int(extra)]
    }

    func dependency(_ number: Int, of change: UInt32) -> UInt32 {
        dependencies[Int(records[change].firstDependency) + number]
    }

    /// Returns the hashes of a change's dependencies, in ascending order.
    func dependencyHashes(of change: UInt32) -> [ChangeHash] {
        let record = records[change]
        return (0..<Int(record.dependencyCount))
            .map { hashes[dependencies[Int(record.firstDependency) + $0]] }
            .sorted()
    }

    var headHashes: [ChangeHash] { heads.map { hashes[$0] } }

    // MARK: Adding

    /// Returns the index of a message. Returns `none` for an empty message, because the chunk of a
    /// change doesn't distinguish empty and missing messages.
    mutating func keep(
        message: UnsafeBufferPointer<UInt8>
    ) throws(FormatError) -> UInt32 {
        message.isEmpty ? none : try messages.intern(message)
    }

    mutating func keep(message: String) throws(FormatError) -> UInt32 {
        message.isEmpty ? none : try messages.intern(message)
    }

    mutating func keep(extra: [UInt8]) -> UInt32 {
        if extra.isEmpty { return none }
        extras.append(extra)
        return UInt32(extras.count - 1)
    }

    mutating func keep(original: [UInt8], of change: UInt32) {
        originals[change] = original
    }

    mutating func reserve(_ number: Int) {
        records.reserve(number)
        hashes.reserve(number)
    }

    /// Adds a change without its hash while loading. Call `appendHash` and `finishLoading`
    /// afterward.
    mutating func append(_ record: Record, dependsOn indices: some Collection<UInt32>) {
        var record = record
        record.firstDependency = UInt32(dependencies.count)
        record.dependencyCount = UInt32(indices.count)
        for index in indices { dependencies.append(index) }
        records.append(record)
        if record.operationCount > 0 || record.startCounter > 0 {
            maxCounter = Swift.max(maxCounter, record.maxCounter)
        }
    }

    mutating func appendHash(_ hash: ChangeHash) {
        hashes.append(hash)
    }

    /// Adds a change that depends on `indices`, and makes it a head.
    mutating func append(
        _ record: Record, dependsOn indices: some Collection<UInt32>, hash: ChangeHash
    ) {
        let change = UInt32(records.count)
        append(record, dependsOn: indices)
        hashes.append(hash)
        note(change)
        if heads.count == 1, indices.count == 1, indices.first == heads[0] {
            heads[0] = change
            return
        }
        if !indices.isEmpty {
            let superseded = Set(indices)
            heads.removeAll { superseded.contains($0) }
        }
        // Search by bisection, because sorting thousands of heads on every insertion would be slow.
        heads.insert(change, at: heads.indices.firstPosition { hashes[heads[$0]] >= hash })
    }

    /// Adds a change that depends on all heads. `encode` returns its hash, and is called after the
    /// change has been added.
    mutating func appendEncoded(
        _ record: Record, _ encode: (borrowing ChangeGraph) -> ChangeHash
    ) -> ChangeHash {
        let change = UInt32(records.count)
        append(record, dependsOn: heads)
        let hash = encode(self)
        hashes.append(hash)
        note(change)
        if heads.count == 1 { heads[0] = change } else { heads = [change] }
        return hash
    }

    /// Finds the heads and indexes the hashes, after all changes have been added.
    mutating func finishLoading() {
        table = PackedArray()
        var isHead = [Bool](repeating: true, count: count)
        for index in 0..<dependencies.count { isHead[Int(dependencies[index])] = false }
        heads = isHead.indices.filter { isHead[$0] }.map { UInt32($0) }
        heads.sort { hashes[$0] < hashes[$1] }
        var size = 16
        while size < count * 2 { size *= 2 }
        table.append(repeating: 0, count: size)
        for change in 0..<UInt32(count) { enter(change) }
    }

    private mutating func note(_ change: UInt32) {
        if hashes.count * 2 > table.count {
            var size = 16
            while size < hashes.count * 4 { size *= 2 }
            table = PackedArray()
            table.append(repeating: 0, count: size)
            for earlier in 0..<change { enter(earlier) }
        }
        enter(change)
    }

    private mutating func enter(_ change: UInt32) {
        let mask = table.count - 1
        var place = Int(truncatingIfNeeded: hashes[change].words.0) & mask
        while table[place] != 0 { place = (place + 1) & mask }
        table[place] = change + 1
    }

    // MARK: Walking

    /// Returns, for each change, whether it is in `starts` or an ancestor of a change in `starts`.
    func ancestors(of starts: some Sequence<UInt32>) -> [Bool] {
        var isAncestor = [Bool](repeating: false, count: count)
        var pending: [UInt32] = []
        for start in starts where !isAncestor[Int(start)] {
            isAncestor[Int(start)] = true
            pending.append(start)
        }
        while let change = pending.popLast() {
            let record = records[change]
            for number in 0..<Int(record.dependencyCount) {
                let dependency = dependencies[Int(record.firstDependency) + number]
                if !isAncestor[Int(dependency)] {
                    isAncestor[Int(dependency)] = true
                    pending.append(dependency)
                }
            }
        }
        return isAncestor
    }

    /// Returns the clock of the state in which `starts` were the heads.
    func clock(of starts: some Sequence<UInt32>, actors: Int) -> Clock {
        clock(of: ancestors(of: starts), actors: actors)
    }

    /// Returns the clock of a state that contains exactly the changes marked in `isKnown`.
    func clock(of isKnown: [Bool], actors: Int) -> Clock {
        var clock = Clock(counters: [UInt64](repeating: 0, count: actors))
        for change in 0..<count where isKnown[change] {
            let record = records[change]
            guard record.operationCount > 0 else { continue }
            let actor = Int(record.actor)
            clock.counters[actor] = Swift.max(clock.counters[actor], record.maxCounter)
        }
        return clock
    }
}

/// A point in the history, given by the highest known counter of each actor.
struct Clock {
    var counters: [UInt64]

    @inline(__always)
    func covers(_ operation: Operation) -> Bool {
        operation.counter <= counters[Int(operation.actor)]
    }
}
