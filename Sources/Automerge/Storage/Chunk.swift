import CLibcrypto

/// A section of a file: a type, a length, contents, and a checksum of these three.
///
///     85 6f 4a 83 | checksum, 4 bytes | type, 1 byte | length, LEB128 | contents
///
/// The checksum is the first four bytes of the SHA-256 of type, length and contents. For a change,
/// the whole SHA-256 is the change's hash. A compressed change has the same hash as the
/// uncompressed change.
struct Chunk {
    enum Kind: UInt8 {
        case document = 0
        case change = 1
        case compressedChange = 2
        case bundle = 3
    }

    static let magic: [UInt8] = [0x85, 0x6f, 0x4a, 0x83]

    /// The type, or `nil` if it is unknown. A compressed change has the kind `.change`.
    let kind: Kind?
    /// The type as stored in the file.
    let type: UInt8
    private let contents: UnsafeBufferPointer<UInt8>
    /// The inflated contents of a compressed change.
    private let inflated: [UInt8]?

    /// The number of bytes that the contents take in the file.
    var byteCount: Int { contents.count }
    var inflatedByteCount: Int { inflated?.count ?? 0 }

    /// The SHA-256 that starts with the checksum.
    let hash: ChangeHash

    /// Reads the next chunk and verifies its checksum. A compressed change has the checksum of the
    /// inflated change.
    static func read(from reader: inout ByteReader) throws(FormatError) -> Chunk {
        try readMagic(from: &reader)
        let checksum = try reader.bytes(4)
        let type = try reader.byte()
        let length = try reader.strictUnsigned()
        guard length <= UInt64(reader.remaining) else { throw .truncated }
        let contents = try reader.bytes(Int(length))
        let kind = Kind(rawValue: type)
        var chunk: Chunk
        if kind == .compressedChange {
            // The hash covers the type, length and contents of the uncompressed change.
            var inflated = ByteWriter()
            try Deflate.inflate(
                contents, into: &inflated, limit: Limits.inflated(from: contents.count))
            let hash = Self.hash(type: Kind.change.rawValue, contents: inflated.buffer)
            chunk = Chunk(
                kind: .change, type: type, contents: contents, inflated: inflated.array(),
                hash: hash)
        } else {
            let hash = Self.hash(type: type, contents: contents)
            chunk = Chunk(
                kind: kind, type: type, contents: contents, inflated: nil, hash: hash)
        }
        guard chunk.hash.starts(with: checksum) else {
            throw FormatError(.badHash, "the checksum of a chunk doesn't match its contents")
        }
        return chunk
    }

    /// Reads the magic bytes at the start of a chunk.
    static func readMagic(from reader: inout ByteReader) throws(FormatError) {
        guard reader.rest.starts(with: magic) else {
            throw FormatError(
                .badChunk, "not an Automerge chunk: the magic bytes at its start are missing")
        }
        _ = try reader.bytes(magic.count)
    }

    /// Calls `body` with the contents, inflated if the chunk is compressed.
    func withContents<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(FormatError) -> Result
    ) throws(FormatError) -> Result {
        guard let inflated else { return try body(contents) }
        return try inflated.withUnsafeBufferPointer(body)
    }

    /// Returns the SHA-256 of a chunk.
    static func hash(type: UInt8, contents: UnsafeBufferPointer<UInt8>) -> ChangeHash {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { prefix in
            prefix[0] = type
            var count = 1
            var rest = UInt64(contents.count)
            repeat {
                prefix[count] = UInt8(truncatingIfNeeded: rest & 0x7f) | (rest > 0x7f ? 0x80 : 0)
                rest >>= 7
                count += 1
            } while rest > 0
            return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { digest in
                tl_sha256(
                    prefix.baseAddress, count, contents.baseAddress, contents.count,
                    digest.baseAddress)
                return ChangeHash(raw: UnsafeRawBufferPointer(digest))
            }
        }
    }

    /// Writes a complete chunk with a hash that is known already.
    static func write(
        _ kind: Kind, hash: ChangeHash, contents: UnsafeBufferPointer<UInt8>,
        to out: inout ByteWriter
    ) {
        write(type: kind.rawValue, hash: hash, contents: contents, to: &out)
    }

    /// Writes a complete chunk of any type with a hash that is known already.
    static func write(
        type: UInt8, hash: ChangeHash, contents: UnsafeBufferPointer<UInt8>,
        to out: inout ByteWriter
    ) {
        out.reserve(contents.count + 20)
        out.bytes(magic)
        for shift in [56, 48, 40, 32] as [UInt64] {
            out.byte(UInt8(truncatingIfNeeded: hash.words.0 >> shift))
        }
        out.byte(type)
        out.unsigned(contents.count)
        out.bytes(contents)
    }
}

extension ChangeHash {
    /// Creates a hash from exactly 32 bytes.
    @inline(__always)
    init(raw: UnsafeRawBufferPointer) {
        precondition(raw.count == ChangeHash.byteCount)
        func word(_ index: Int) -> UInt64 {
            UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
        }
        self.init(words: (word(0), word(1), word(2), word(3)))
    }

    /// Returns whether the hash starts with these four bytes.
    func starts(with checksum: UnsafeBufferPointer<UInt8>) -> Bool {
        var value: UInt64 = 0
        for byte in checksum { value = value << 8 | UInt64(byte) }
        return words.0 >> 32 == value
    }

    /// Reads a hash.
    init(from reader: inout ByteReader) throws(FormatError) {
        self.init(raw: UnsafeRawBufferPointer(try reader.bytes(ChangeHash.byteCount)))
    }

    func write(to out: inout ByteWriter) {
        out.reserve(ChangeHash.byteCount)
        for word in [words.0, words.1, words.2, words.3] {
            withUnsafeBytes(of: word.bigEndian) { raw in
                raw.withMemoryRebound(to: UInt8.self) { out.bytes($0) }
            }
        }
    }
}
