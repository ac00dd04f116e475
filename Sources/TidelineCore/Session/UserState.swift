public import Foundation
public import Replication

/// What Tideline remembers between runs, in the user's state folder (XDG): who writes, and which
/// store was open last.
public struct UserState: Sendable {
    private let folder: URL

    /// - Parameter environment: `XDG_STATE_HOME` and `HOME` are looked at.
    public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let state =
            environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.local/state"
        folder = URL(filePath: state, directoryHint: .isDirectory)
            .appending(path: "tideline", directoryHint: .isDirectory)
    }

    /// Where the log of the program goes; the screen is taken.
    public var logFile: String { folder.appending(path: "tideline.log").path }

    /// The device to write as: `option`, else the environment's `TIDELINE_DEVICE`, else the
    /// identifier that this user's programs share, if it was made already.
    ///
    /// - Throws: `ReplicationError` with code `.invalidDevice`.
    public func device(
        option: String?, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> DeviceID? {
        if let name = option ?? environment["TIDELINE_DEVICE"], !name.isEmpty {
            return try DeviceID(name)
        }
        return try read("device").map { try DeviceID($0) }
    }

    /// As ``device(option:environment:)``; the identifier is made and kept where there is none.
    public func deviceForWriting(
        option: String?, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> DeviceID {
        if let device = try device(option: option, environment: environment) { return device }
        let name = "tideline-" + UUID().uuidString.lowercased().prefix(8)
        let device = try DeviceID(name)
        try write(name, to: "device")
        return device
    }

    /// The path of the store that was opened last.
    public var lastStore: String? { try? read("last-store") }

    /// Remembers the store for the next run; a state folder that cannot be written is no reason
    /// not to open a store.
    public func rememberStore(_ path: String) {
        try? write(URL(filePath: path).standardizedFileURL.path, to: "last-store")
    }

    private func read(_ name: String) throws -> String? {
        let path = folder.appending(path: name).path
        let bytes: Data
        do {
            bytes = try WholeFile.read(path, limit: 1 << 16)
        } catch {
            if error.code == .notFound { return nil }
            throw error
        }
        guard let text = String(data: bytes, encoding: .utf8) else {
            throw CoreError(.badData, "\(path) is no text")
        }
        let name = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return name.isEmpty ? nil : name
    }

    private func write(_ text: String, to name: String) throws {
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data((text + "\n").utf8).write(to: folder.appending(path: name), options: .atomic)
        } catch {
            throw CoreError(
                .cannotCreate, "cannot keep \(name) in \(folder.path)",
                wayOut: "name a device with --device or TIDELINE_DEVICE")
        }
    }
}
