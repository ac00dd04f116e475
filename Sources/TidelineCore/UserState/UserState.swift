public import Foundation
public import Replication

/// The program's state between runs, in the user's state folder (XDG): the device id, the recent
/// stores, and for each store the edit journal, ignored conflicts, saved queries and view.
public struct UserState: Sendable {
    private let folder: URL

    /// Finds the state folder.
    ///
    /// - Parameter environment: The environment variables; `XDG_STATE_HOME` and `HOME` are used.
    public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let state =
            environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? UserPath.home(environment) + "/.local/state"
        folder = URL(filePath: state, directoryHint: .isDirectory)
            .appending(path: "tideline", directoryHint: .isDirectory)
    }

    /// The path of the folder.
    public var path: String { folder.path }

    /// Returns the writing device: `option`, otherwise `TIDELINE_DEVICE`, otherwise the device in
    /// the settings, otherwise the user's saved device id, if one exists.
    ///
    /// - Parameters:
    ///   - option: The device named on the command line.
    ///   - configured: The device in the settings. Read only if needed.
    /// - Throws: `ReplicationError` with code `.invalidDevice`.
    public func device(
        option: String?, configured: @autoclosure () throws -> String? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> DeviceID? {
        if let option { return try DeviceID(option) }
        // An empty variable is treated as unset.
        if let name = environment["TIDELINE_DEVICE"], !name.isEmpty {
            do {
                return try DeviceID(name)
            } catch {
                throw ReplicationError(error.code, at: "$TIDELINE_DEVICE", error.message)
            }
        }
        if let name = try configured() { return try DeviceID(name) }
        guard let saved = try read("device") else { return nil }
        do {
            return try DeviceID(saved)
        } catch {
            let path = folder.appending(path: "device").path
            throw ReplicationError(error.code, at: path, error.message)
        }
    }

    /// Returns the device for commands that only read, like
    /// ``device(option:configured:environment:)``. An unreadable device id is treated as missing.
    ///
    /// - Parameters:
    ///   - option: The device named on the command line.
    ///   - configured: The device in the settings. Read only if needed.
    /// - Throws: `ReplicationError` with code `.invalidDevice`.
    public func deviceForReading(
        option: String?, configured: @autoclosure () throws -> String? = nil
    ) throws -> DeviceID? {
        do {
            return try device(option: option, configured: try configured())
        } catch let error as ReplicationError where error.code == .noPermission {
            return nil
        }
    }

    /// Returns the writing device, like ``device(option:configured:environment:)``. If there is
    /// none, creates and saves a device id. If several programs start for the first time
    /// concurrently, they get the same device id.
    ///
    /// - Parameters:
    ///   - option: The device named on the command line.
    ///   - configured: The device in the settings. Read only if needed.
    /// - Throws: `ReplicationError` with code `.invalidDevice`; ``CoreError`` with code
    ///   `.cannotCreate` if a new device id can't be saved.
    public func deviceForWriting(
        option: String?, configured: @autoclosure () throws -> String? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> DeviceID {
        if let device = try device(
            option: option, configured: try configured(), environment: environment)
        {
            return device
        }
        let new = "tideline-" + UUID().uuidString.lowercased().prefix(8)
        let kept = try keeping("device") { path in
            try WholeFile.readOrCreate(Data((new + "\n").utf8), at: path, limit: Self.limit)
        }
        return try DeviceID(Self.text(kept, folder.appending(path: "device").path) ?? new)
    }

    /// Returns whether a device has the generated device id.
    public func isGenerated(_ device: DeviceID) -> Bool { (try? read("device")) == device.name }

    /// Returns the journal of the user's edits to the store at `path`.
    ///
    /// - Parameter device: The device whose edits the journal contains; `nil` for all devices.
    public func journal(ofStoreAt path: String, by device: DeviceID? = nil) -> EditJournal {
        EditJournal(
            in: folder.appending(path: "journals", directoryHint: .isDirectory), of: path,
            by: device)
    }

    /// Returns the ignored conflicts of the store at `path`.
    public func ignoredConflicts(ofStoreAt path: String) -> IgnoredConflictsFile {
        IgnoredConflictsFile(
            in: folder.appending(path: "benign", directoryHint: .isDirectory), of: path)
    }

    /// Returns the user's queries of the database at `path`.
    public func queries(ofStoreAt path: String) -> SavedQueries {
        SavedQueries(in: folder.appending(path: "queries", directoryHint: .isDirectory), of: path)
    }

    /// Returns the saved view of the store at `path`.
    public func view(ofStoreAt path: String) -> SavedView {
        SavedView(in: folder.appending(path: "views", directoryHint: .isDirectory), of: path)
    }

    /// Saves a text that the user typed, but that isn't written to a store, in a new file. Other
    /// users can't read the file.
    ///
    /// - Returns: The path of the file.
    /// - Throws: `ReplicationError`.
    public func keepText(_ text: String) throws -> String {
        let path = try makeTextsFolder() + "/\(UUID().uuidString.lowercased()).txt"
        try WholeFile.write(Data(text.utf8), to: path, isPrivate: true)
        return path
    }

    /// Creates the folder of texts that the user typed, and deletes the oldest texts in it, so that
    /// there is space for one more.
    ///
    /// - Returns: The path of the folder.
    /// - Throws: `ReplicationError`.
    package func makeTextsFolder() throws -> String {
        let texts = folder.appending(path: "texts", directoryHint: .isDirectory)
        try RootedFolder(texts.path).make()
        let found = try? FileManager.default.contentsOfDirectory(
            at: texts, includingPropertiesForKeys: [.contentModificationDateKey])
        let files = (found ?? []).map { url in
            let values = try? url.resourceValues(forKeys: [.contentModificationDateKey])
            return (url: url, date: values?.contentModificationDate ?? .distantPast)
        }.sorted { $0.date > $1.date }
        for file in files.dropFirst(Self.textLimit - 1) {
            try? FileManager.default.removeItem(at: file.url)
        }
        return texts.path
    }

    /// The path of the store opened last.
    public var lastStore: String? { paths("last-store") }

    /// The paths of the recent stores, newest first.
    public var recentStores: [String] {
        paths("recent-stores")?.split(whereSeparator: \.isNewline).map(String.init) ?? []
    }

    /// Remembers the store for the next run. Failures are ignored, because they don't prevent
    /// opening the store.
    public func rememberStore(_ path: String) {
        let path = URL(filePath: path).standardizedFileURL.path
        try? keep(path, in: "last-store")
        guard !path.contains(where: \.isNewline) else { return }
        let paths = ([path] + recentStores.filter { $0 != path }).prefix(Self.recentLimit)
        try? keep(paths.joined(separator: "\n"), in: "recent-stores")
    }

    private func keep(_ text: String, in name: String) throws {
        try keeping(name) { path in
            try WholeFile.write(Data((text + "\n").utf8), to: path, isPrivate: true)
        }
    }

    /// Returns the text of a file of paths, without the line feed at its end. A path can end with
    /// spaces, which ``read(_:)`` removes.
    private func paths(_ name: String) -> String? {
        let path = folder.appending(path: name).path
        guard var bytes = try? WholeFile.read(path, limit: Self.limit) else { return nil }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        return bytes.isEmpty ? nil : String(data: bytes, encoding: .utf8)
    }

    private func read(_ name: String) throws -> String? {
        let path = folder.appending(path: name).path
        do {
            return try Self.text(WholeFile.read(path, limit: Self.limit), path)
        } catch let error as ReplicationError {
            // Another process may be creating the file right now.
            guard error.code == .notFound || error.code == .incomplete else { throw error }
            return nil
        }
    }

    /// The maximum number of remembered stores.
    private static let recentLimit = 20

    /// The maximum number of texts that aren't written to a store.
    private static let textLimit = 100

    /// The maximum file size, which is longer than any path.
    private static let limit: Int64 = 65_536

    /// Decodes the content of a file.
    ///
    /// - Returns: `nil` for an empty file.
    private static func text(_ bytes: Data, _ path: String) throws -> String? {
        guard let text = String(data: bytes, encoding: .utf8) else {
            throw CoreError(.badData, "\(path) is not a text file")
        }
        let word = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !word.contains(where: \.isNewline) else {
            throw CoreError(.badData, at: path, "it has more than one line")
        }
        return word.isEmpty ? nil : word
    }

    private func keeping<Result>(
        _ name: String, _ body: (String) throws -> Result
    ) throws -> Result {
        do {
            try RootedFolder(folder.path).make()
            return try body(folder.appending(path: name).path)
        } catch {
            let problem = error as? any ExplainedError
            throw CoreError(
                problem?.category == .noPermission ? .noPermission : .cannotCreate, at: folder.path,
                "can't save a device id: \(problem?.reason ?? "\(error)")",
                suggestion: "specify a device with --device or TIDELINE_DEVICE")
        }
    }
}
