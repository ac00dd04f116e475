import Foundation
public import Replication

/// Checks every file of a package, or a single store file, and mends what is this device's own.
///
/// Looking changes nothing: databases are read as all that others wrote are, without a lock and
/// without anything appearing beside them.
public struct Doctor: Sendable {
    /// What is examined, as it was given.
    public let path: String
    /// Whose files may be mended; `nil`: nobody's.
    public let own: DeviceID?
    let clock: HybridClock
    /// How an open store of keys and values gets on with its logs; `nil`, as where none is open, has
    /// them read once more.
    let logStatuses: @Sendable () -> [DeviceStatus]?

    /// A doctor for the package or file at `path`. Nothing is looked at yet.
    ///
    /// - Parameter clock: Tells which times lie too far ahead, and how old a file is.
    public init(_ path: String, own: DeviceID?, clock: HybridClock = HybridClock()) {
        self.init(path, own: own, clock: clock) { nil }
    }

    init(
        _ path: String, own: DeviceID?, clock: HybridClock = HybridClock(),
        logStatuses: @escaping @Sendable () -> [DeviceStatus]?
    ) {
        self.path = path
        self.own = own
        self.clock = clock
        self.logStatuses = logStatuses
    }

    /// All that is wrong, what matters most first.
    ///
    /// - Throws: `ReplicationError`: `.notFound`, `.noPermission`; what is wrong with a file that is
    ///   there is a finding.
    /// - Complexity: O(*n*) in the size of all files: each page and each row is looked at.
    public func examine() throws -> [Finding] { try look().findings }

    /// As ``examine()``; and whether a file was being written, so that there may be more to say of
    /// it in a moment.
    func look() throws -> (findings: [Finding], isEarly: Bool) {
        var findings = Findings()
        let kind: StoreKind
        do {
            // What cannot be looked into at all is no finding.
            _ = try StoreKind.isFolder(path)
            kind = try StoreKind(of: path)
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
        default:
            if let (package, folder, kind) = deviceFile {
                examine(folder, only: kind, in: package, &findings)
            } else {
                examineFile(kind, &findings)
            }
        }
        return (findings.sorted, findings.isEarly)
    }

    /// Whether findings mean that something is wrong with the data.
    public static func isWrong(_ findings: [Finding]) -> Bool {
        findings.contains { $0.severity > .note }
    }

    /// The command that mends what is this device's own.
    func repairCommand(_ package: StorePackage) -> String? {
        own.map {
            ShellCommand.line("tideline", "doctor", package.path, "--device", $0.name, "--repair")
        }
    }

    /// The device's database that the path is, where it lies in a package.
    var deviceFile: (StorePackage, DeviceFolder, DatabaseKind)? {
        let file = URL(filePath: StoreKind.resolved(path)).standardizedFileURL
        let folder = file.deletingLastPathComponent()
        let root = folder.deletingLastPathComponent()
        guard root.lastPathComponent.lowercased() == "devices",
            let kind = DatabaseKind(fileName: file.lastPathComponent),
            let package = try? StorePackage(opening: root.deletingLastPathComponent().path),
            let id = try? DeviceID(folder.lastPathComponent),
            let found = try? package.device(id), found.has(kind)
        else { return nil }
        return (package, found, kind)
    }

    /// A file that is no store, or that nothing can be read of.
    private func examineUnknown(_ error: any Error, _ findings: inout Findings) throws {
        if let (package, folder, kind) = deviceFile {
            return examine(folder, only: kind, in: package, &findings)
        }
        if let error = error as? ReplicationError {
            let problem = Self.problem(error, path)
            guard isRegularFile, error.code == .incomplete || error.code == .unreadable else {
                return findings.add("not-a-store", .error, path, problem, advice: Self.whatIsOne)
            }
            let isHalf = error.code == .incomplete
            return findings.add(
                isHalf ? "half-copied" : "damaged", .error, path, problem,
                advice: isHalf
                    ? "wait until all of it has arrived, or put a whole copy in its place"
                    : "put a whole copy in its place, or write what can be read of it to a new file",
                command: isHalf ? nil : recoverCommand)
        }
        guard let error = error as? CoreError, error.code == .badData else { throw error }
        findings.add(
            "not-a-store", .error, path, error.message, advice: Self.whatIsOne)
    }

    private var isRegularFile: Bool {
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: StoreKind.resolved(path))
        return attributes?[.type] as? FileAttributeType == .typeRegular
    }

    private static let whatIsOne =
        "give the path of a package, an SQLite database or an Automerge file"

    /// What an error says of a file, where the file is named already.
    static func problem(_ error: ReplicationError, _ path: String) -> String {
        error.reason.hasPrefix("\(path) ")
            ? "it" + error.reason.dropFirst(path.count) : error.reason
    }

    /// What the sqlite3 program makes of a damaged database that is nobody's in a package.
    var recoverCommand: String {
        let file = StoreKind.resolved(path)
        return ShellCommand.line("sqlite3", file, ".recover") + " | "
            + ShellCommand.line("sqlite3", file + ".recovered")
    }
}
