import Foundation
import Glibc
import Replication
public import TidelineCore

/// Opens a text in the user's editor, using a file that other users can't read.
public struct ExternalEditor: Sendable {
    /// The maximum size of the edited text.
    private static let sizeLimit = 64 << 20

    private let command: String
    private let folder: String
    private let state: UserState?

    /// Configures an editor.
    ///
    /// - Parameters:
    ///   - environment: The environment variables. The editor is `VISUAL`, `EDITOR` or `vi`.
    ///   - state: The state folder. The file is created in a new folder in it, so that a logout
    ///     doesn't delete the text of an editor that it ends. If this isn't possible, or without a
    ///     state folder, it is created in `XDG_RUNTIME_DIR`, `TMPDIR` or `/tmp`.
    public init(environment: [String: String], state: UserState? = nil) {
        self.state = state
        let named = ["VISUAL", "EDITOR"].lazy.compactMap { environment[$0] }
        command = named.first { !$0.isEmpty } ?? "vi"
        let folders = ["XDG_RUNTIME_DIR", "TMPDIR"].lazy.compactMap { environment[$0] }
        folder = folders.first { $0.hasPrefix("/") && access($0, W_OK | X_OK) == 0 } ?? "/tmp"
    }

    /// Lets the user edit `text` and waits for the editor to exit.
    ///
    /// - Parameter run: Runs a shell command on the terminal with a path as argument. Returns the
    ///   exit code, or `nil` if the command couldn't be started.
    /// - Returns: The saved text, or `nil` if it wasn't saved.
    /// - Throws: ``RequestFailure`` if the editor can't be started, fails, or saves something other
    ///   than text. If the editor has changed files, they are kept, and the message names their
    ///   folder.
    public func edit(
        _ text: String, fileExtension: String, run: (_ command: String, _ path: String) -> Int32?
    ) throws(RequestFailure) -> String? {
        let made = try makeFolder()
        var written: [String: FileTrace] = [:]
        var status: Int32 = 0
        do throws(RequestFailure) {
            let path = "\(made)/value.\(fileExtension)"
            try write(text, to: path)
            written = files(in: made)
            let before = FileTrace(path)
            guard let code = run(command, path) else {
                throw RequestFailure(.other, "can't run \(command)")
            }
            status = code
            guard status == 0 else {
                throw RequestFailure(.other, "\(command) exited with \(status)")
            }
            let saved = try read(path)
            let isUnsaved = saved == text && FileTrace(path) == before
            removeFolder(made)
            return isUnsaved ? nil : saved
        } catch {
            throw discard(made, with: written, after: error, status)
        }
    }

    /// Saves a text that turned out to be unusable, so that the user's work isn't lost. Other users
    /// can't read the file.
    ///
    /// - Returns: The path of the file, which the caller must show; `nil` if it can't be written.
    public func keep(_ text: String, fileExtension: String) -> String? {
        guard let folder = try? makeFolder() else { return nil }
        let path = "\(folder)/value.\(fileExtension)"
        do {
            try write(text, to: path)
            return path
        } catch {
            removeFolder(folder)
            return nil
        }
    }

    /// Creates a folder that other users can't read.
    func makeFolder() throws(RequestFailure) -> String {
        if let texts = try? state?.makeTextsFolder(), let made = Self.makeFolder(in: texts) {
            return made
        }
        guard let made = Self.makeFolder(in: folder) else {
            throw RequestFailure(system: errno, "can't create a folder in \(folder)")
        }
        return made
    }

    private static func makeFolder(in parent: String) -> String? {
        var template = Array("\(parent)/tideline-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func write(_ text: String, to path: String) throws(RequestFailure) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw RequestFailure(system: errno, "can't create \(path)") }
        defer { _ = close(file) }
        let failure = Array(text.utf8).withUnsafeBytes { writeAll($0, to: file) }
        guard failure == 0 else { throw RequestFailure(system: failure, "can't write \(path)") }
    }

    func read(_ path: String) throws(RequestFailure) -> String {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw RequestFailure(system: errno, "can't read back \(path)") }
        defer { _ = close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= Self.sizeLimit
        else {
            throw RequestFailure(
                .other, "the saved file is empty, too large or not a regular file")
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= Self.sizeLimit {
            let count = Glibc.read(file, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw RequestFailure(system: errno, "can't read back \(path)") }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw RequestFailure(.other, "the saved text is not UTF-8")
        }
        return text
    }

    /// Deletes the folder with all files, since editors leave backups next to the text.
    func removeFolder(_ path: String) {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The files in a folder, by name.
    func files(in folder: String) -> [String: FileTrace] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.reduce(into: [:]) { $0[$1] = FileTrace("\(folder)/\($1)") }
    }

    /// Deletes the folder after a failure. If the editor has changed its files, keeps the folder,
    /// because the user may have written a long text.
    ///
    /// - Parameters:
    ///   - written: The files before the editor was started.
    ///   - status: The exit code of the editor. If a signal ended the shell, for example because
    ///     the terminal was closed, the editor may still be saving its text.
    /// - Returns: The failure, with the folder's path if it is kept.
    func discard(
        _ folder: String, with written: [String: FileTrace], after failure: RequestFailure,
        _ status: Int32
    ) -> RequestFailure {
        let current = files(in: folder)
        let isKept =
            !written.isEmpty && !current.isEmpty && (current != written || status > 128)
        if !isKept { removeFolder(folder) }
        let rest = isKept ? "the text is in \(folder)" : "nothing was changed"
        var failure = RequestFailure(failure.kind, "\(failure.message); \(rest)")
        failure.keptPath = isKept ? folder : nil
        return failure
    }
}
