/// A document without its lock: the op set, the graph of changes, the pending transaction, and the
/// changes that wait for dependencies.
///
/// An engine owns all its memory and shares none with other engines, so it can move between
/// threads. `Document` ensures that only one thread at a time uses it.
struct Engine: ~Copyable, @unchecked Sendable {
    var opSet: OpSet
    var graph = ChangeGraph()
    var encoder: ChangeEncoder
    var queue = ChangeQueue()
    var unknownChunks = UnknownChunks()
    /// The allowance for chunks from outside.
    var allowance = Allowance()
    /// The actor of the next change.
    private(set) var actor: ActorId
    /// The number of changes that `encodeNewChanges` has already returned.
    var encodedCount = 0
    /// A closure that is called once, at the next edit or applied change, while the document is
    /// locked.
    var observer: (@Sendable () -> Void)?
    /// Recently requested clocks, newest last.
    private var clocks: [(heads: Set<ChangeHash>, clock: Clock)] = []

    init(actor: ActorId = ActorId(), encoding: TextEncoding) {
        self.actor = actor
        opSet = OpSet(encoding: encoding)
        encoder = ChangeEncoder(names: opSet.names)
    }

    /// Returns a copy with another actor. There must be no pending transaction.
    borrowing func copy(actor: ActorId) -> Engine {
        var result = Engine(actor: actor, encoding: opSet.encoding)
        result.opSet = opSet.copy()
        result.graph = graph.copy()
        result.queue = queue
        result.unknownChunks = unknownChunks
        result.allowance = allowance
        return result
    }

    // MARK: Transactions

    var hasPending: Bool {
        opSet.pending.actor != none && opSet.operations.count > opSet.pending.firstRow
    }

    mutating func setActor(_ actor: ActorId) {
        commit()
        self.actor = actor
    }

    /// Starts a transaction unless one is pending. Call this before adding an operation.
    @inline(__always)
    mutating func begin() throws(FormatError) {
        if opSet.pending.actor == none { try start() }
        guard opSet.operations.count < Limits.rows else {
            throw FormatError(.tooLarge, "a document has too many operations")
        }
    }

    @inline(never)
    private mutating func start() throws(FormatError) {
        guard graph.maxCounter < 1 << 62 else {
            throw FormatError(.tooLarge, "the document has no operation counters left")
        }
        opSet.pending = OpSet.Pending(
            firstRow: opSet.operations.count, actor: opSet.actors.intern(actor.bytes),
            startCounter: graph.maxCounter + 1)
        notifyObserver()
    }

    @inline(__always)
    mutating func notifyObserver() {
        if observer != nil { callObserver() }
    }

    @inline(never)
    private mutating func callObserver() {
        let notify = observer
        observer = nil
        notify?()
    }

    /// Commits the pending operations as a change. Does nothing if there are none.
    @discardableResult
    mutating func commit(message: String? = nil, time: Int64 = 0) -> ChangeHash? {
        guard hasPending else {
            opSet.pending = OpSet.Pending()
            return nil
        }
        return append(message: message, time: time)
    }

    /// Commits a change without operations.
    mutating func commitEmpty(message: String?, time: Int64) throws(FormatError) -> ChangeHash {
        if let hash = commit(message: message, time: time) { return hash }
        try start()
        return append(message: message, time: time)
    }

    private mutating func append(message: String?, time: Int64) -> ChangeHash {
        let pending = opSet.pending
        opSet.pending = OpSet.Pending()
        let count = UInt32(opSet.operations.count - pending.firstRow)
        let change = UInt32(graph.count)
        var kept = none
        if let message, let index = try? graph.keep(message: message) { kept = index }
        let record = ChangeGraph.Record(
            actor: pending.actor, operationCount: count,
            sequence: UInt64(opSet.actors.entries[Int(pending.actor)].changes.count) + 1,
            startCounter: pending.startCounter, time: time, firstRow: UInt32(pending.firstRow),
            message: kept)
        opSet.actors.addChange(
            change, of: pending.actor, counter: pending.startCounter,
            row: UInt32(pending.firstRow), count: count)
        return graph.appendEncoded(record) { (graph) in
            encoder.encode(change, of: graph, in: opSet)
        }
    }

    // MARK: Clocks

    /// Returns the clock of `heads`, or `nil` if `heads` are the current heads.
    ///
    /// - Throws: `FormatError` with code `.unknownChange` if one of the heads is missing in the
    ///   document.
    mutating func clock(at heads: Set<ChangeHash>) throws(FormatError) -> Clock? {
        commit()
        if heads.count == graph.heads.count,
            graph.heads.allSatisfy({ heads.contains(graph.hashes[$0]) })
        {
            return nil
        }
        if let known = clocks.firstIndex(where: { $0.heads == heads }) {
            let entry = clocks.remove(at: known)
            clocks.append(entry)
            if entry.clock.counters.count == opSet.actors.count { return entry.clock }
            clocks.removeLast()
        }
        let clock = graph.clock(of: try graph.indices(of: heads), actors: opSet.actors.count)
        if clocks.count >= 4 { clocks.removeFirst() }
        clocks.append((heads, clock))
        return clock
    }
}
