/// A strategy for writing the values of a run-length column.
protocol RunWriting {
    func write(_ value: UInt64, into bytes: inout ByteWriter)
}

/// Unsigned LEB128.
struct UnsignedWriting: RunWriting {
    @inline(__always)
    func write(_ value: UInt64, into bytes: inout ByteWriter) { bytes.unsigned(value) }
}

/// Signed LEB128. The bits of the value are those of an `Int64`.
struct SignedWriting: RunWriting {
    @inline(__always)
    func write(_ value: UInt64, into bytes: inout ByteWriter) {
        bytes.signed(Int64(bitPattern: value))
    }
}

/// A string preceded by its length. The value is the string's index in a table of names.
struct NameWriting: RunWriting {
    let spans: UnsafePointer<NameTable.Span>
    let bytes: UnsafePointer<UInt8>

    func write(_ value: UInt64, into out: inout ByteWriter) {
        let span = spans[Int(value)]
        out.unsigned(Int(span.count))
        out.bytes(bytes + Int(span.start), Int(span.count))
    }
}

/// An encoder for a column of runs, literals and nulls.
///
/// A run of two or more equal values is written as a positive count and the value. Values that
/// differ from their neighbors are written as a negative count and the values. Nulls are written as
/// a zero and their number. A column that contains only nulls is empty.
struct RunEncoder<Writing: RunWriting>: ~Copyable {
    private(set) var out = ByteWriter()
    private var literal = ByteWriter()
    private var literalCount = 0
    private var last: UInt64 = 0
    private var run = 0
    private var nulls = 0
    private var writing: Writing

    init(_ writing: Writing) {
        self.writing = writing
    }

    /// Discards the written bytes and keeps the memory.
    mutating func reset(_ writing: Writing) {
        self.writing = writing
        reset()
    }

    mutating func reset() {
        out.removeAll()
        literal.removeAll()
        literalCount = 0
        run = 0
        nulls = 0
    }

    @inline(__always)
    mutating func append(_ value: UInt64) {
        if run > 0 {
            if value == last {
                run &+= 1
                if run == 2 && literalCount > 0 { flushLiteral() }
                return
            }
            endValue()
        } else if nulls > 0 {
            flushNulls()
        }
        last = value
        run = 1
    }

    /// Appends a value `count` times.
    @inline(__always)
    mutating func append(_ value: UInt64, repeated count: Int) {
        guard count > 0 else { return }
        append(value)
        if count > 1 {
            if run == 1 && literalCount > 0 { flushLiteral() }
            run &+= count &- 1
        }
    }

    /// Appends several values. Keeps the state in registers during runs.
    @inline(__always)
    mutating func append(_ values: UnsafeBufferPointer<UInt64>) {
        var index = 0
        while index < values.count {
            let value = values[index]
            append(value)
            index &+= 1
            var repeats = 0
            while index < values.count, values[index] == value {
                repeats &+= 1
                index &+= 1
            }
            if repeats > 0 {
                if run == 1 && literalCount > 0 { flushLiteral() }
                run &+= repeats
            }
        }
    }

    mutating func appendNulls(_ count: Int) {
        guard count > 0 else { return }
        appendNull()
        nulls &+= count &- 1
    }

    @inline(__always)
    private mutating func endValue() {
        if run == 1 {
            writing.write(last, into: &literal)
            literalCount &+= 1
        } else {
            flushRun()
        }
    }

    @inline(__always)
    mutating func appendNull() {
        if run > 0 { flushValues() }
        nulls &+= 1
    }

    @inline(__always)
    mutating func append(_ value: UInt64?) {
        if let value { append(value) } else { appendNull() }
    }

    @inline(never)
    private mutating func flushLiteral() {
        out.signed(-Int64(literalCount))
        out.bytes(literal.buffer)
        literal.removeAll()
        literalCount = 0
    }

    private mutating func flushRun() {
        out.signed(Int64(run))
        writing.write(last, into: &out)
    }

    @inline(never)
    private mutating func flushValues() {
        endValue()
        if literalCount > 0 { flushLiteral() }
        run = 0
    }

    @inline(never)
    private mutating func flushNulls() {
        out.byte(0)
        out.unsigned(nulls)
        nulls = 0
    }

    /// Writes pending values and returns the column. It is valid until the encoder is reset or
    /// destroyed. Call `reset` before appending again.
    @discardableResult
    mutating func finish() -> UnsafeBufferPointer<UInt8> {
        if run > 0 {
            flushValues()
        } else if nulls > 0 && !out.isEmpty {
            flushNulls()
        }
        return out.buffer
    }
}

/// An encoder for a column of numbers, each as the difference from the previous number.
struct DeltaEncoder: ~Copyable {
    private var runs = RunEncoder(SignedWriting())
    private var previous: UInt64 = 0

    var out: ByteWriter {
        _read { yield runs.out }
    }

    mutating func reset() {
        runs.reset()
        previous = 0
    }

    @inline(__always)
    mutating func append(_ value: UInt64) {
        runs.append(value &- previous)
        previous = value
    }

    @inline(__always)
    mutating func appendNull() {
        runs.appendNull()
    }

    /// Appends several numbers and overwrites `values` with their differences.
    @inline(__always)
    mutating func append(overwriting values: UnsafeMutableBufferPointer<UInt64>) {
        var last = previous
        for index in 0..<values.count {
            let value = values[index]
            values[index] = value &- last
            last = value
        }
        previous = last
        runs.append(UnsafeBufferPointer(values))
    }

    @discardableResult
    mutating func finish() -> UnsafeBufferPointer<UInt8> { runs.finish() }
}

/// An encoder for a column of Boolean values, written as lengths of alternating runs that start
/// with `false`.
struct BooleanEncoder: ~Copyable {
    private(set) var out = ByteWriter()
    private var current = false
    private var run = 0
    private var sawTrue = false

    /// Whether every value was `false`. Optional columns are omitted in this case.
    var isAllFalse: Bool { !sawTrue }

    mutating func reset() {
        out.removeAll()
        current = false
        run = 0
        sawTrue = false
    }

    @inline(__always)
    mutating func append(_ value: Bool) {
        if value != current {
            out.unsigned(run)
            run = 0
            current = value
            sawTrue = true
        }
        run &+= 1
    }

    /// Appends a value `count` times.
    @inline(__always)
    mutating func append(_ value: Bool, repeated count: Int) {
        guard count > 0 else { return }
        append(value)
        run &+= count &- 1
    }

    @discardableResult
    mutating func finish() -> UnsafeBufferPointer<UInt8> {
        if run > 0 { out.unsigned(run) }
        return out.buffer
    }
}
