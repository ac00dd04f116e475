import Foundation

@testable import Automerge

/// Chunks that other versions of the format may write.
enum ForeignChunks {
    /// A chunk with a checksum.
    static func chunk(_ contents: [UInt8], kind: Chunk.Kind) -> Data {
        contents.withUnsafeBufferPointer { buffer in
            var out = ByteWriter()
            Chunk.write(
                kind, hash: Chunk.hash(type: kind.rawValue, contents: buffer), contents: buffer,
                to: &out)
            return Data(out.buffer)
        }
    }

    /// The contents of the first chunk.
    static func contents(of chunk: Data) throws -> [UInt8] {
        try Array(chunk).withUnsafeBufferPointer { (buffer) throws(FormatError) in
            var reader = ByteReader(buffer)
            return try Chunk.read(from: &reader).withContents {
                (contents) throws(FormatError) in Array(contents)
            }
        }
    }
}

extension ByteWriter {
    /// Writes the numbers and lengths of the columns, then their data.
    mutating func columns(_ columns: [UInt32: [UInt8]]) {
        let sorted = columns.sorted { $0.key < $1.key }
        unsigned(sorted.count)
        for (specification, bytes) in sorted {
            unsigned(UInt64(specification))
            unsigned(bytes.count)
        }
        for (_, bytes) in sorted { self.bytes(bytes) }
    }
}
