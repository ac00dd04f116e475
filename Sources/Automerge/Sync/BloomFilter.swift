/// A probabilistic set of hashes that uses ten bits per hash and has a false positive rate of one
/// percent.
///
///     entries | bits for each entry | probes | bits
///
/// All three numbers are LEB128. An empty filter is encoded as zero bytes.
struct BloomFilter: Equatable, Sendable {
    private var entryCount: UInt32 = 0
    private var bitsPerEntry: UInt32 = 10
    private var probeCount: UInt32 = 7
    private var bits: [UInt8] = []

    /// The size of the bits in bytes.
    var byteCount: Int { bits.count }

    init() {}

    init(_ hashes: [ChangeHash]) {
        entryCount = UInt32(truncatingIfNeeded: hashes.count)
        bits = [UInt8](repeating: 0, count: Self.byteCount(entryCount, bitsPerEntry))
        for hash in hashes {
            for probe in probes(hash) { bits[Int(probe >> 3)] |= 1 << UInt8(probe & 7) }
        }
    }

    /// Reads a filter. Limits the number of probes, because a peer could demand so many probes that
    /// the filter takes too much time.
    ///
    /// - Throws: `FormatError` for a filter that is shorter than its header states, or that has
    ///   more than 64 probes.
    init(from bytes: UnsafeBufferPointer<UInt8>) throws(FormatError) {
        if bytes.isEmpty { return }
        var reader = ByteReader(bytes)
        func number() throws(FormatError) -> UInt32 {
            guard let value = UInt32(exactly: try reader.strictUnsigned()) else {
                throw FormatError(.badMessage, "a number in a Bloom filter is too large")
            }
            return value
        }
        entryCount = try number()
        bitsPerEntry = try number()
        probeCount = try number()
        guard probeCount <= 64 else {
            throw FormatError(.badMessage, "a Bloom filter has more than 64 probes")
        }
        bits = Array(try reader.bytes(Self.byteCount(entryCount, bitsPerEntry)))
    }

    private static func byteCount(_ entries: UInt32, _ bits: UInt32) -> Int {
        // A product of two 32-bit numbers plus 7 fits in 64 bits.
        Int((UInt64(entries) * UInt64(bits) + 7) / 8)
    }

    func write(to out: inout ByteWriter) {
        guard entryCount > 0 else { return }
        out.unsigned(UInt64(entryCount))
        out.unsigned(UInt64(bitsPerEntry))
        out.unsigned(UInt64(probeCount))
        out.bytes(bits)
    }

    func contains(_ hash: ChangeHash) -> Bool {
        guard entryCount > 0, !bits.isEmpty else { return false }
        return probes(hash).allSatisfy { bits[Int($0 >> 3)] & 1 << UInt8($0 & 7) != 0 }
    }

    /// Returns the bits for a hash. Triple hashing computes them from the first three words of the
    /// hash, lowest byte first.
    private func probes(_ hash: ChangeHash) -> [UInt64] {
        let modulo = UInt64(bits.count) * 8
        guard modulo > 0 else { return [] }
        var x = UInt64(UInt32(truncatingIfNeeded: hash.words.0 >> 32).byteSwapped) % modulo
        var y = UInt64(UInt32(truncatingIfNeeded: hash.words.0).byteSwapped) % modulo
        let z = UInt64(UInt32(truncatingIfNeeded: hash.words.1 >> 32).byteSwapped) % modulo
        var result = [x]
        for _ in 1..<Swift.max(probeCount, 1) {
            x = (x + y) % modulo
            y = (y + z) % modulo
            result.append(x)
        }
        return result
    }
}
