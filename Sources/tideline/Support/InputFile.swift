import Foundation

/// A file named on the command line; `-` is standard input.
enum InputFile {
    static func data(_ path: String) throws -> Data {
        guard path != "-" else { return try FileHandle.standardInput.readToEnd() ?? Data() }
        do {
            return try Data(contentsOf: URL(filePath: path))
        } catch let error as CocoaError {
            throw Failure(error, while: "read \(path)")
        }
    }
}
