public import Replication

/// The state of a device in one store.
public struct DeviceReport: Hashable, Sendable {
    /// The result of reading the device's file, in order of severity.
    public enum State: String, Hashable, Sendable, Comparable, CaseIterable {
        /// The device has no file in this store.
        case absent
        /// The file is completely read.
        case ok
        /// The file is completely read, but a check found damage, for example in an index.
        case damaged
        /// Only a part of the file has arrived so far.
        case incomplete
        /// The file can't be read.
        case unreadable

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rank < rhs.rank }
    }

    /// The device id: the name of its folder.
    public var device: DeviceID
    /// The store, by the name of its part: `keys`, `entities`.
    public var store: String
    /// The kind of database, if the store has one file per device.
    public var kind: DatabaseKind?
    /// The device's display name, if the store knows it.
    public var name: String?
    /// Whether problems are shown without the store's name, because users expect this store.
    public var isPlain = false
    /// Whether this is the writing device.
    public var isOwn = false
    /// The result of reading the file.
    public var state: State
    /// Whether the file was incomplete when first read. It is checked again soon.
    public var isEarly = false
    /// The reason why the state isn't `ok`.
    public var problem: String?
    /// The kind of failure if some of the device's rows can't be read; otherwise `nil`.
    package var unreadCategory: ErrorCategory?
    /// Whether the newest row is so far in the future that the device's clock must be wrong.
    public var hasClockProblem = false
    /// Further problems, for example with the clock.
    public var notes: [String] = []
    /// Conflict copies of the device's files, left by a sync service.
    public var copies: [String] = []
    /// Remarks that are shown only in the device's detail.
    public var remarks: [String] = []
    /// The format of the file; `nil` if no readable file exists.
    public var format: String?
    /// The number of rows read.
    public var rows = 0
    /// The number of keys among the rows; `0` if the store has no keys.
    public var keys = 0
    /// The oldest timestamp.
    public var oldest: Timestamp?
    /// The newest timestamp.
    public var newest: Timestamp?
    /// The size of the file in bytes.
    public var bytes: Int64 = 0

    /// Creates a report. The store sets the other properties.
    public init(_ device: DeviceID, in store: String, state: State, problem: String? = nil) {
        self.device = device
        self.store = store
        self.state = state
        self.problem = problem
    }

    /// Creates a report from a follower's status.
    package init(
        _ status: DeviceStatus, of kind: DatabaseKind, in store: String, format: String?,
        name: String? = nil
    ) {
        self.init(
            status.device, in: store, state: State(rawValue: status.state.rawValue) ?? .unreadable,
            problem: status.advisedProblem)
        self.kind = kind
        self.format = format
        self.name = name
        isOwn = status.isOwn
        isEarly = status.isEarly
        unreadCategory = status.unreadCategory
        rows = status.rows
        keys = status.keys
        oldest = status.first
        newest = status.last
        hasClockProblem = status.hasClockProblem
        bytes = status.bytes
    }

    /// Records a finding about a file that could be read without problems.
    fileprivate mutating func note(_ finding: DoctorFinding) {
        guard state == .ok else { return }
        notes = (problem.map { [$0] } ?? []) + notes
        (state, problem) = (.damaged, finding.problem)
    }

    /// All problems as separate texts.
    fileprivate var problems: [String] { (problem.map { [$0] } ?? []) + notes + copies }

    /// Returns a problem as shown together with problems of other stores.
    fileprivate func labeled(_ problem: String) -> String {
        isPlain ? problem : "\(store): \(problem)"
    }
}

extension SessionStatus {
    /// The merged state of one device over all stores.
    public struct Device: Hashable, Sendable {
        /// The device id: the name of its folder.
        public var id: DeviceID
        /// The device's display name.
        public var name: String
        /// `ok`, `damaged`, `incomplete`, `unreadable`, `absent`: the worst state in any of its
        /// stores.
        public var state: String
        /// The reason why the state isn't `ok`.
        public var problem: String?
        /// The number of rows read, over all stores.
        public var rows = 0
        /// The newest timestamp.
        public var newest: Timestamp?
        /// Whether this is the writing device.
        public var isOwn = false
        /// The report of each store.
        public var stores: [DeviceReport] = []

        /// Merges the reports of one device. At least one report is required.
        private static func merging(_ first: DeviceReport, _ stores: [DeviceReport]) -> Self {
            // A device that has entities isn't absent, even if it has no keys.
            let state = stores.map(\.state).max() ?? first.state
            return Self(
                id: first.device,
                name: stores.lazy.compactMap(\.name).first ?? first.device.name,
                state: state.rawValue,
                // An unreadable file is a problem even if other stores are fine.
                problem: stores.first { $0.state == state && $0.problem != nil }?.problem
                    ?? stores.lazy.compactMap { report in report.problem.map(report.labeled) }.first,
                rows: stores.reduce(0) { $0 + $1.rows },
                newest: stores.compactMap(\.newest).max(), isOwn: stores.contains(where: \.isOwn),
                stores: stores)
        }

        /// Merges the reports of each device, in the order of their first reports. This device is
        /// left out until its first write.
        ///
        /// - Complexity: O(*n*) in the number of reports.
        static func merging(_ reports: [DeviceReport]) -> [Self] {
            var places: [DeviceID: Int] = [:]
            var groups: [[DeviceReport]] = []
            for report in reports {
                if let place = places[report.device] {
                    groups[place].append(report)
                } else {
                    places[report.device] = groups.count
                    groups.append([report])
                }
            }
            return groups.compactMap { group in
                guard let first = group.first,
                    !group.allSatisfy({ $0.isOwn && $0.state == .absent && $0.rows == 0 })
                else { return nil }
                return merging(first, group)
            }
        }

        /// Merges the devices of all parts and adds the findings of the file check.
        ///
        /// - Complexity: O(*n*) in the number of devices and findings.
        static func merging(_ parts: [PartStatus]) -> [Self] {
            var reports = parts.flatMap(\.devices)
            let errors = parts.flatMap { $0.findings ?? [] }.filter { $0.severity == .error }
            guard !errors.isEmpty else { return merging(reports) }
            let found = Dictionary(
                keepingFirst: errors.compactMap { finding in finding.place.map { ($0, finding) } })
            for index in reports.indices {
                guard let kind = reports[index].kind else { continue }
                let place = DeviceFile(reports[index].device, kind)
                if let finding = found[place] { reports[index].note(finding) }
            }
            return merging(reports)
        }

        /// Returns the problem as shown below the device's name, without the folder in its paths.
        package func problem(inStoreAt path: String) -> String? {
            problem.map { problem in
                ["Devices", "devices"].reduce(problem.withRelativePaths(inStoreAt: path)) {
                    $0.replacing("\($1)/\(id.name)/", with: "")
                }
            }
        }

        /// All problems in any store, without duplicates.
        var problems: [String] {
            var known: Set<String> = []
            return stores.flatMap { report in
                report.problems.filter { known.insert($0).inserted }.map(report.labeled)
            }
        }
        /// Whether a store has rows that can only come from a wrong clock.
        var hasClockProblem: Bool { stores.contains(where: \.hasClockProblem) }
        /// Whether a store has checked its file only once so far.
        var isEarly: Bool { stores.contains(where: \.isEarly) }
        /// Further remarks for the device's detail.
        var remarks: [String] { stores.flatMap(\.remarks) }
        /// The format of the device's files. If there are several formats, the format of the keys.
        public var format: String? { stores.lazy.compactMap(\.format).first }
        /// The oldest timestamp.
        public var oldest: Timestamp? { stores.compactMap(\.oldest).min() }
        /// The number of keys among the device's rows.
        public var keys: Int { stores.reduce(0) { $0 + $1.keys } }
        /// The size of the device's files in bytes.
        public var bytes: Int64 { stores.reduce(0) { $0 &+ $1.bytes } }
    }
}

extension DoctorFinding {
    /// The device's database that the finding is about, if any.
    fileprivate var place: DeviceFile? {
        guard let device,
            let kind = DatabaseKind(fileName: String(file.split(separator: "/").last ?? ""))
        else { return nil }
        return DeviceFile(device, kind)
    }
}
