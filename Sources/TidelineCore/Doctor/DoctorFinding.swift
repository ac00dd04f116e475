public import Replication

/// A problem of a store's file, and how to fix it.
public struct DoctorFinding: Hashable, Sendable {
    /// The severity, in ascending order.
    public enum Severity: String, Hashable, Sendable, Comparable, CaseIterable {
        /// Nothing is lost and no action is needed.
        case note
        /// Something is skipped, or the user should act.
        case warning
        /// A file can't be fully read.
        case error

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rank < rhs.rank }
    }

    /// A stable code of the finding: `damaged`, `gap`, `conflict-copy`.
    public let code: String
    /// The severity.
    public let severity: Severity
    /// The device that owns the file; `nil` if no single device does.
    public let device: DeviceID?
    /// The file: its path within the package, or the path as given.
    public let file: String
    /// The problem, as a clause without a full stop.
    public let problem: String
    /// The advice, as a clause without a full stop; `nil` if no action is needed.
    public let advice: String?
    /// A command line that follows the advice, quoted for a shell.
    public let command: String?
    /// The repair that ``Doctor/repair()`` performs; `nil` if it can't fix the problem.
    let repairAction: RepairAction?
    /// The path of the original within the package, if the file is a conflict copy and one of the
    /// versions can be kept; otherwise `nil`.
    let original: String?
}

/// A repair of one of this device's files.
package enum RepairAction: Hashable, Sendable {
    /// Copy the readable part of a database to a new file and replace the old one.
    case rebuild(String, DatabaseKind)
    /// Roll back an unfinished transaction, as the next write would do.
    case rollBackJournal(String)
    /// Rename a file, so that no program reads it.
    case putAside(String)
    /// Delete a file that doesn't contain any data.
    case remove(String)
}

/// The result of a repair.
public struct Repair: Hashable, Sendable {
    /// The file, as in ``DoctorFinding/file``.
    public let file: String
    /// The outcome, as a clause without a full stop.
    public let outcome: String
    /// Whether the repair succeeded.
    public let isDone: Bool
    /// The path of the kept old version.
    public let kept: String?
}

/// A collector of findings.
package struct DoctorFindings {
    /// The maximum number of findings per kind. Other findings are only counted, because a
    /// malicious folder may cause any number of them.
    private static let most = 100

    private(set) var all: [DoctorFinding] = []
    private var counts: [String: Int] = [:]
    /// The files with a reported read error, which other checks don't report again.
    private(set) var unreadableFiles: Set<Name> = []
    /// Whether a file was being written. If so, checking again soon may result in other findings.
    var isEarly = false

    package mutating func add(
        _ code: String, _ severity: DoctorFinding.Severity, _ file: String,
        of device: DeviceID? = nil,
        _ problem: String, advice: String? = nil, command: String? = nil,
        repairAction: RepairAction? = nil, original: String? = nil
    ) {
        if severity == .error { unreadableFiles.insert(Name(file)) }
        counts[code, default: 0] += 1
        guard counts[code, default: 0] <= Self.most else { return }
        all.append(
            DoctorFinding(
                code: code, severity: severity, device: device, file: file, problem: problem,
                advice: advice, command: command, repairAction: repairAction,
                original: original))
    }

    /// Stops other checks from reporting a file.
    mutating func markUnreadable(_ file: String) { unreadableFiles.insert(Name(file)) }

    /// All findings, most severe first, otherwise in the order found.
    var sorted: [DoctorFinding] {
        var all = all
        for (code, count) in counts.sorted(by: { $0.key < $1.key }) where count > Self.most {
            guard let first = all.first(where: { $0.code == code }) else { continue }
            all.append(
                DoctorFinding(
                    code: code, severity: first.severity, device: nil, file: "",
                    problem: "\(count - Self.most) more findings of this kind", advice: nil,
                    command: nil, repairAction: nil, original: nil))
        }
        return all.enumerated().sorted {
            $0.element.severity == $1.element.severity
                ? $0.offset < $1.offset : $0.element.severity > $1.element.severity
        }.map(\.element)
    }
}

extension DoctorFinding {
    /// The finding in the output of `tideline doctor --json`.
    public var json: JSONValue {
        [
            "code": .string(code), "severity": .string(severity.rawValue),
            "device": .optional(device?.name), "file": .string(file),
            "finding": .string(problem), "remedy": .optional(advice),
            "command": .optional(command),
        ]
    }
}

extension Repair {
    /// The repair in the output of `tideline doctor --repair --json`.
    public var json: JSONValue {
        [
            "file": .string(file), "repair": .string(outcome), "done": .boolean(isDone),
            "kept": .optional(kept),
        ]
    }
}
