/// Values of columns that later versions of the format may have, by change. They say nothing to this
/// one, and are written again with the document that they came with.
struct UnknownColumns: Sendable {
    /// A value as its column has it, apart from how that is encoded.
    enum Cell: Hashable, Sendable {
        case null
        /// A count, a number, the bits of a signed one, a truth.
        case number(UInt64)
        case bytes([UInt8])
        case actor([UInt8])
    }

    /// By a column's number, one value, or as many as its group has in the change.
    typealias Row = [UInt32: [Cell]]

    private(set) var rows: [ChangeHash: Row] = [:]

    var isEmpty: Bool { rows.isEmpty }

    mutating func keep(_ row: Row, of change: ChangeHash) {
        rows[change, default: [:]].merge(row) { own, _ in own }
    }

    /// Keeps what another document has of the same changes too.
    mutating func keep(_ others: UnknownColumns) {
        for (change, row) in others.rows { keep(row, of: change) }
    }

    /// What is here of some changes.
    func of(_ isWanted: (ChangeHash) -> Bool) -> UnknownColumns {
        var result = UnknownColumns()
        result.rows = rows.filter { isWanted($0.key) }
        return result
    }

    /// The actors that values name.
    var actors: Set<[UInt8]> {
        var found: Set<[UInt8]> = []
        for row in rows.values {
            for case .actor(let actor) in row.values.joined() { found.insert(actor) }
        }
        return found
    }
}

extension ColumnSpecification {
    /// The columns with one of these belong together: a group and what is in it, a value's type and
    /// its bytes.
    static func identifier(of specification: UInt32) -> UInt32 { specification >> 4 }

    /// What the numbers of columns say of their values.
    enum Kind: UInt32 {
        case group, actor, unsigned, difference, truth, text, valueMeta, value

        init(_ specification: UInt32) { self = Kind(rawValue: specification & 7) ?? .unsigned }
    }
}

/// Reads the columns of a document's changes that are not known, change by change.
struct UnknownColumnReader {
    private enum Decoder {
        case unsigned(RunDecoder<UnsignedReading>)
        case difference(DeltaDecoder)
        case truth(BooleanDecoder)
        case text(RunDecoder<BytesReading>)
        case value(ByteReader)
    }

    private struct Column {
        let specification: UInt32
        var decoder: Decoder
    }

    private var columns: [Column] = []
    private let actors: [[UInt8]]
    /// How many values may still come: nulls and runs take few bytes, and groups say how many there
    /// are.
    private var left: Int

    /// - Parameter limit: How many values all columns may have together.
    init(
        _ layout: ColumnLayout, besides known: Set<UInt32>, actors: [[UInt8]], limit: Int
    ) throws(FormatError) {
        self.actors = actors
        left = limit
        for column in layout.columns
        where !known.contains(column.specification) && !column.bytes.isEmpty {
            let decoder: Decoder
            switch ColumnSpecification.Kind(column.specification) {
            case .group, .actor, .unsigned, .valueMeta:
                decoder = .unsigned(RunDecoder(column.bytes))
            case .difference: decoder = .difference(DeltaDecoder(column.bytes))
            case .truth: decoder = .truth(BooleanDecoder(column.bytes))
            case .text: decoder = .text(RunDecoder(column.bytes))
            case .value:
                guard columns.last?.specification == column.specification - 1 else {
                    throw FormatError(.badColumn, "a column of values has none of their types")
                }
                decoder = .value(ByteReader(column.bytes))
            }
            columns.append(Column(specification: column.specification, decoder: decoder))
        }
    }

    var isEmpty: Bool { columns.isEmpty }

    /// The values of the next change; `nil` where there are none.
    mutating func next(dependencyCount: Int) throws(FormatError) -> UnknownColumns.Row? {
        var row: UnknownColumns.Row = [:]
        var isAnything = false
        let known = ColumnSpecification.identifier(of: ColumnSpecification.dependencyCount)
        var groups = [known: dependencyCount]
        var lengths: [UInt64] = []
        for index in columns.indices {
            let specification = columns[index].specification
            let identifier = ColumnSpecification.identifier(of: specification)
            let kind = ColumnSpecification.Kind(specification)
            let count = kind == .group ? 1 : groups[identifier] ?? 1
            left -= count
            guard left >= 0 else {
                throw FormatError(.tooLarge, "unknown columns have more values than are taken")
            }
            var cells: [UnknownColumns.Cell] = []
            for number in 0..<count {
                let length = kind == .value ? lengths[number] : 0
                cells.append(try cell(of: &columns[index].decoder, kind, length))
            }
            switch kind {
            case .group:
                guard case .number(let size)? = cells.first else {
                    groups[identifier] = 0
                    break
                }
                guard size <= UInt64(left) else {
                    throw FormatError(.tooLarge, "a group has more values than are taken")
                }
                groups[identifier] = Int(size)
            case .valueMeta:
                lengths = cells.map { cell in
                    if case .number(let meta) = cell { meta >> 4 } else { 0 }
                }
            default: break
            }
            isAnything = isAnything || cells.contains { $0 != .null && $0 != .bytes([]) }
            row[specification] = cells
        }
        return isAnything ? row : nil
    }

    private func cell(
        of decoder: inout Decoder, _ kind: ColumnSpecification.Kind, _ length: UInt64
    ) throws(FormatError) -> UnknownColumns.Cell {
        switch decoder {
        case .unsigned(var runs):
            let value = try runs.next()
            decoder = .unsigned(runs)
            guard let value else { return .null }
            guard kind == .actor else { return .number(value) }
            guard value < UInt64(actors.count) else {
                throw FormatError(.badReference, "a change names an actor that is not listed")
            }
            return .actor(actors[Int(value)])
        case .difference(var differences):
            let value = try differences.next()
            decoder = .difference(differences)
            return value.map { .number(UInt64(bitPattern: $0)) } ?? .null
        case .truth(var truths):
            let value = try truths.next()
            decoder = .truth(truths)
            return value ? .number(1) : .null
        case .text(var texts):
            let value = try texts.next()
            decoder = .text(texts)
            return value.map { .bytes(Array($0)) } ?? .null
        case .value(var bytes):
            guard length <= UInt64(bytes.remaining) else { throw .truncated }
            let value = Array(try bytes.bytes(Int(length)))
            decoder = .value(bytes)
            return .bytes(value)
        }
    }

    /// - Throws: `FormatError` where there are values of more changes than the document has.
    func finish() throws(FormatError) {
        for column in columns {
            let isDone =
                switch column.decoder {
                case .unsigned(let runs): runs.isDone
                case .difference(let differences): differences.isDone
                case .truth(let truths): truths.isDone
                case .text(let texts): texts.isDone
                case .value(let bytes): bytes.isAtEnd
                }
            guard isDone else {
                throw FormatError(.badColumn, "a column has more values than there are changes")
            }
        }
    }
}

extension UnknownColumns {
    /// The columns of all changes of a document, encoded, in the order of their numbers.
    ///
    /// - Parameters:
    ///   - actor: The place of an actor in the chunk's list.
    ///   - storage: Keeps the bytes.
    func columns(
        of graph: borrowing ChangeGraph, actor: ([UInt8]) -> UInt64?, in storage: ColumnStorage
    ) -> [(specification: UInt32, bytes: UnsafeBufferPointer<UInt8>)] {
        var specifications: Set<UInt32> = []
        for row in rows.values { specifications.formUnion(row.keys) }
        var result: [(specification: UInt32, bytes: UnsafeBufferPointer<UInt8>)] = []
        for specification in specifications.sorted() {
            var cells: [Cell] = []
            for change in 0..<UInt32(graph.count) {
                let row = rows[graph.hashes[change]] ?? [:]
                let count = Self.count(
                    of: specification, row, Int(graph.records[change].dependencyCount),
                    isGrouped: specifications.contains(specification & ~15))
                let found = row[specification] ?? []
                cells += found.prefix(count)
                cells += repeatElement(.null, count: max(0, count - found.count))
            }
            let kind = ColumnSpecification.Kind(specification)
            result.append((specification, storage.keep(Self.encoded(cells, kind, actor))))
        }
        return result
    }

    /// How many values a change has in a column.
    private static func count(
        of specification: UInt32, _ row: Row, _ dependencyCount: Int, isGrouped: Bool
    ) -> Int {
        let group = specification & ~15
        if group == ColumnSpecification.dependencyCount { return dependencyCount }
        guard isGrouped, group != specification else { return 1 }
        if case .number(let size)? = row[group]?.first { return Int(clamping: size) }
        return 0
    }

    private static func encoded(
        _ cells: [Cell], _ kind: ColumnSpecification.Kind, _ actor: ([UInt8]) -> UInt64?
    ) -> ByteWriter {
        var out = ByteWriter()
        switch kind {
        case .group, .actor, .unsigned, .valueMeta:
            var runs = RunEncoder(UnsignedWriting())
            for cell in cells {
                switch cell {
                case .number(let value): runs.append(value)
                case .actor(let bytes): runs.append(actor(bytes))
                default: runs.appendNull()
                }
            }
            runs.finish()
            out.bytes(runs.out.buffer)
        case .difference:
            var differences = DeltaEncoder()
            for cell in cells {
                if case .number(let value) = cell {
                    differences.append(value)
                } else {
                    differences.appendNull()
                }
            }
            differences.finish()
            out.bytes(differences.out.buffer)
        case .truth:
            var truths = BooleanEncoder()
            for cell in cells { truths.append(cell == .number(1)) }
            truths.finish()
            if !truths.isAllFalse { out.bytes(truths.out.buffer) }
        case .text: write(texts: cells, to: &out)
        case .value:
            for case .bytes(let bytes) in cells { out.bytes(bytes) }
        }
        return out
    }

    private static func write(texts cells: [Cell], to out: inout ByteWriter) {
        // Names may not move while an encoder points at them.
        var names = NameTable()
        let numbers = cells.map { cell -> UInt64? in
            guard case .bytes(let bytes) = cell else { return nil }
            return bytes.withUnsafeBufferPointer { buffer in
                (try? names.intern(buffer)).map { UInt64($0) }
            }
        }
        var runs = RunEncoder(names.writing)
        for number in numbers { runs.append(number) }
        runs.finish()
        out.bytes(runs.out.buffer)
    }
}
