import Foundation

@testable import Automerge

/// An error in the bytes of a change.
struct NaiveChangeReaderError: Error { let message: String }

/// Reads an uncompressed change chunk according to the published description of the format.
///
/// Written for clarity and independent of the module's reader: every column is expanded into an
/// array with one value per row.
struct NaiveChangeReader {
    private var bytes: ArraySlice<UInt8>

    private init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// Returns the consecutive chunks of a file.
    static func chunks(of data: Data) throws -> [Data] {
        var rest = NaiveChangeReader(Array(data)[...])
        var chunks: [Data] = []
        while !rest.bytes.isEmpty {
            let start = rest.bytes
            _ = try rest.take(9)
            _ = try rest.take(Int(try rest.unsigned()))
            chunks.append(Data(start.prefix(start.count - rest.bytes.count)))
        }
        return chunks
    }

    /// The parts of a document chunk, with expanded columns.
    ///
    /// Compressors write different bytes, but the expanded columns are the same.
    struct Expanded: Equatable {
        /// The actors and heads.
        var head: [[UInt8]] = []
        /// The columns of the changes, then those of the operations.
        var columns: [[UInt64: [UInt8]]] = []
        /// The indexes of the heads among the changes.
        var tail: [UInt8] = []
    }

    /// - Returns: Whether any column is compressed, and the expanded chunk.
    static func expand(_ document: Data) throws -> (isCompressed: Bool, content: Expanded) {
        var reader = NaiveChangeReader(Array(document)[...])
        _ = try reader.take(9)
        _ = try reader.unsigned()
        var content = Expanded()
        for _ in 0..<(try reader.unsigned()) {
            content.head.append(Array(try reader.lengthPrefixed()))
        }
        content.head.append(Array(try reader.take(32 * Int(try reader.unsigned()))))
        var layouts: [[(specification: UInt64, length: Int)]] = []
        for _ in 0..<2 {
            layouts.append(
                try (0..<(try reader.unsigned())).map { _ in
                    (try reader.unsigned(), Int(try reader.unsigned()))
                })
        }
        var isCompressed = false
        for layout in layouts {
            var columns: [UInt64: [UInt8]] = [:]
            for (specification, length) in layout {
                var bytes = Array(try reader.take(length))
                if specification & 8 != 0 {
                    isCompressed = true
                    var expanded = ByteWriter()
                    try bytes.withUnsafeBufferPointer { bytes in
                        try Deflate.inflate(bytes, into: &expanded, limit: 1 << 24)
                    }
                    bytes = expanded.array()
                }
                columns[specification & ~8] = bytes
            }
            content.columns.append(columns)
        }
        content.tail = Array(reader.bytes)
        return (isCompressed, content)
    }

    static func read(_ data: Data) throws -> ModelChange {
        var reader = NaiveChangeReader(Array(data)[...])
        try check(try reader.take(4).elementsEqual([0x85, 0x6F, 0x4A, 0x83]), "magic")
        _ = try reader.take(4)
        try check(try reader.byte() == 1, "not the chunk of a change")
        let length = try reader.unsigned()
        var body = NaiveChangeReader(try reader.take(Int(length)))
        return try body.change()
    }

    private mutating func change() throws -> ModelChange {
        var dependencies: [ChangeHash] = []
        for _ in 0..<(try unsigned()) {
            guard let hash = ChangeHash(bytes: try take(32)) else {
                throw NaiveChangeReaderError(message: "hash")
            }
            dependencies.append(hash)
        }
        var actors = [Array(try lengthPrefixed())]
        let sequence = try unsigned()
        let firstCounter = try unsigned()
        let time = try signed()
        let message = String(decoding: try lengthPrefixed(), as: UTF8.self)
        for _ in 0..<(try unsigned()) { actors.append(Array(try lengthPrefixed())) }
        var layout: [(specification: UInt64, length: UInt64)] = []
        for _ in 0..<(try unsigned()) { layout.append((try unsigned(), try unsigned())) }
        var columns: [UInt64: ArraySlice<UInt8>] = [:]
        for (specification, length) in layout {
            columns[specification] = try take(Int(length))
        }
        let rows = try Rows(columns)
        var operations: [ModelOperation] = []
        for row in 0..<rows.count {
            let counter = firstCounter + UInt64(row)
            operations.append(try rows.operation(row, counter: counter, actors: actors))
        }
        return ModelChange(
            actor: actors[0], sequence: sequence, firstCounter: firstCounter, time: time,
            message: message.isEmpty ? nil : message, dependencies: dependencies,
            operations: operations)
    }

    /// The expanded columns of a change.
    private struct Rows {
        let objectActor, objectCounter, keyActor, keyCounter, action, valueLength: [Int64?]
        let predecessorCount, predecessorActor, predecessorCounter: [Int64?]
        let keyText, markName: [String?]
        let insert: [Bool]
        let raw: [UInt8]
        var count: Int { action.count }

        init(_ columns: [UInt64: ArraySlice<UInt8>]) throws {
            func reader(_ specification: UInt64) -> NaiveChangeReader {
                NaiveChangeReader(columns[specification] ?? [])
            }
            func numbers(_ specification: UInt64, delta: Bool = false) throws -> [Int64?] {
                var column = reader(specification)
                let values = try column.runs { column in
                    delta ? try column.signed() : Int64(try column.unsigned())
                }
                guard delta else { return values }
                var sum: Int64 = 0
                return values.map { value in
                    guard let value else { return nil }
                    sum += value
                    return sum
                }
            }
            func texts(_ specification: UInt64) throws -> [String?] {
                var column = reader(specification)
                return try column.runs {
                    String(decoding: try $0.lengthPrefixed(), as: UTF8.self)
                }
            }
            objectActor = try numbers(0x01)
            objectCounter = try numbers(0x02)
            keyActor = try numbers(0x11)
            keyCounter = try numbers(0x13, delta: true)
            keyText = try texts(0x15)
            var insertColumn = reader(0x34)
            insert = try insertColumn.booleans()
            action = try numbers(0x42)
            valueLength = try numbers(0x56)
            raw = Array(columns[0x57] ?? [])
            predecessorCount = try numbers(0x70)
            predecessorActor = try numbers(0x71)
            predecessorCounter = try numbers(0x73, delta: true)
            markName = try texts(0xA5)
        }

        /// A missing column is a column of nulls.
        private func at<Element>(_ column: [Element?], _ row: Int) -> Element? {
            row < column.count ? column[row] : nil
        }

        private func id(_ counter: Int64?, _ actor: Int64?, _ actors: [[UInt8]]) -> ModelID? {
            guard let counter, let actor else { return nil }
            return ModelID(counter: UInt64(counter), actor: actors[Int(actor)])
        }

        private func value(_ row: Int) throws -> ScalarValue {
            let metadata = at(valueLength, row) ?? 0
            let start = (0..<row).reduce(0) { $0 + Int((at(valueLength, $1) ?? 0) >> 4) }
            let bytes = raw[start..<start + Int(metadata >> 4)]
            var reader = NaiveChangeReader(bytes)
            switch metadata & 15 {
            case 0: return .Null
            case 1: return .Boolean(false)
            case 2: return .Boolean(true)
            case 3: return .Uint(try reader.unsigned())
            case 4: return .Int(try reader.signed())
            case 5:
                let bits = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                return .F64(Double(bitPattern: bits))
            case 6: return .String(String(decoding: bytes, as: UTF8.self))
            case 7: return .Bytes(Data(bytes))
            case 8: return .Counter(try reader.signed())
            case 9:
                return .Timestamp(Date(timeIntervalSince1970: Double(try reader.signed()) / 1000))
            case let code: return .Unknown(typeCode: UInt8(code), data: Data(bytes))
            }
        }

        func operation(
            _ row: Int, counter: UInt64, actors: [[UInt8]]
        ) throws -> ModelOperation {
            let key: ModelOperation.Key =
                if let text = at(keyText, row) {
                    .map(ExactText(text))
                } else {
                    .element(id(at(keyCounter, row), at(keyActor, row), actors))
                }
            let action: ModelOperation.Action
            switch at(self.action, row) {
            case 0, 6: action = .make(.Map)
            case 1: action = .put(try value(row))
            case 2: action = .make(.List)
            case 3: action = .delete
            case 4: action = .make(.Text)
            case 5:
                switch try value(row) {
                case .Int(let amount), .Counter(let amount): action = .increment(amount)
                case .Uint(let amount): action = .increment(Int64(amount))
                default: throw NaiveChangeReaderError(message: "increment")
                }
            case 7:
                if let name = at(markName, row) {
                    action = .beginMark(name: name, value: try value(row))
                } else {
                    action = .endMark
                }
            case let code:
                throw NaiveChangeReaderError(message: "action \(String(describing: code))")
            }
            let before = (0..<row).reduce(0) { $0 + Int(at(predecessorCount, $1) ?? 0) }
            let predecessors = (0..<Int(at(predecessorCount, row) ?? 0)).compactMap {
                id(at(predecessorCounter, before + $0), at(predecessorActor, before + $0), actors)
            }
            return ModelOperation(
                id: ModelID(counter: counter, actor: actors[0]),
                object: id(at(objectCounter, row), at(objectActor, row), actors), key: key,
                isInsert: row < insert.count ? insert[row] : false, action: action,
                predecessors: predecessors)
        }
    }

    // MARK: Bytes

    private static func check(_ condition: Bool, _ message: String) throws {
        guard condition else { throw NaiveChangeReaderError(message: message) }
    }

    private mutating func byte() throws -> UInt8 {
        guard let byte = bytes.popFirst() else {
            throw NaiveChangeReaderError(message: "truncated")
        }
        return byte
    }

    private mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
        guard count <= bytes.count else { throw NaiveChangeReaderError(message: "truncated") }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }

    private mutating func lengthPrefixed() throws -> ArraySlice<UInt8> {
        try take(Int(try unsigned()))
    }

    private mutating func unsigned() throws -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try byte()
            value |= UInt64(byte & 0x7F) << shift
            shift += 7
            if byte & 0x80 == 0 { return value }
        }
    }

    private mutating func signed() throws -> Int64 {
        var value: Int64 = 0
        var shift: Int64 = 0
        while true {
            let byte = try byte()
            value |= Int64(byte & 0x7F) << shift
            shift += 7
            if byte & 0x80 == 0 {
                return byte & 0x40 != 0 && shift < 64 ? value | -1 << shift : value
            }
        }
    }

    /// Runs: a positive count and one value, a negative count and that many values, or 0 and a
    /// count of nulls.
    private mutating func runs<Element>(
        _ value: (inout NaiveChangeReader) throws -> Element
    ) throws -> [Element?] {
        var result: [Element?] = []
        while !bytes.isEmpty {
            let count = try signed()
            if count > 0 {
                result += Array(repeating: try value(&self), count: Int(count))
            } else if count < 0 {
                for _ in 0..<(-count) { result.append(try value(&self)) }
            } else {
                result += Array(repeating: nil, count: Int(try unsigned()))
            }
        }
        return result
    }

    /// Run lengths of false, true, false, and so on.
    private mutating func booleans() throws -> [Bool] {
        var result: [Bool] = []
        var value = false
        while !bytes.isEmpty {
            result += Array(repeating: value, count: Int(try unsigned()))
            value.toggle()
        }
        return result
    }
}
