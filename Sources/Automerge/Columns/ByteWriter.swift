/// A growable byte buffer that owns its memory.
struct ByteWriter: ~Copyable {
    private(set) var base = UnsafeMutablePointer<UInt8>.allocate(capacity: 0)
    private(set) var count = 0
    private var capacity = 0

    deinit {
        base.deallocate()
    }

    var isEmpty: Bool { count == 0 }
    var buffer: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: base, count: count) }

    borrowing func array() -> [UInt8] { Array(buffer) }

    /// Transfers the memory to the caller, who deallocates it.
    consuming func release() -> UnsafeMutableBufferPointer<UInt8> {
        let bytes = UnsafeMutableBufferPointer(start: base, count: count)
        discard self
        return bytes
    }

    @inline(__always)
    mutating func reserve(_ extra: Int) {
        if count &+ extra > capacity { grow(extra) }
    }

    @inline(never)
    private mutating func grow(_ extra: Int) {
        let size = Swift.max(count + extra, capacity * 2, 32)
        let fresh = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
        fresh.update(from: base, count: count)
        base.deallocate()
        base = fresh
        capacity = size
    }

    mutating func removeAll() {
        count = 0
    }

    /// Removes all bytes after the first `length`.
    mutating func truncate(to length: Int) {
        precondition(length >= 0 && length <= count)
        count = length
    }

    /// Increases the count by the number of bytes that the caller wrote to reserved space.
    mutating func advance(_ written: Int) {
        precondition(written >= 0 && count + written <= capacity)
        count += written
    }

    @inline(__always)
    mutating func byte(_ value: UInt8) {
        if count == capacity { grow(1) }
        base[count] = value
        count &+= 1
    }

    @inline(__always)
    mutating func bytes(_ source: UnsafePointer<UInt8>, _ length: Int) {
        reserve(length)
        (base + count).update(from: source, count: length)
        count &+= length
    }

    mutating func bytes(_ source: UnsafeBufferPointer<UInt8>) {
        if let start = source.baseAddress { bytes(start, source.count) }
    }

    mutating func bytes(_ source: [UInt8]) {
        source.withUnsafeBufferPointer { bytes($0) }
    }

    /// Appends up to four bytes that are packed into a number, lowest first.
    @inline(__always)
    mutating func packed(_ value: UInt32, _ length: Int) {
        reserve(4)
        (base + count).withMemoryRebound(to: UInt8.self, capacity: 4) {
            UnsafeMutableRawPointer($0).storeBytes(of: value.littleEndian, as: UInt32.self)
        }
        count &+= length
    }

    /// Appends the lowest byte of each number.
    mutating func lowBytes(of values: UnsafePointer<UInt32>, count number: Int) {
        reserve(number)
        let target = base + count
        for index in 0..<number { target[index] = UInt8(truncatingIfNeeded: values[index]) }
        count &+= number
    }

    @inline(__always)
    mutating func unsigned(_ value: UInt64) {
        if value < 0x80 {
            byte(UInt8(truncatingIfNeeded: value))
        } else {
            unsignedSlow(value)
        }
    }

    mutating func unsigned(_ value: Int) {
        unsigned(UInt64(value))
    }

    @inline(__always)
    private mutating func unsignedSlow(_ number: UInt64) {
        reserve(10)
        var value = number
        var index = count
        while value >= 0x80 {
            base[index] = UInt8(truncatingIfNeeded: value) | 0x80
            value >>= 7
            index &+= 1
        }
        base[index] = UInt8(truncatingIfNeeded: value)
        count = index &+ 1
    }

    @inline(__always)
    mutating func signed(_ value: Int64) {
        if value >= -64 && value < 64 {
            byte(UInt8(truncatingIfNeeded: value) & 0x7f)
        } else {
            signedSlow(value)
        }
    }

    @inline(__always)
    private mutating func signedSlow(_ number: Int64) {
        reserve(10)
        var value = number
        var index = count
        while value < -64 || value >= 64 {
            base[index] = UInt8(truncatingIfNeeded: value) | 0x80
            value >>= 7
            index &+= 1
        }
        base[index] = UInt8(truncatingIfNeeded: value) & 0x7f
        count = index &+ 1
    }

    /// Appends bytes, preceded by their length.
    mutating func prefixed(_ source: [UInt8]) {
        unsigned(source.count)
        bytes(source)
    }
}
