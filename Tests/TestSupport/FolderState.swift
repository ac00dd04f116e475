import Foundation
import Glibc

/// The exact state of a folder: names, kinds, sizes, contents, and times of content and status in
/// nanoseconds.
///
/// Two equal values show that nothing was written in between. Don't use it while this process has
/// database files of the folder open for writing.
public struct FolderState: Equatable, Sendable {
    private let lines: [String]

    public init(of path: String) throws {
        var lines = [try Self.describe(path, "")]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path).sorted() {
            lines.append(try Self.describe("\(path)/\(name)", name))
        }
        self.lines = lines
    }

    private static func describe(_ path: String, _ name: String) throws -> String {
        var raw = stat()
        guard lstat(path, &raw) == 0 else { throw CocoaError(.fileReadUnknown) }
        var line = "\(name) \(raw.st_mode) \(raw.st_ino) \(raw.st_size)"
        line += " \(raw.st_mtim.tv_sec).\(raw.st_mtim.tv_nsec)"
        line += " \(raw.st_ctim.tv_sec).\(raw.st_ctim.tv_nsec)"
        if raw.st_mode & S_IFMT == S_IFREG {
            line += " " + (try Data(contentsOf: URL(fileURLWithPath: path))).base64EncodedString()
        }
        return line
    }
}
