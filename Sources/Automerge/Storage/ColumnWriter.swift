import Dispatch

/// Writes the numbers and lengths of columns, and behind them their data, empty ones left out.
struct ColumnWriter: ~Copyable {
    private var layout = ByteWriter()
    private(set) var data = ByteWriter()
    private var count = 0
    /// Columns that go between those that are added one by one, in the order of their numbers.
    private var between: ArraySlice<UnknownColumns.Column> = []

    init() {}

    mutating func reset() {
        layout.removeAll()
        data.removeAll()
        count = 0
        between = []
    }

    /// Adds columns that are not known among those that follow, each where its number belongs.
    mutating func putBetween(_ columns: [UnknownColumns.Column]) {
        between = columns[...]
    }

    mutating func add(_ specification: UInt32, _ bytes: UnsafeBufferPointer<UInt8>) {
        while let next = between.first, next.specification < specification {
            between.removeFirst()
            append(next.specification, next.bytes)
        }
        append(specification, bytes)
    }

    private mutating func append(_ specification: UInt32, _ bytes: UnsafeBufferPointer<UInt8>) {
        guard !bytes.isEmpty else { return }
        count += 1
        layout.unsigned(UInt64(specification))
        layout.unsigned(bytes.count)
        data.bytes(bytes)
    }

    /// Adds several columns, those of at least `threshold` bytes compressed. Where there is much
    /// to compress, it is done on all processors.
    mutating func add(
        _ columns: [(specification: UInt32, bytes: UnsafeBufferPointer<UInt8>)], threshold: Int
    ) {
        let compressed = CompressedColumns(columns.filter { $0.bytes.count >= threshold })
        var next = 0
        withExtendedLifetime(compressed) {
            for (specification, bytes) in columns {
                if bytes.count < threshold {
                    add(specification, bytes)
                } else {
                    add(specification | ColumnSpecification.deflated, compressed[next])
                    next += 1
                }
            }
        }
    }

    /// Adds what is still to go between.
    mutating func finish() {
        for column in between { append(column.specification, column.bytes) }
        between = []
    }

    func writeLayout(to out: inout ByteWriter) {
        out.unsigned(count)
        out.bytes(layout.buffer)
    }
}

/// Columns compressed concurrently, each into separate memory.
private final class CompressedColumns: @unchecked Sendable {
    // Each slot is written by one iteration, and read after all have ended.
    private let results: UnsafeMutableBufferPointer<UnsafeMutableBufferPointer<UInt8>>
    private let sources: [Source]

    typealias Source = (specification: UInt32, bytes: UnsafeBufferPointer<UInt8>)

    /// Less than this is not worth a second thread.
    private static let parallelThreshold = 1 << 16

    init(_ sources: [Source]) {
        // The longest first, so that no processor is left with it at the end.
        self.sources = sources
        results = .allocate(capacity: sources.count)
        results.initialize(repeating: UnsafeMutableBufferPointer(start: nil, count: 0))
        let order = sources.indices.sorted { sources[$0].bytes.count > sources[$1].bytes.count }
        if sources.reduce(0, { $0 + $1.bytes.count }) < Self.parallelThreshold {
            for index in order { compress(index) }
        } else {
            DispatchQueue.concurrentPerform(iterations: order.count) { compress(order[$0]) }
        }
    }

    deinit {
        for result in results { result.deallocate() }
        results.deallocate()
    }

    private func compress(_ index: Int) {
        var out = ByteWriter()
        Deflate.deflate(sources[index].bytes, into: &out)
        let result = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: out.count)
        _ = result.initialize(from: out.buffer)
        results[index] = result
    }

    subscript(_ index: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(results[index])
    }
}
