import CommandSupport
import Foundation
import Glibc
import Replication
import TidelineCore

/// A file on the command line; `-` is standard input.
enum InputFile {
    /// The maximum number of bytes to load into memory.
    private static let limit = 256 << 20

    static func data(_ path: String) throws -> Data {
        var data = Data()
        try forEachPiece(path) { piece in
            guard data.count + piece.count <= limit else {
                throw Failure(
                    .badData, path, "larger than the limit of \(Counted.text(limit, "byte"))")
            }
            data.append(contentsOf: piece)
        }
        return data
    }

    /// Calls `body` with the file's bytes, in pieces of up to 1 MiB. Errors of `body` can be about
    /// other files, so they are thrown unchanged.
    static func forEachPiece(
        _ path: String, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard path != "-" else { return try WholeFile.forEachPieceOfStandardInput(body) }
        do {
            try WholeFile.forEachPiece(of: path, body)
        } catch let error as ReplicationError {
            throw Failure(error, while: path)
        }
    }

    /// Opens a file or anything else that can be read, such as a pipe created by the shell.
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

    /// Runs `body` on a file's content and adds the file's name to its errors.
    static func read<Result>(_ path: String, _ body: (Data) throws -> Result) throws -> Result {
        let data = try data(path)
        return try Failure.of(path == "-" ? "standard input" : path) { try body(data) }
    }
}
