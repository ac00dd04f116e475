import Dispatch

/// A writer of the numbers and lengths of columns, followed by their data. Empty columns are left
/// out.
struct ColumnWriter: ~Copyable {
    private var layout = ByteWriter()
    private(set) var data = ByteWriter()
    private var count = 0
    /// Unknown columns that are not written yet, sorted by number. Each is written before the first
    /// added column with a greater number.
    private var between: ArraySlice<UnknownColumns.Column> = []

    mutating func reset() {
        layout.removeAll()
        data.removeAll()
        count = 0
        between = []
    }

    /// Inserts unknown columns between the columns that are added later, in the order of their
    /// numbers.
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

    /// Adds several columns, and compresses columns of at least `threshold` bytes. Uses all
    /// processors if there is much to compress.
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

    /// Adds the columns that have not been inserted yet.
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
    // Each iteration writes one slot. The slots are read after all iterations have ended.
    private let results: UnsafeMutableBufferPointer<UnsafeMutableBufferPointer<UInt8>>
    private let sources: [Source]

    typealias Source = (specification: UInt32, bytes: UnsafeBufferPointer<UInt8>)

    /// The number of bytes below which a second thread isn't worthwhile.
    private static let parallelThreshold = 1 << 16

    init(_ sources: [Source]) {
        // Start with the longest column. Otherwise, one processor might still be compressing it
        // when all others have finished.
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
