import TestSupport
import Testing

@testable import Automerge

/// The column encodings: their bytes, and that they round-trip.
@Suite struct ColumnTests {
    private func encode(_ values: [UInt64?]) -> [UInt8] {
        var encoder = RunEncoder(UnsignedWriting())
        for value in values { encoder.append(value) }
        encoder.finish()
        return encoder.out.array()
    }

    private func decode(_ bytes: [UInt8], count: Int) throws -> [UInt64?] {
        try bytes.withUnsafeBufferPointer { (buffer) throws(FormatError) in
            var decoder = RunDecoder<UnsignedReading>(buffer)
            var values: [UInt64?] = []
            for _ in 0..<count { values.append(try decoder.next()) }
            guard decoder.isDone else { throw FormatError(.badColumn, "not all was read") }
            return values
        }
    }

    @Test func runsLiteralsAndNullsMatchTheFormat() {
        #expect(encode([1, 1, 1]) == [3, 1])
        #expect(encode([1, 2, 3]) == [0x7d, 1, 2, 3])
        #expect(encode([1, 2, 2]) == [0x7f, 1, 2, 2])
        #expect(encode([nil, nil, 7]) == [0, 2, 0x7f, 7])
        #expect(encode([7, nil]) == [0x7f, 7, 0, 1])
        #expect(encode([nil, nil, nil]) == [])
        #expect(encode([]) == [])
    }

    @Test func columnsRoundTrip() throws {
        var random = SeededRandom(seed: 1)
        for _ in 0..<300 {
            let count = Int.random(in: 0..<80, using: &random)
            var values: [UInt64?] = (0..<count).map { _ in
                Int.random(in: 0..<4, using: &random) == 0
                    ? nil : UInt64.random(in: 0..<3, using: &random)
            }
            values.append(UInt64.random(in: 0...UInt64.max, using: &random))
            #expect(try decode(encode(values), count: values.count) == values)
        }
    }

    @Test func appendingManyValuesAtOnceWritesTheSameBytes() {
        var random = SeededRandom(seed: 2)
        for _ in 0..<200 {
            let values = (0..<60).map { _ in UInt64.random(in: 0..<3, using: &random) }
            var encoder = RunEncoder(UnsignedWriting())
            var rest = values[...]
            while !rest.isEmpty {
                let part = rest.prefix(Int.random(in: 1..<20, using: &random))
                rest = rest.dropFirst(part.count)
                if Set(part).count == 1, let value = part.first {
                    encoder.append(value, repeated: part.count)
                } else {
                    Array(part).withUnsafeBufferPointer { encoder.append($0) }
                }
            }
            encoder.finish()
            #expect(encoder.out.array() == encode(values))
        }
    }

    @Test func deltasCanBeNegative() throws {
        let values: [UInt64] = [5, 6, 7, 3, 3, 1 << 60, 0]
        var encoder = DeltaEncoder()
        for value in values { encoder.append(value) }
        encoder.finish()
        let read = try encoder.out.array().withUnsafeBufferPointer { (buffer) throws(FormatError) in
            var decoder = DeltaDecoder(buffer)
            var read: [UInt64] = []
            while !decoder.isDone { read.append(try decoder.nextCount() ?? 0) }
            return read
        }
        #expect(read == values)
    }

    @Test func booleansAreRunLengths() throws {
        var encoder = BooleanEncoder()
        for value in [true, true, false, true] { encoder.append(value) }
        encoder.finish()
        #expect(encoder.out.array() == [0, 2, 1, 1])
        let isAllFalse = encoder.isAllFalse
        #expect(!isAllFalse)
        let read = try encoder.out.array().withUnsafeBufferPointer { (buffer) throws(FormatError) in
            var decoder = BooleanDecoder(buffer)
            return [
                try decoder.next(), try decoder.next(), try decoder.next(), try decoder.next(),
            ]
        }
        #expect(read == [true, true, false, true])
    }

    struct BadNumber: Sendable, CustomStringConvertible {
        let bytes: [UInt8]
        let description: String
    }

    @Test(arguments: [
        BadNumber(bytes: [0x80], description: "truncated"),
        BadNumber(bytes: [0x80, 0x00], description: "longer than necessary"),
        BadNumber(
            bytes: [UInt8](repeating: 0xff, count: 10) + [1], description: "more than 64 bits"),
    ])
    func malformedNumbersAreRefused(_ bad: BadNumber) {
        #expect(throws: FormatError.self) {
            try bad.bytes.withUnsafeBufferPointer { (buffer) throws(FormatError) in
                var reader = ByteReader(buffer)
                return try reader.strictUnsigned()
            }
        }
    }

    @Test func signedNumbersRoundTrip() throws {
        for value in [Int64.min, -65, -64, -1, 0, 63, 64, 1 << 40, .max] {
            var writer = ByteWriter()
            writer.signed(value)
            let count = writer.count
            #expect(count == LEB128.length(signed: value))
            let read = try writer.array().withUnsafeBufferPointer { (buffer) throws(FormatError) in
                var reader = ByteReader(buffer)
                return try reader.strictSigned()
            }
            #expect(read == value)
        }
    }

    @Test func expandingStreamIsRefusedAtItsLimit() throws {
        var compressed = ByteWriter()
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        zeros.withUnsafeBufferPointer { Deflate.deflate($0, into: &compressed) }
        let error = #expect(throws: FormatError.self) {
            try compressed.array().withUnsafeBufferPointer { (buffer) throws(FormatError) in
                var out = ByteWriter()
                try Deflate.inflate(buffer, into: &out, limit: 1 << 20 - 1)
            }
        }
        #expect(error?.code == .tooLarge)
        let count = try compressed.array().withUnsafeBufferPointer { (buffer) throws(FormatError) in
            var out = ByteWriter()
            try Deflate.inflate(buffer, into: &out, limit: 1 << 20)
            return out.count
        }
        #expect(count == 1 << 20)
    }
}
