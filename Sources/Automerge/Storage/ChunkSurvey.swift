package import Foundation

/// The result of checking one chunk of a file.
package struct SurveyedChunk: Sendable {
    package enum Kind: String, Sendable {
        case document, change, bundle
        case compressedChange = "compressed change"
        /// A chunk of an unknown type. Its contents aren't read.
        case unknown
        /// Bytes that aren't a chunk.
        case none
    }

    package let kind: Kind
    /// The chunk's offset in the file.
    package let offset: Int
    /// The number of bytes that the chunk takes in the file, including its header.
    package let byteCount: Int
    /// The SHA-256 that starts with the checksum. For a change, it is the change's hash.
    package let hash: ChangeHash?
    /// The number of changes that the chunk added to the document.
    package let changeCount: Int
    /// The problem, and its byte offset in the file.
    package let problem: (offset: Int, message: String)?
}

/// A check of every chunk of a file, including those after a damaged chunk.
///
/// The survey verifies the header and checksum of each chunk, and then applies the chunk to the
/// document that the earlier undamaged chunks built. Applying verifies the chunk's columns, its
/// values and the hashes of its changes.
package struct ChunkSurvey: Sendable {
    /// The bytes at the start of every chunk, and so of every file.
    package static let magic = Chunk.magic

    package private(set) var chunks: [SurveyedChunk] = []
    /// The number of readable changes.
    package private(set) var changeCount = 0
    /// The number of changes that wait for a change that the file doesn't have.
    package private(set) var waitingCount = 0
    /// The missing changes that other changes wait for.
    package private(set) var missing: [ChangeHash] = []

    package init(_ data: Data) {
        var engine = Engine(encoding: .unicodeScalar)
        self.init(data, into: &engine)
        waitingCount = engine.queue.count
        missing = engine.queue.missing().sorted()
    }

    /// Applies every undamaged chunk of `data` to an existing document, including those after a
    /// damaged chunk.
    init(_ data: Data, into engine: inout Engine) {
        data.withUnsafeBytes { raw in
            raw.withMemoryRebound(to: UInt8.self) { survey($0, &engine) }
        }
        changeCount = engine.graph.count
    }

    private mutating func survey(
        _ bytes: UnsafeBufferPointer<UInt8>, _ engine: inout Engine
    ) {
        var offset = 0
        while offset < bytes.count {
            let chunk = Self.survey(bytes, from: offset, &engine)
            chunks.append(chunk)
            offset += chunk.byteCount
        }
    }

    /// Checks the chunk at `offset`. The result covers at least one byte.
    private static func survey(
        _ bytes: UnsafeBufferPointer<UInt8>, from offset: Int, _ engine: inout Engine
    ) -> SurveyedChunk {
        let rest = UnsafeBufferPointer(rebasing: bytes[offset...])
        let header: Header
        do throws(FormatError) {
            header = try Header(rest)
        } catch {
            // The length is unknown, so the next chunk starts at the next magic bytes.
            let length = nextMagic(in: rest) ?? rest.count
            return SurveyedChunk(
                kind: .none, offset: offset, byteCount: length, hash: nil, changeCount: 0,
                problem: (offset, error.message))
        }
        var hash: ChangeHash?
        var problem: (offset: Int, message: String)?
        let before = engine.graph.count
        let end = header.start + header.length
        var length = end
        if end > rest.count {
            // Either the file is cut off, or the length itself is damaged.
            length = nextMagic(in: rest) ?? rest.count
            problem = (
                offset + rest.count,
                "the file ends \(end - rest.count) bytes before the chunk does"
            )
        } else {
            do throws(FormatError) {
                let whole = UnsafeBufferPointer(rebasing: rest[..<end])
                var reader = ByteReader(whole)
                hash = try Chunk.read(from: &reader).hash
                try engine.apply(whole)
            } catch {
                let isHeader = hash == nil && error.code == .badHash
                problem = (offset + (isHeader ? Chunk.magic.count : header.start), error.message)
            }
        }
        return SurveyedChunk(
            kind: header.kind, offset: offset, byteCount: length, hash: hash,
            changeCount: engine.graph.count - before, problem: problem)
    }

    /// The start of a chunk, up to and including its length.
    private struct Header {
        let kind: SurveyedChunk.Kind
        /// The offset of the contents from the start of the chunk.
        let start: Int
        let length: Int

        init(_ bytes: UnsafeBufferPointer<UInt8>) throws(FormatError) {
            var reader = ByteReader(bytes)
            try Chunk.readMagic(from: &reader)
            // The checksum.
            _ = try reader.bytes(4)
            kind =
                switch Chunk.Kind(rawValue: try reader.byte()) {
                case .document: .document
                case .change: .change
                case .compressedChange: .compressedChange
                case .bundle: .bundle
                case nil: .unknown
                }
            let length = try reader.strictUnsigned()
            guard length < 1 << 62 else {
                throw FormatError(.badNumber, "a chunk claims a length of \(length) bytes")
            }
            self.length = Int(length)
            start = bytes.count - reader.remaining
        }
    }

    /// Returns the offset of the next magic bytes after the first byte. A chunk may start there.
    private static func nextMagic(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        bytes.indices.dropFirst().first {
            bytes[$0] == Chunk.magic[0] && bytes[$0...].starts(with: Chunk.magic)
        }
    }
}
