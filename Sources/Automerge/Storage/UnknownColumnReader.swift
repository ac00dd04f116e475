/// A reader of unknown columns, one change or operation at a time.
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
    /// The number of values that may still be read. The limit is necessary, because nulls and runs
    /// take few bytes and groups can state any number of values.
    private var left: Int

    /// Creates a reader of the columns that aren't in `known`.
    ///
    /// - Parameter limit: The maximum number of values in all columns together.
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
                    throw FormatError(.badColumn, "a value column has no metadata column before it")
                }
                decoder = .value(ByteReader(column.bytes))
            }
            columns.append(Column(specification: column.specification, decoder: decoder))
        }
    }

    var isEmpty: Bool { columns.isEmpty }

    /// Returns whether there is a column with one of the identifiers.
    func hasColumns(of identifiers: Set<UInt32>) -> Bool {
        columns.contains {
            identifiers.contains(ColumnSpecification.identifier(of: $0.specification))
        }
    }

    /// Returns the values of the next row, or `nil` if it has none.
    ///
    /// - Parameter groups: The number of values that the row has in each known group, by
    ///   identifier.
    mutating func next(
        groups known: [UInt32: Int] = [:]
    ) throws(FormatError) -> UnknownColumns.Row? {
        var row: UnknownColumns.Row = [:]
        var isAnything = false
        var groups = known
        var lengths: [UInt64] = []
        for index in columns.indices {
            let specification = columns[index].specification
            let identifier = ColumnSpecification.identifier(of: specification)
            let kind = ColumnSpecification.Kind(specification)
            let count = kind == .group ? 1 : groups[identifier] ?? 1
            left -= count
            guard left >= 0 else {
                throw FormatError(.tooLarge, "unknown columns have too many values")
            }
            var cells: [UnknownColumns.Cell] = []
            for number in 0..<count {
                let length = kind == .value ? lengths[number] : 0
                let cell = try cell(of: &columns[index].decoder, kind, length)
                if case .bytes(let bytes) = cell { left -= bytes.count / 16 }
                cells.append(cell)
            }
            switch kind {
            case .group:
                guard case .number(let size)? = cells.first else {
                    groups[identifier] = 0
                    break
                }
                guard size <= UInt64(left) else {
                    throw FormatError(.tooLarge, "a group has too many values")
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
                throw FormatError(.badReference, "a column refers to an actor that is not listed")
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

    /// Checks that the columns have no further rows.
    ///
    /// - Throws: `FormatError` if the columns contain more rows than have been read.
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
                throw FormatError(.badColumn, "a column has more values than there are rows")
            }
        }
    }
}
