public import Foundation

/// The identity of a change: the SHA-256 of its encoded form.
public struct ChangeHash: Hashable, Sendable, BitwiseCopyable {
    /// The number of bytes of every hash.
    static let byteCount = 32

    /// The 32 bytes as four big-endian words, so that comparing and hashing touch no heap.
    let words: (UInt64, UInt64, UInt64, UInt64)

    /// The hash of exactly 32 bytes, or `nil` for another number of them.
    init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

    init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        var iterator = bytes.makeIterator()
        func word() -> UInt64 {
            var value: UInt64 = 0
            for _ in 0..<8 { value = value << 8 | UInt64(iterator.next() ?? 0) }
            return value
        }
        words = (word(), word(), word(), word())
    }

    /// The 32 bytes.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        for word in [words.0, words.1, words.2, words.3] {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
        return bytes
    }

    /// Whether the 32 bytes are the same.
    public static func == (lhs: ChangeHash, rhs: ChangeHash) -> Bool { lhs.words == rhs.words }

    public func hash(into hasher: inout Hasher) {
        // A SHA-256 is uniform already: one word of it suffices.
        hasher.combine(words.0)
    }
}

extension ChangeHash: Comparable {
    /// Byte order.
    public static func < (lhs: ChangeHash, rhs: ChangeHash) -> Bool { lhs.words < rhs.words }
}

extension ChangeHash: CustomDebugStringConvertible {
    /// The 32 bytes as 64 lowercase hexadecimal digits.
    public var debugDescription: String { Hexadecimal.string(bytes) }

    /// The hash that 64 hexadecimal digits spell, or `nil` for any other text.
    public init?(hexadecimal text: some StringProtocol) {
        guard let bytes = Hexadecimal.bytes(text) else { return nil }
        self.init(bytes: bytes)
    }
}

extension Set<ChangeHash> {
    /// The hashes one after another, 32 bytes each: a form in which heads can be kept.
    ///
    /// The order is the same for equal sets. `Data.heads()` reads it back.
    public func raw() -> Data {
        // Descending order of the decimal text of the bytes: odd, but what programs have stored.
        let hashes = map(\.bytes).sorted { $0.description > $1.description }
        return Data(hashes.joined())
    }
}

extension Data {
    /// The heads that `Set.raw()` wrote, or `nil` where the length is not a multiple of 32.
    public func heads() -> Set<ChangeHash>? {
        guard count.isMultiple(of: ChangeHash.byteCount) else { return nil }
        let starts = stride(from: startIndex, to: endIndex, by: ChangeHash.byteCount)
        return Set(starts.compactMap { ChangeHash(bytes: self[$0..<$0 + ChangeHash.byteCount]) })
    }
}
