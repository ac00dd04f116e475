/// A reader that splits a bundle into its changes. A bundle stores the operations of several
/// changes together.
///
///     outside dependencies | actors | numbers and lengths of change columns | change columns
///     | numbers and lengths of operation columns | operation columns
///
/// Operations, including deletions, are in document order. Each operation lists its predecessors.
/// The operations' counters are either in a column of counters or follow from a column of
/// positions. The column of positions has a row for each operation, with the operation's position
/// in document order. Its rows are sorted by actor and then by counter.
struct BundleReader {
    private struct Member {
        var actor: Int
        var sequence: UInt64
        var startCounter: UInt64
        var maxCounter: UInt64
        var time: Int64
        var message: UnsafeBufferPointer<UInt8>
        var dependencies: [Int]
        var extra: UnsafeBufferPointer<UInt8>

        var operationCount: UInt64 { maxCounter &+ 1 &- startCounter }
    }

    private enum Column {
        static let actor: UInt32 = 0x01
        static let sequence: UInt32 = 0x03
        static let startCounter: UInt32 = 0x13
        static let maxCounter: UInt32 = 0x23
        static let time: UInt32 = 0x33
        static let message: UInt32 = 0x45
        static let dependencyCount: UInt32 = 0x50
        static let dependency: UInt32 = 0x53
        static let extraCount: UInt32 = 0x60
        static let extra: UInt32 = 0x67
        static let objectCounter: UInt32 = 0x03
        static let inversePosition: UInt32 = 0xb3
    }

    private static let knownChangeColumns: Set<UInt32> = [
        Column.actor, Column.sequence, Column.startCounter, Column.maxCounter, Column.time,
        Column.message, Column.dependencyCount, Column.dependency, Column.extraCount, Column.extra,
    ]
    private static let knownOperationColumns: Set<UInt32> = ChangeReader.knownColumns
        .subtracting([ColumnSpecification.objectCounter])
        .union([
            Column.objectCounter, Column.inversePosition, ColumnSpecification.idActor,
            ColumnSpecification.idCounter,
        ])

    private let outside: [ChangeHash]
    private let actors: [[UInt8]]
    private let changes: ColumnLayout
    private let operations: ColumnLayout
    private let storage = ColumnStorage()
    private let byteCount: Int

    init(
        _ contents: UnsafeBufferPointer<UInt8>, allowance: inout Allowance
    ) throws(FormatError) {
        byteCount = contents.count
        var reader = ByteReader(contents)
        outside = try reader.hashes()
        actors = try reader.actors(allowance: &allowance)
        var budget = Limits.inflated(from: contents.count)
        changes = try ColumnLayout(
            try ColumnLayout.read(from: &reader), from: &reader, storage: storage,
            budget: &budget)
        operations = try ColumnLayout(
            try ColumnLayout.read(from: &reader), from: &reader, storage: storage,
            budget: &budget)
        try allowance.spend(
            Allowance.Cost.inflatedByte,
            times: UInt64(Limits.inflated(from: contents.count) - budget))
        // Identifiers and positions belong to the bundle, not to its changes. So unknown columns of
        // their groups can't be stored with a change.
        let reserved = [
            ColumnSpecification.ids, ColumnSpecification.successors,
            ColumnSpecification.identifier(of: Column.inversePosition),
        ]
        guard
            operations.columns.allSatisfy({ column in
                Self.knownOperationColumns.contains(column.specification)
                    || !reserved.contains(
                        ColumnSpecification.identifier(of: column.specification))
            })
        else {
            throw FormatError(.badColumn, "a bundle has unknown columns")
        }
    }

    /// Whether the bundle has unknown columns of changes, which the changes' own chunks can't
    /// store.
    var hasUnknownChangeColumns: Bool { changes.hasOthers(than: Self.knownChangeColumns) }

    /// Rebuilds the chunk of each change and passes its contents and hash to `body`. Dependencies
    /// come before the changes that depend on them.
    func forEachChange(
        allowance: inout Allowance,
        _ body: (UnsafeBufferPointer<UInt8>, ChangeHash) throws(FormatError) -> Void
    ) throws(FormatError) {
        let members = try readMembers(allowance: &allowance)
        let found = try readOperations(of: members, allowance: &allowance)
        var hashes: [ChangeHash] = []
        var encoder = LooseChangeEncoder()
        for (index, member) in members.enumerated() {
            var dependencies: [ChangeHash] = []
            for dependency in member.dependencies {
                if dependency < index {
                    dependencies.append(hashes[dependency])
                } else if dependency >= members.count,
                    dependency - members.count < outside.count
                {
                    dependencies.append(outside[dependency - members.count])
                } else {
                    throw FormatError(.badReference, "a change depends on a change that follows it")
                }
            }
            let header = LooseChangeEncoder.Header(
                dependencies: dependencies.sorted(), author: member.actor,
                sequence: member.sequence, startCounter: member.startCounter,
                time: member.time, message: member.message, extra: member.extra)
            let hash = try encoder.encode(header, found[index], actors: actors)
            hashes.append(hash)
            try body(encoder.contents.buffer, hash)
        }
    }

    private func readMembers(allowance: inout Allowance) throws(FormatError) -> [Member] {
        var actor = RunDecoder<UnsignedReading>(changes[Column.actor])
        var sequence = DeltaDecoder(changes[Column.sequence])
        var start = DeltaDecoder(changes[Column.startCounter])
        var end = DeltaDecoder(changes[Column.maxCounter])
        var time = DeltaDecoder(changes[Column.time])
        var message = RunDecoder<BytesReading>(changes[Column.message])
        var count = RunDecoder<UnsignedReading>(changes[Column.dependencyCount])
        var dependency = DeltaDecoder(changes[Column.dependency])
        var extraCount = RunDecoder<UnsignedReading>(changes[Column.extraCount])
        var extra = ByteReader(changes[Column.extra])
        var members: [Member] = []
        while !actor.isDone {
            try allowance.spend(Allowance.Cost.change)
            guard let author = try actor.next(), author < UInt64(actors.count),
                let number = try sequence.nextCount(), let first = try start.nextCount(),
                let last = try end.nextCount(), first > 0, last < 1 << 62, last + 1 >= first
            else {
                throw FormatError(.badColumn, "a change of a bundle is incomplete")
            }
            let needed = try count.next() ?? 0
            guard needed <= UInt64(outside.count + members.count) else {
                throw FormatError(.badColumn, "a change has too many dependencies")
            }
            try allowance.spend(Allowance.Cost.dependency, times: needed)
            let when = try time.next() ?? 0
            let text = try message.next() ?? UnsafeBufferPointer(start: nil, count: 0)
            var dependencies: [Int] = []
            for _ in 0..<needed {
                guard let index = try dependency.nextCount(), index < UInt64(Limits.rows) else {
                    throw FormatError(.badColumn, "a dependency is missing")
                }
                dependencies.append(Int(index))
            }
            let length = try extraCount.next() ?? 0
            guard length <= UInt64(extra.remaining) else { throw .truncated }
            members.append(
                Member(
                    actor: Int(author), sequence: number, startCounter: first, maxCounter: last,
                    time: when, message: text, dependencies: dependencies,
                    extra: try extra.bytes(Int(length))))
        }
        return members
    }

    /// Returns the operations of each change, sorted by counter.
    private func readOperations(
        of members: [Member], allowance: inout Allowance
    ) throws(FormatError) -> [[LooseOperation]] {
        // Sorting by actor and first counter also sorts each actor's changes by sequence number.
        let order = members.indices.sorted {
            (members[$0].actor, members[$0].startCounter)
                < (members[$1].actor, members[$1].startCounter)
        }
        var total: UInt64 = 0
        for member in members {
            try allowance.spend(Allowance.Cost.looseOperation, times: member.operationCount)
            total += member.operationCount
        }
        let counters = try readCounters(of: members, order: order, total: Int(total))
        var reader = OperationReader(
            operations, objectCounter: operations[Column.objectCounter])
        var idActor = RunDecoder<UnsignedReading>(operations[ColumnSpecification.idActor])
        var unknown = try UnknownColumnReader(
            operations, besides: Self.knownOperationColumns, actors: actors,
            limit: Limits.unknownValues(chunk: byteCount))
        var result = [[LooseOperation]](repeating: [], count: members.count)
        for counter in counters {
            guard !reader.isDone, let actor = try idActor.next() else {
                throw FormatError(.badColumn, "operations of a bundle are missing")
            }
            let operation = try reader.next()
            var predecessors: [EncodedOperation.Identifier] = []
            try allowance.spend(Allowance.Cost.link, times: UInt64(operation.predecessorCount))
            for _ in 0..<operation.predecessorCount {
                predecessors.append(try reader.nextPredecessor())
            }
            guard
                let member = Self.member(
                    holding: counter, of: Int(clamping: actor), in: members, order: order)
            else {
                throw FormatError(.badReference, "an operation belongs to no change")
            }
            result[member].append(
                LooseOperation(
                    counter: counter, operation: operation, predecessors: predecessors,
                    others: unknown.isEmpty
                        ? nil
                        : try unknown.next(
                            groups: [ColumnSpecification.predecessors: predecessors.count])))
        }
        try unknown.finish()
        guard reader.isDone else {
            throw FormatError(.badColumn, "a bundle has more operations than its changes declare")
        }
        for member in members.indices {
            result[member].sort { $0.counter < $1.counter }
            guard UInt64(result[member].count) == members[member].operationCount,
                zip(result[member], result[member].dropFirst())
                    .allSatisfy({ $0.counter < $1.counter })
            else {
                throw FormatError(.badColumn, "operations of a bundle are missing")
            }
        }
        return result
    }

    /// Returns the counters of all operations, in document order.
    private func readCounters(
        of members: [Member], order: [Int], total: Int
    ) throws(FormatError) -> [UInt64] {
        let inverse = operations[Column.inversePosition]
        if inverse.isEmpty {
            var column = DeltaDecoder(operations[ColumnSpecification.idCounter])
            var counters: [UInt64] = []
            for _ in 0..<total {
                guard let counter = try column.nextCount() else {
                    throw FormatError(.badColumn, "an operation has no counter")
                }
                counters.append(counter)
            }
            return counters
        }
        var counters = [UInt64](repeating: 0, count: total)
        var column = DeltaDecoder(inverse)
        for member in order {
            var counter = members[member].startCounter
            while counter <= members[member].maxCounter {
                guard let place = try column.nextCount(), place < UInt64(total),
                    counters[Int(place)] == 0
                else {
                    throw FormatError(.badColumn, "operation positions are not a permutation")
                }
                counters[Int(place)] = counter
                counter += 1
            }
        }
        return counters
    }

    private static func member(
        holding counter: UInt64, of actor: Int, in members: [Member], order: [Int]
    ) -> Int? {
        let place = order.indices.firstPosition {
            let member = members[order[$0]]
            return (member.actor, member.maxCounter) >= (actor, counter)
        }
        guard place < order.count else { return nil }
        let member = members[order[place]]
        return member.actor == actor && member.startCounter <= counter ? order[place] : nil
    }
}

extension Engine {
    /// Applies the changes of a bundle.
    ///
    /// - Returns: Whether the bundle has unknown columns of changes, which the changes' own chunks
    ///   can't store.
    mutating func applyBundle(
        _ contents: UnsafeBufferPointer<UInt8>
    ) throws(FormatError) -> Bool {
        let reader = try BundleReader(contents, allowance: &allowance)
        var chunks: [(contents: [UInt8], hash: ChangeHash)] = []
        try reader.forEachChange(allowance: &allowance) { contents, hash in
            chunks.append((Array(contents), hash))
        }
        for chunk in chunks {
            try chunk.contents.withUnsafeBufferPointer { (bytes) throws(FormatError) in
                try applyChange(bytes, hash: chunk.hash)
            }
        }
        return reader.hasUnknownChangeColumns
    }
}
