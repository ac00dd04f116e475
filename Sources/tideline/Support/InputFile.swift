import Foundation
import Replication

/// A file named on the command line; `-` is standard input.
enum InputFile {
    /// More is not taken into memory.
    private static let limit = 256 << 20

    static func data(_ path: String) throws -> Data {
        var data = Data()
        try forEachPiece(path) { piece in
            guard data.count + piece.count <= limit else {
                throw Failure(.badData, "read \(path)", "it has more than \(limit) bytes")
            }
            data.append(contentsOf: piece)
        }
        return data
    }

    /// Calls `body` with the file's bytes, in pieces of up to a mebibyte.
    static func forEachPiece(
        _ path: String, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard path != "-" else { return try WholeFile.forEachPieceOfStandardInput(body) }
        do {
            try WholeFile.forEachPiece(of: path, body)
        } catch let error as ReplicationError {
            throw Failure(error, while: "read \(path)")
        }
    }
}
