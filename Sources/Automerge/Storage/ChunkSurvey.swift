package import Foundation

/// A chunk of a file as a check found it.
package struct SurveyedChunk: Sendable {
    package enum Kind: String, Sendable {
        case document, change, compressedChange, bundle
        /// A type that is not known, whose contents are not read.
        case unknown
        /// Bytes that are not a chunk at all.
        case none
    }

    package let kind: Kind
    /// Its offset in the file.
    package let offset: Int
    /// How much of the file it takes, its header included.
    package let byteCount: Int
    /// The SHA-256 that the checksum begins, of a change its identity.
    package let hash: ChangeHash?
    /// How many changes the document has gained by it.
    package let changeCount: Int
    /// The problem, and its byte offset in the file.
    package let problem: (offset: Int, message: String)?
}

/// Looks at every chunk of a file, the ones behind a damaged one included.
///
/// Each is verified alone (header, checksum) and then applied to what the sound ones before it
/// made, which verifies its columns, its values and the hashes of the changes in it.
package struct ChunkSurvey: Sendable {
    package private(set) var chunks: [SurveyedChunk] = []
    /// How many changes could be read.
    package private(set) var changeCount = 0
    /// How many changes wait for one that the file does not have.
    package private(set) var waitingCount = 0
    /// The changes that are waited for.
    package private(set) var missing: [ChangeHash] = []

    package init(_ data: Data) {
        var engine = Engine(encoding: .unicodeScalar)
        data.withUnsafeBytes { raw in
            raw.withMemoryRebound(to: UInt8.self) { survey($0, &engine) }
        }
        changeCount = engine.graph.count
        waitingCount = engine.queue.count
        missing = engine.queue.missing().sorted()
    }

    /// Applies every sound chunk of `data` to a document that is there, those behind a damaged one
    /// included.
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

    /// Surveys the chunk at `offset`, which takes at least a byte.
    private static func survey(
        _ bytes: UnsafeBufferPointer<UInt8>, from offset: Int, _ engine: inout Engine
    ) -> SurveyedChunk {
        let rest = UnsafeBufferPointer(rebasing: bytes[offset...])
        let header: Header
        do throws(FormatError) {
            header = try Header(rest)
        } catch {
            // The length is unknown: the next chunk starts at the next magic bytes.
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

    /// The beginning of a chunk, as far as its length.
    private struct Header {
        let kind: SurveyedChunk.Kind
        /// Where the contents begin, from the beginning of the chunk.
        let start: Int
        let length: Int

        init(_ bytes: UnsafeBufferPointer<UInt8>) throws(FormatError) {
            var reader = ByteReader(bytes)
            guard bytes.starts(with: Chunk.magic) else {
                throw FormatError(.badChunk, "no Automerge chunk begins where one should")
            }
            _ = try reader.bytes(Chunk.magic.count + 4)
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
                throw FormatError(.badNumber, "a chunk says that it is \(length) bytes long")
            }
            self.length = Int(length)
            start = bytes.count - reader.remaining
        }
    }

    /// Where the next chunk may begin, behind the first byte.
    private static func nextMagic(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        let last = bytes.count - Chunk.magic.count
        var index = 1
        while index <= last {
            if bytes[index] == Chunk.magic[0],
                bytes[index..<index + Chunk.magic.count].elementsEqual(Chunk.magic)
            {
                return index
            }
            index += 1
        }
        return nil
    }
}
