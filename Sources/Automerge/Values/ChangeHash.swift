public import Foundation

/// The identity of a change: the SHA-256 hash of its encoded form.
public struct ChangeHash: Hashable, Sendable, BitwiseCopyable {
    /// The number of bytes of a hash.
    static let byteCount = 32

    /// The 32 bytes as four big-endian words, so that comparing and hashing don't access the heap.
    let words: (UInt64, UInt64, UInt64, UInt64)

    init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

    /// Creates a hash from exactly 32 bytes, or returns `nil` for any other number of bytes.
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
        [words.0, words.1, words.2, words.3].flatMap { word in
            withUnsafeBytes(of: word.bigEndian) { Array($0) }
        }
    }

    /// Returns whether both hashes have the same 32 bytes.
    public static func == (lhs: ChangeHash, rhs: ChangeHash) -> Bool { lhs.words == rhs.words }

    public func hash(into hasher: inout Hasher) {
        // SHA-256 hashes are distributed uniformly, so one word is enough.
        hasher.combine(words.0)
    }
}

extension ChangeHash: Comparable {
    /// Returns whether the bytes of `lhs` precede those of `rhs` in lexicographic order.
    public static func < (lhs: ChangeHash, rhs: ChangeHash) -> Bool { lhs.words < rhs.words }
}

extension ChangeHash: CustomDebugStringConvertible {
    /// The 32 bytes as 64 lowercase hexadecimal digits.
    public var debugDescription: String { Hexadecimal.string(bytes) }

    /// Creates a hash from 64 hexadecimal digits, or returns `nil` for any other text.
    public init?(hexadecimal text: some StringProtocol) {
        guard let bytes = Hexadecimal.bytes(text) else { return nil }
        self.init(bytes: bytes)
    }
}

extension Set<ChangeHash> {
    /// Returns the concatenated hashes, 32 bytes each, for saving heads.
    ///
    /// Equal sets result in the same bytes. Use `Data.heads()` to read the saved heads.
    public func raw() -> Data {
        // Sort by the bytes in decimal form, in descending order. The order is unusual, but saved
        // data uses it.
        let hashes = map(\.bytes).sorted { $0.description > $1.description }
        return Data(hashes.joined())
    }
}

extension Data {
    /// Returns the heads written by `Set.raw()`, or `nil` if the length is not a multiple of 32.
    public func heads() -> Set<ChangeHash>? {
        guard count.isMultiple(of: ChangeHash.byteCount) else { return nil }
        let starts = stride(from: startIndex, to: endIndex, by: ChangeHash.byteCount)
        return Set(starts.compactMap { ChangeHash(bytes: self[$0..<$0 + ChangeHash.byteCount]) })
    }
}
