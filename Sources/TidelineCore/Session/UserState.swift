public import Foundation
public import Replication

/// What Tideline remembers between runs, in the user's state folder (XDG): who writes, what was
/// written, and which store was open last.
public struct UserState: Sendable {
    private let folder: URL

    /// - Parameter environment: `XDG_STATE_HOME` and `HOME` are looked at.
    public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let state =
            environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            // A home that is set to nothing is not set.
            ?? (environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? NSHomeDirectory())
            + "/.local/state"
        folder = URL(filePath: state, directoryHint: .isDirectory)
            .appending(path: "tideline", directoryHint: .isDirectory)
    }

    /// The folder.
    public var path: String { folder.path }

    /// Where the log of the program goes; the screen is taken.
    public var logFile: String { folder.appending(path: "tideline.log").path }

    /// The device to write as: `option`, else the environment's `TIDELINE_DEVICE`, else the one that
    /// the settings name, else the identifier that this user's programs share, if it was made
    /// already.
    ///
    /// - Throws: `ReplicationError` with code `.invalidDevice`.
    public func device(
        option: String?, configured: @autoclosure () throws -> String? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> DeviceID? {
        if let option { return try DeviceID(option) }
        // A variable that is set to nothing is not set.
        if let name = environment["TIDELINE_DEVICE"], !name.isEmpty { return try DeviceID(name) }
        if let name = try configured() { return try DeviceID(name) }
        return try read("device").map { try DeviceID($0) }
    }

    /// As ``device(option:configured:environment:)``, for who only reads: an identifier that this
    /// user may not look at is nobody's.
    ///
    /// - Throws: `ReplicationError` with code `.invalidDevice`.
    public func deviceForReading(option: String?) throws -> DeviceID? {
        do {
            return try device(option: option)
        } catch let error as ReplicationError where error.code == .noPermission {
            return nil
        }
    }

    /// As ``device(option:configured:environment:)``; the identifier is made and kept where there is none.
    /// Programs that start at once for the first time get one and the same.
    ///
    /// - Throws: `ReplicationError`, `.invalidDevice`; ``CoreError``, `.cannotCreate`, where a new
    ///   identifier cannot be kept.
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
            try WholeFile.settle(Data((new + "\n").utf8), at: path, limit: Self.limit)
        }
        return try DeviceID(Self.text(kept, folder.appending(path: "device").path) ?? new)
    }

    /// What this person wrote into the store at `path`.
    public func journal(ofStoreAt path: String) -> EditJournal {
        EditJournal(
            in: folder.appending(path: "journals", directoryHint: .isDirectory), of: path)
    }

    /// The conflicts of the store at `path` that this person needs nothing done about.
    public func benignConflicts(ofStoreAt path: String) -> BenignConflicts {
        BenignConflicts(
            in: folder.appending(path: "benign", directoryHint: .isDirectory), of: path)
    }

    /// This person's own queries of the database at `path`.
    public func queries(ofStoreAt path: String) -> KeptQueries {
        KeptQueries(in: folder.appending(path: "queries", directoryHint: .isDirectory), of: path)
    }

    /// How this person left the screen of the store at `path`.
    public func view(ofStoreAt path: String) -> KeptView {
        KeptView(in: folder.appending(path: "views", directoryHint: .isDirectory), of: path)
    }

    /// The path of the store that was opened last.
    public var lastStore: String? { try? read("last-store") }

    /// The paths of the stores that were open before, the newest first.
    public var recentStores: [String] {
        let text = (try? read("recent-stores")) ?? nil
        return text?.split(whereSeparator: \.isNewline).map(String.init) ?? []
    }

    /// Remembers the store for the next run; a state folder that cannot be written is no reason
    /// not to open a store.
    public func rememberStore(_ path: String) {
        let path = URL(filePath: path).standardizedFileURL.path
        try? keeping("last-store") { try WholeFile.write(Data((path + "\n").utf8), to: $0) }
        guard !path.contains(where: \.isNewline) else { return }
        let paths = ([path] + recentStores.filter { $0 != path }).prefix(Self.recentLimit)
        try? keeping("recent-stores") {
            try WholeFile.write(Data((paths.joined(separator: "\n") + "\n").utf8), to: $0)
        }
    }

    private func read(_ name: String) throws -> String? {
        let path = folder.appending(path: name).path
        do {
            return try Self.text(WholeFile.read(path, limit: Self.limit), path)
        } catch let error as ReplicationError {
            // Another process may be writing it just now, for the first time.
            guard error.code == .notFound || error.code == .incomplete else { throw error }
            return nil
        }
    }

    /// How many stores are remembered.
    private static let recentLimit = 20

    /// More than a path can have.
    private static let limit: Int64 = 65_536

    /// - Returns: `nil` for a file without a word.
    private static func text(_ bytes: Data, _ path: String) throws -> String? {
        guard let text = String(data: bytes, encoding: .utf8) else {
            throw CoreError(.badData, "\(path) is not text")
        }
        let word = text.trimmingCharacters(in: .whitespacesAndNewlines)
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
                problem?.kind == .noPermission ? .noPermission : .cannotCreate, at: folder.path,
                "this device's identifier cannot be kept here: \(problem?.reason ?? "\(error)")",
                wayOut: "Name a device with --device or TIDELINE_DEVICE.")
        }
    }
}
