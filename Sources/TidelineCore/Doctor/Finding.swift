public import Replication

/// Something that is not as it should be in a store's files, and what to do about it.
public struct Finding: Hashable, Sendable {
    /// How much it matters, the least first.
    public enum Severity: String, Hashable, Sendable, Comparable, CaseIterable {
        /// Nothing is lost and nothing need be done.
        case note
        /// Something is left out, or waits for somebody.
        case warning
        /// A file cannot be read, or not to its end.
        case error

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rank < rhs.rank }
    }

    /// A stable name of what was found: `damaged`, `gap`, `conflict-copy`.
    public let code: String
    /// How much it matters.
    public let severity: Severity
    /// The device whose file it is; `nil` where it is nobody's or everybody's.
    public let device: DeviceID?
    /// The file: its path within the package, or the path that was given.
    public let file: String
    /// What is wrong, as a sentence without a full stop.
    public let problem: String
    /// What to do, as a sentence without a full stop; `nil` where nothing need be done.
    public let advice: String?
    /// A command line that does it, ready for a shell.
    public let command: String?
    /// What ``Doctor/repair()`` does about it.
    let mending: Mending?
}

/// What is done about a file of this device's own.
enum Mending: Hashable, Sendable {
    /// What can be read of a database goes to a new file in its place.
    case rebuild(String, DatabaseKind)
    /// A transaction that was broken off is taken back, as the next write would.
    case settle(String)
    /// A file gets a name under which nothing reads it.
    case putAside(String)
    /// A file without any data of its own is deleted.
    case remove(String)

    var path: String {
        switch self {
        case .rebuild(let path, _), .settle(let path), .putAside(let path), .remove(let path): path
        }
    }
}

/// What became of an attempt to mend a file.
public struct Repair: Hashable, Sendable {
    /// The file, as ``Finding/file`` names it.
    public let file: String
    /// What was done, or could not be, as a sentence without a full stop.
    public let outcome: String
    /// Whether it was done.
    public let isDone: Bool
    /// Where what was replaced is kept.
    public let kept: String?
}

/// Findings as they are gathered.
struct Findings {
    /// More of one kind are counted, not told: a hostile folder has as many as it likes.
    private static let most = 100

    private(set) var all: [Finding] = []
    private var counts: [String: Int] = [:]
    /// The files that cannot be read, or not to their ends: other checks would say so once more.
    private(set) var spoilt: Set<Name> = []
    /// Whether a file was being written and tells more in a moment.
    var isEarly = false

    mutating func add(
        _ code: String, _ severity: Finding.Severity, _ file: String, of device: DeviceID? = nil,
        _ problem: String, advice: String? = nil, command: String? = nil, mending: Mending? = nil
    ) {
        if severity == .error { spoilt.insert(Name(file)) }
        counts[code, default: 0] += 1
        guard counts[code, default: 0] <= Self.most else { return }
        all.append(
            Finding(
                code: code, severity: severity, device: device, file: file, problem: problem,
                advice: advice, command: command, mending: mending))
    }

    /// Notes that no other check need tell of a file.
    mutating func spoil(_ file: String) { spoilt.insert(Name(file)) }

    /// All of them, those that matter most first, else in the order in which they were found.
    var sorted: [Finding] {
        var all = all
        for (code, count) in counts.sorted(by: { $0.key < $1.key }) where count > Self.most {
            guard let first = all.first(where: { $0.code == code }) else { continue }
            all.append(
                Finding(
                    code: code, severity: first.severity, device: nil, file: "",
                    problem: "\(count - Self.most) more of the kind were found", advice: nil,
                    command: nil, mending: nil))
        }
        return all.enumerated().sorted {
            $0.element.severity == $1.element.severity
                ? $0.offset < $1.offset : $0.element.severity > $1.element.severity
        }.map(\.element)
    }
}
