/// A strategy for reading the values of a run-length column.
protocol RunReading {
    associatedtype Value
    static func read(_ reader: inout ByteReader) throws(FormatError) -> Value
}

enum UnsignedReading: RunReading {
    @inline(__always)
    static func read(_ reader: inout ByteReader) throws(FormatError) -> UInt64 {
        try reader.unsigned()
    }
}

enum SignedReading: RunReading {
    @inline(__always)
    static func read(_ reader: inout ByteReader) throws(FormatError) -> Int64 {
        try reader.signed()
    }
}

enum BytesReading: RunReading {
    static func read(
        _ reader: inout ByteReader
    ) throws(FormatError) -> UnsafeBufferPointer<UInt8> {
        let length = try reader.unsigned()
        guard length <= UInt64(reader.remaining) else { throw .truncated }
        return try reader.bytes(Int(length))
    }
}

/// A decoder for a column of runs, literals and nulls.
///
/// After the end of the column, every value is null. An omitted column therefore consists of nulls.
struct RunDecoder<Reading: RunReading> {
    private var reader: ByteReader
    private var left = 0
    private var isLiteral = false
    private var current: Reading.Value?

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        reader = ByteReader(bytes)
    }

    /// Whether every value has been read.
    var isDone: Bool { left == 0 && reader.isAtEnd }

    @inline(__always)
    mutating func next() throws(FormatError) -> Reading.Value? {
        if left == 0 {
            if reader.isAtEnd { return nil }
            try begin()
        }
        left &-= 1
        if isLiteral { return try Reading.read(&reader) }
        return current
    }

    @inline(never)
    private mutating func begin() throws(FormatError) {
        let count = try reader.signed()
        isLiteral = false
        if count > 0 {
            left = Int(count)
            current = try Reading.read(&reader)
        } else if count < 0 {
            guard count != .min, -count <= Int64(reader.remaining) else { throw .truncated }
            left = Int(-count)
            isLiteral = true
        } else {
            let nulls = try reader.unsigned()
            guard nulls > 0, nulls < UInt64(Int.max) else {
                throw FormatError(.badColumn, "a run of nulls has an invalid length")
            }
            left = Int(nulls)
            current = nil
        }
    }
}

/// A decoder for a column of numbers that are stored as the difference from the previous number.
struct DeltaDecoder {
    private var runs: RunDecoder<SignedReading>
    private var previous: Int64 = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        runs = RunDecoder(bytes)
    }

    var isDone: Bool { runs.isDone }

    @inline(__always)
    mutating func next() throws(FormatError) -> Int64? {
        guard let step = try runs.next() else { return nil }
        let (sum, overflow) = previous.addingReportingOverflow(step)
        guard !overflow else {
            throw FormatError(.badNumber, "a difference exceeds 64 bits")
        }
        previous = sum
        return sum
    }

    /// Returns the next number, which must not be negative.
    @inline(__always)
    mutating func nextCount() throws(FormatError) -> UInt64? {
        guard let value = try next() else { return nil }
        guard value >= 0 else { throw FormatError(.badNumber, "a count is below zero") }
        return UInt64(value)
    }
}

/// A decoder for a column of Boolean values.
struct BooleanDecoder {
    private var reader: ByteReader
    private var left: UInt64 = 0
    private var current = true

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        reader = ByteReader(bytes)
    }

    var isDone: Bool { left == 0 && reader.isAtEnd }

    @inline(__always)
    mutating func next() throws(FormatError) -> Bool {
        while left == 0 {
            if reader.isAtEnd { return false }
            left = try reader.unsigned()
            current.toggle()
        }
        left &-= 1
        return current
    }
}
