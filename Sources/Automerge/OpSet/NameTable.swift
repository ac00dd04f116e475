import Glibc

/// Map keys and mark names, each stored once and identified by its index.
///
/// Names are compared by their bytes. As in every other implementation, two spellings of the same
/// character are different keys.
struct NameTable: ~Copyable {
    struct Span: BitwiseCopyable {
        var start: UInt32
        var count: UInt32
    }

    private(set) var spans = PackedArray<Span>()
    private var bytes = PackedArray<UInt8>()
    /// A hash table with open addressing. Each entry is an index plus 1, or 0 if empty.
    private var slots = PackedArray<UInt32>()

    var count: Int { spans.count }

    borrowing func copy() -> NameTable {
        var result = NameTable()
        result.spans = spans.copy()
        result.bytes = bytes.copy()
        result.slots = slots.copy()
        return result
    }

    /// The strategy with which a column encoder writes names that are given by their indices.
    var writing: NameWriting { NameWriting(spans: spans.base, bytes: bytes.base) }

    func bytes(of name: UInt32) -> UnsafeBufferPointer<UInt8> {
        let span = spans[name]
        return UnsafeBufferPointer(start: bytes.base + Int(span.start), count: Int(span.count))
    }

    func string(_ name: UInt32) -> String {
        String(decoding: bytes(of: name), as: UTF8.self)
    }

    /// Returns whether one name sorts before another by its bytes.
    func precedes(_ left: UInt32, _ right: UInt32) -> Bool {
        left != right && Self.compare(bytes(of: left), bytes(of: right)) < 0
    }

    static func compare(
        _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
    ) -> Int {
        let common = Swift.min(left.count, right.count)
        if common > 0, let first = left.baseAddress, let second = right.baseAddress {
            let order = memcmp(first, second, common)
            if order != 0 { return Int(order) }
        }
        return left.count - right.count
    }

    func find(_ name: UnsafeBufferPointer<UInt8>) -> UInt32? {
        guard !slots.isEmpty else { return nil }
        let entry = slots[slot(of: name)]
        return entry == 0 ? nil : entry - 1
    }

    func find(_ name: String) -> UInt32? {
        var name = name
        return name.withUTF8 { find($0) }
    }

    /// Returns the table entry that contains `name`, or the empty entry where `name` belongs.
    private func slot(of name: UnsafeBufferPointer<UInt8>) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(name))
        let mask = slots.count - 1
        var index = hasher.finalize() & mask
        while true {
            let entry = slots[index]
            if entry == 0 || Self.compare(bytes(of: entry - 1), name) == 0 { return index }
            index = (index + 1) & mask
        }
    }

    mutating func intern(_ name: String) throws(FormatError) -> UInt32 {
        try name.withBytes { (bytes) throws(FormatError) in try intern(bytes) }
    }

    /// Returns the index of `name`, adding the name if it is new.
    mutating func intern(_ name: UnsafeBufferPointer<UInt8>) throws(FormatError) -> UInt32 {
        if (spans.count + 1) * 2 > slots.count { rehash() }
        let place = slot(of: name)
        if slots[place] != 0 { return slots[place] - 1 }
        guard bytes.count + name.count < Int(UInt32.max), spans.count < Limits.rows else {
            throw FormatError(.tooLarge, "the keys of the document are larger than 4 GiB")
        }
        let span = Span(start: UInt32(bytes.count), count: UInt32(name.count))
        if let start = name.baseAddress { bytes.append(from: start, count: name.count) }
        spans.append(span)
        slots[place] = UInt32(spans.count)
        return UInt32(spans.count - 1)
    }

    private mutating func rehash() {
        let size = Swift.max(16, slots.count * 2)
        slots = PackedArray()
        slots.append(repeating: 0, count: size)
        for name in 0..<UInt32(spans.count) {
            let place = slot(of: bytes(of: name))
            slots[place] = name + 1
        }
    }
}

extension String {
    /// Calls `body` with the UTF-8 bytes.
    @inline(__always)
    func withBytes<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(FormatError) -> Result
    ) throws(FormatError) -> Result {
        var copy = self
        let result = copy.withUTF8 { bytes in
            Swift.Result { () throws(FormatError) in try body(bytes) }
        }
        return try result.get()
    }
}
