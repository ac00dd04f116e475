/// A cursor over bytes that the caller keeps alive.
struct ByteReader {
    private(set) var position: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        if let base = bytes.baseAddress {
            position = base
            end = base + bytes.count
        } else {
            position = ByteReader.nowhere
            end = position
        }
    }

    /// A valid address for empty readers. Never read.
    private nonisolated(unsafe) static let nowhere = UnsafePointer(
        UnsafeMutablePointer<UInt8>.allocate(capacity: 1))

    @inline(__always) var isAtEnd: Bool { position == end }
    @inline(__always) var remaining: Int { end - position }
    var rest: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: position, count: remaining) }

    @inline(__always)
    mutating func byte() throws(FormatError) -> UInt8 {
        guard position != end else { throw .truncated }
        let value = position.pointee
        position += 1
        return value
    }

    /// Returns the next `count` bytes without copying them.
    @inline(__always)
    mutating func bytes(_ count: Int) throws(FormatError) -> UnsafeBufferPointer<UInt8> {
        guard count >= 0, count <= remaining else { throw .truncated }
        let slice = UnsafeBufferPointer(start: position, count: count)
        position += count
        return slice
    }

    /// Reads an unsigned LEB128 number of at most 64 bits. Accepts encodings that are longer than
    /// necessary. A change that uses such an encoding has a different hash than the same change in
    /// the shortest encoding.
    @inline(__always)
    mutating func unsigned() throws(FormatError) -> UInt64 {
        guard position != end else { throw .truncated }
        let first = position.pointee
        if first < 0x80 {
            position += 1
            return UInt64(first)
        }
        return try unsignedSlow()
    }

    @inline(never)
    private mutating func unsignedSlow() throws(FormatError) -> UInt64 {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            let bits = UInt64(next & 0x7f)
            guard shift < 63 || (shift == 63 && bits <= 1) else {
                throw FormatError(.badNumber, "a number needs more than 64 bits")
            }
            result |= bits << shift
            if next & 0x80 == 0 { return result }
            shift += 7
        }
    }

    /// Reads a signed LEB128 number of at most 64 bits.
    @inline(__always)
    mutating func signed() throws(FormatError) -> Int64 {
        guard position != end else { throw .truncated }
        let first = position.pointee
        if first < 0x80 {
            position += 1
            return Int64(Int8(bitPattern: first << 1) >> 1)
        }
        return try signedSlow()
    }

    @inline(never)
    private mutating func signedSlow() throws(FormatError) -> Int64 {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            let bits = UInt64(next & 0x7f)
            guard shift < 63 || (shift == 63 && (bits == 0 || bits == 0x7f)) else {
                throw FormatError(.badNumber, "a signed number needs more than 64 bits")
            }
            result |= bits << shift
            shift += 7
            if next & 0x80 == 0 {
                if next & 0x40 != 0, shift < 64 { result |= ~0 << shift }
                return Int64(bitPattern: result)
            }
        }
    }

    /// Reads an unsigned number in its shortest encoding, as chunks and values require.
    mutating func strictUnsigned() throws(FormatError) -> UInt64 {
        let start = position
        let value = try unsigned()
        guard position - start == 1 || (position - 1).pointee != 0 else {
            throw FormatError(.badNumber, "a number is longer than it needs to be")
        }
        return value
    }

    /// Reads a signed number in its shortest encoding.
    mutating func strictSigned() throws(FormatError) -> Int64 {
        let start = position
        let value = try signed()
        guard position - start == LEB128.length(signed: value) else {
            throw FormatError(.badNumber, "a number is longer than it needs to be")
        }
        return value
    }

    /// Reads the number of items that follow, each at least `size` bytes long.
    mutating func count(ofSize size: Int = 1) throws(FormatError) -> Int {
        let value = try strictUnsigned()
        guard value <= UInt64(remaining / size) else { throw .truncated }
        return Int(value)
    }

    /// Reads bytes that are preceded by their length.
    mutating func prefixedBytes() throws(FormatError) -> UnsafeBufferPointer<UInt8> {
        try bytes(try count())
    }

    /// Reads hashes that are preceded by their number.
    mutating func hashes() throws(FormatError) -> [ChangeHash] {
        let count = try count(ofSize: ChangeHash.byteCount)
        return try (0..<count).map { _ throws(FormatError) in try ChangeHash(from: &self) }
    }

    /// Reads the identifiers of actors, preceded by their number.
    mutating func actors(allowance: inout Allowance) throws(FormatError) -> [[UInt8]] {
        let count = try count()
        try allowance.spend(Allowance.Cost.actor, times: UInt64(count))
        return try (0..<count).map { _ throws(FormatError) in Array(try prefixedBytes()) }
    }
}

/// Functions for the lengths of LEB128 numbers.
enum LEB128 {
    static func length(signed value: Int64) -> Int {
        let magnitude = UInt64(bitPattern: value < 0 ? ~value : value)
        return (64 - magnitude.leadingZeroBitCount) / 7 + 1
    }
}
