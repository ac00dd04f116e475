import CommandSupport
import Foundation
import Glibc
import Replication

/// A file named on the command line; `-` is standard input.
enum InputFile {
    /// More is not taken into memory.
    private static let limit = 256 << 20

    static func data(_ path: String) throws -> Data {
        var data = Data()
        try forEachPiece(path) { piece in
            guard data.count + piece.count <= limit else {
                throw Failure(.badData, path, "it has more than \(limit) bytes")
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
        try Failure.of(path) { try WholeFile.forEachPiece(of: path, body) }
    }

    /// A file, or whatever else can be read from: a pipe that the shell names is one, too.
    static func open(_ path: String) throws -> FileHandle {
        let number = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard number >= 0 else { throw Failure(system: errno, path) }
        let handle = FileHandle(fileDescriptor: number, closeOnDealloc: true)
        var status = stat()
        if fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            throw Failure(system: EISDIR, path)
        }
        return handle
    }

    /// What `body` makes of a file's content: what is wrong with that is told of the file.
    static func read<Result>(_ path: String, _ body: (Data) throws -> Result) throws -> Result {
        let data = try data(path)
        return try Failure.of(path == "-" ? "standard input" : path) { try body(data) }
    }
}
