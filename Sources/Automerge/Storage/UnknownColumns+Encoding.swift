extension UnknownColumns {
    typealias Column = (specification: UInt32, bytes: UnsafeBufferPointer<UInt8>)

    /// Encodes the unknown columns of the rows, sorted by column number.
    ///
    /// - Parameters:
    ///   - known: The identifier of a known group, and the number of its values in each row.
    ///   - actor: Returns the position of an actor in the chunk's list.
    ///   - storage: Keeps the encoded bytes.
    static func columns(
        of rows: [Row?], known: (identifier: UInt32, counts: [Int])? = nil,
        actor: ([UInt8]) -> UInt64?, in storage: ColumnStorage
    ) -> [Column] {
        var specifications: Set<UInt32> = []
        for case let row? in rows { specifications.formUnion(row.keys) }
        return specifications.sorted().map { specification in
            let isKnown = ColumnSpecification.identifier(of: specification) == known?.identifier
            let isGrouped = specifications.contains(specification & ~15)
            var cells: [Cell] = []
            for (index, row) in rows.enumerated() {
                let count =
                    if isKnown, let known {
                        known.counts[index]
                    } else {
                        Self.count(of: specification, row ?? [:], isGrouped: isGrouped)
                    }
                let found = row?[specification] ?? []
                cells += found.prefix(count)
                cells += repeatElement(.null, count: max(0, count - found.count))
            }
            let kind = ColumnSpecification.Kind(specification)
            return (specification, storage.keep(encoded(cells, kind, actor)))
        }
    }

    /// Returns the number of values that a row has in a column. The column may be part of an
    /// unknown group.
    private static func count(of specification: UInt32, _ row: Row, isGrouped: Bool) -> Int {
        let group = specification & ~15
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
            out.bytes(runs.finish())
        case .difference:
            var differences = DeltaEncoder()
            for cell in cells {
                if case .number(let value) = cell {
                    differences.append(value)
                } else {
                    differences.appendNull()
                }
            }
            out.bytes(differences.finish())
        case .truth:
            var truths = BooleanEncoder()
            for cell in cells { truths.append(cell == .number(1)) }
            if !truths.isAllFalse { out.bytes(truths.finish()) }
        case .text: write(texts: cells, to: &out)
        case .value:
            for case .bytes(let bytes) in cells { out.bytes(bytes) }
        }
        return out
    }

    private static func write(texts cells: [Cell], to out: inout ByteWriter) {
        // Names may move until all names are stored in the table, so create the encoder afterward.
        var names = NameTable()
        let numbers = cells.map { cell -> UInt64? in
            guard case .bytes(let bytes) = cell else { return nil }
            return bytes.withUnsafeBufferPointer { buffer in
                (try? names.intern(buffer)).map { UInt64($0) }
            }
        }
        var runs = RunEncoder(names.writing)
        for number in numbers { runs.append(number) }
        out.bytes(runs.finish())
    }
}
