import Foundation
import Glibc

/// The editor of the user's choice on a text, in a file that nobody else can read.
public struct ExternalEditor: Sendable {
    /// What comes back is read up to this size.
    private static let sizeLimit = 64 << 20

    private let command: String
    private let folder: String

    /// - Parameter environment: `VISUAL`, else `EDITOR`, else `vi`; the file goes to a folder of
    ///   its own in `XDG_RUNTIME_DIR`, else in `TMPDIR`, else in `/tmp`.
    public init(environment: [String: String]) {
        let named = ["VISUAL", "EDITOR"].lazy.compactMap { environment[$0] }
        command = named.first { !$0.isEmpty } ?? "vi"
        let folders = ["XDG_RUNTIME_DIR", "TMPDIR"].lazy.compactMap { environment[$0] }
        folder = folders.first { $0.hasPrefix("/") && access($0, W_OK | X_OK) == 0 } ?? "/tmp"
    }

    /// Lets the user edit `text`, and waits until the editor has ended.
    ///
    /// - Parameter run: Runs a shell's command with a path as its argument on the terminal; returns
    ///   its exit code, `nil` when it could not be started.
    /// - Returns: The text as it was saved, `nil` when it was not.
    /// - Throws: ``RequestFailure`` when the editor cannot be run, fails, or leaves what is not
    ///   text.
    public func edit(
        _ text: String, fileExtension: String, run: (_ command: String, _ path: String) -> Int32?
    ) throws(RequestFailure) -> String? {
        var template = Array("\(folder)/tideline-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw failure("cannot create a folder in \(folder)")
        }
        let made = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let path = "\(made)/value.\(fileExtension)"
        defer { removeFolder(made) }
        try write(text, to: path)
        let before = stamp(of: path)
        guard let status = run(command, path) else {
            throw RequestFailure(.other, "\(command) cannot be run")
        }
        guard status == 0 else {
            throw RequestFailure(.other, "\(command) ended with \(status); nothing was changed")
        }
        let saved = try read(path)
        return saved == text && stamp(of: path) == before ? nil : saved
    }

    private func write(_ text: String, to path: String) throws(RequestFailure) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("\(path) cannot be made") }
        defer { _ = close(file) }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw failure("\(path) cannot be written") }
            bytes = bytes.dropFirst(count)
        }
    }

    private func read(_ path: String) throws(RequestFailure) -> String {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw failure("\(path) cannot be read back") }
        defer { _ = close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= Self.sizeLimit
        else {
            throw RequestFailure(
                .other, "\(command) left a file that is empty, too large or not a file")
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= Self.sizeLimit {
            let count = Glibc.read(file, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw failure("\(path) cannot be read back") }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw RequestFailure(.other, "what \(command) saved is not UTF-8")
        }
        return text
    }

    private func stamp(of path: String) -> [Int] {
        var status = stat()
        guard stat(path, &status) == 0 else { return [] }
        return [
            Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec), Int(status.st_size),
            Int(status.st_ino),
        ]
    }

    /// Editors leave backups and undo files beside the text; all of it goes.
    private func removeFolder(_ path: String) {
        try? FileManager.default.removeItem(atPath: path)
    }

    private func failure(_ what: String) -> RequestFailure {
        RequestFailure(.other, "\(what): \(String(cString: strerror(errno)))")
    }
}
