import Foundation
public import Replication

/// Checks every file of a package, or a single store file, and repairs the files of this device.
///
/// Checking changes nothing: databases are read like other devices' databases, without locks and
/// without creating files next to them.
public struct Doctor: Sendable {
    /// The path, as given.
    public let path: String
    /// The device whose files may be repaired; `nil` if none may.
    public let own: DeviceID?
    let clock: HybridClock
    /// The data models whose databases are checked.
    let models: [any DataModel]
    /// Returns the statuses of a kind of log that an open store knows; `nil` to read the logs.
    let knownStatuses: @Sendable (DatabaseKind) -> [DeviceStatus]?

    /// Creates a doctor for the package or file at `path`. Reads nothing yet.
    ///
    /// - Parameter clock: The clock that determines which timestamps are too far ahead, and how old
    ///   a file is.
    package init(
        _ path: String, own: DeviceID?, clock: HybridClock = HybridClock(),
        models: [any DataModel] = DataModels.standard,
        knownStatuses: @escaping @Sendable (DatabaseKind) -> [DeviceStatus]? = { _ in nil }
    ) {
        self.path = path
        self.own = own
        self.clock = clock
        self.models = models
        self.knownStatuses = knownStatuses
    }

    /// Returns all findings, most severe first.
    ///
    /// - Throws: `ReplicationError`: `.notFound`, `.noPermission`. Problems of existing files are
    ///   findings.
    /// - Complexity: O(*n*) in the size of all files: every page and every row is read.
    public func examine() throws -> [DoctorFinding] { try look().findings }

    /// Performs ``examine()``, and also returns whether a file was being written. If so, checking
    /// again soon may result in other findings.
    func look() throws -> (findings: [DoctorFinding], isEarly: Bool) {
        var findings = DoctorFindings()
        let kind: StoreKind
        do {
            // An inaccessible path is an error, not a finding.
            _ = try StoreKind.isFolder(path)
            kind = try StoreKind(of: path, models: models)
        } catch let error as ReplicationError
            where [.notFound, .noPermission].contains(error.code)
        {
            throw error
        } catch {
            try examineUnknown(error, &findings)
            return (findings.sorted, findings.isEarly)
        }
        switch kind {
        case .package(let package): try examine(package, &findings)
        case .single(let store):
            if let (package, folder, kind) = deviceFile {
                examine(folder, only: kind, in: package, &findings)
            } else {
                store.examine(self, &findings)
            }
        }
        return (findings.sorted, findings.isEarly)
    }

    /// Returns whether there are findings other than notes.
    public static func isWrong(_ findings: [DoctorFinding]) -> Bool {
        findings.contains { $0.severity > .note }
    }

    /// Returns the command that repairs this device's files.
    func repairCommand(_ package: StorePackage) -> String? {
        own.map {
            ShellCommand.line("tideline", "doctor", package.path, "--device", $0.name, "--repair")
        }
    }

    /// The device's database at this path, if the path is inside a package.
    var deviceFile: (StorePackage, DeviceFolder, DatabaseKind)? {
        let file = URL(filePath: StoreKind.resolved(path)).standardizedFileURL
        let folder = file.deletingLastPathComponent()
        let root = folder.deletingLastPathComponent()
        guard root.lastPathComponent.lowercased() == "devices",
            let kind = DatabaseKind(fileName: file.lastPathComponent), models[kind] != nil,
            let package = try? StorePackage(opening: root.deletingLastPathComponent().path),
            let id = try? DeviceID(folder.lastPathComponent),
            let found = try? package.device(id), found.has(kind)
        else { return nil }
        return (package, found, kind)
    }

    /// Checks a file that isn't a store or isn't readable at all.
    private func examineUnknown(_ error: any Error, _ findings: inout DoctorFindings) throws {
        if let (package, folder, kind) = deviceFile {
            return examine(folder, only: kind, in: package, &findings)
        }
        if let error = error as? ReplicationError {
            let problem = Self.problem(error, path)
            guard isRegularFile, error.code == .incomplete || error.code == .unreadable else {
                return findings.add("not-a-store", .error, path, problem, advice: Self.storeKinds)
            }
            let isHalf = error.code == .incomplete
            return findings.add(
                isHalf ? "half-copied" : "damaged", .error, path, problem,
                advice: isHalf
                    ? "wait for the rest to arrive, or replace it with a complete copy"
                    : "replace it with a complete copy, or recover the readable part to a new file",
                command: isHalf ? nil : recoverCommand)
        }
        guard let error = error as? CoreError, error.code == .badData else { throw error }
        findings.add(
            "not-a-store", .error, path, error.message, advice: Self.storeKinds)
    }

    private var isRegularFile: Bool {
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: StoreKind.resolved(path))
        return attributes?[.type] as? FileAttributeType == .typeRegular
    }

    private static let storeKinds =
        "specify the path of a package, an SQLite database or an Automerge file"

    /// Returns the reason of an error with the name of the file instead of its path, because the
    /// path is shown next to it.
    static func problem(_ error: ReplicationError, _ path: String) -> String {
        error.reason.hasPrefix("\(path) ")
            ? URL(filePath: path).lastPathComponent + error.reason.dropFirst(path.count)
            : error.reason
    }

    /// The command that recovers a damaged database outside a package with the sqlite3 program.
    var recoverCommand: String {
        let file = StoreKind.resolved(path)
        return ShellCommand.line("sqlite3", file, ".recover") + " | "
            + ShellCommand.line("sqlite3", file + ".recovered")
    }
}
