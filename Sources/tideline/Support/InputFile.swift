import Foundation
import Glibc
import Replication

/// A file named on the command line; `-` is standard input.
enum InputFile {
    static func data(_ path: String) throws -> Data {
        if path == "-" { return try contents(of: .standardInput, "standard input") }
        let handle = try open(path)
        defer { try? handle.close() }
        return try contents(of: handle, path)
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

    private static func contents(of handle: FileHandle, _ path: String) throws -> Data {
        do {
            return try handle.readToEnd() ?? Data()
        } catch {
            throw Failure(.inputOutput, path, "cannot be read")
        }
    }

    /// What `body` makes of a file's content: what is wrong with that is told of the file.
    static func read<Result>(_ path: String, _ body: (Data) throws -> Result) throws -> Result {
        let data = try data(path)
        return try Failure.of(path == "-" ? "standard input" : path) { try body(data) }
    }
}
