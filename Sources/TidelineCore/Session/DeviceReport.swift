public import Replication

/// What one store has of a device.
public struct DeviceReport: Hashable, Sendable {
    /// How reading the device's file went, the mildest first.
    public enum State: String, Hashable, Sendable, Comparable {
        /// The device has no such file.
        case absent
        /// All of it is read.
        case ok
        /// All of it is read, and looking at the whole file has found it damaged: in an index, say.
        case damaged
        /// A part is there, and the rest is waited for.
        case incomplete
        /// It cannot be read.
        case unreadable

        private var rank: Int {
            switch self {
            case .absent: 0
            case .ok: 1
            case .damaged: 2
            case .incomplete: 3
            case .unreadable: 4
            }
        }

        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rank < rhs.rank }
    }

    /// The device, by the name of its folder.
    public var device: DeviceID
    /// Which store, as its part is named: `keys`, `entities`.
    public var store: String
    /// What people call the device, where the store knows.
    public var name: String?
    /// Whether a person takes a problem of the device for one of this store anyway.
    public var isPlain = false
    /// Whether it is the device that writes go to as.
    public var isOwn = false
    /// How reading its file went.
    public var state: State
    /// Whether its file was half there at a first look: it is looked at again in a moment.
    public var isEarly = false
    /// Why the state is not `ok`.
    public var problem: String?
    /// Whether its newest row is so far ahead that its clock must be wrong.
    public var hasClockProblem = false
    /// What else is wrong, as with its clock.
    public var notes: [String] = []
    /// Other versions of its files that a sync service left.
    public var copies: [String] = []
    /// What is worth a line where the device is looked at, and nowhere else.
    public var remarks: [String] = []
    /// The form of the file; `nil` where there is none that can be read.
    public var format: String?
    /// How many rows of it are read.
    public var rows = 0
    /// How many keys it has rows of; `0` where the store has none.
    public var keys = 0
    /// Its oldest timestamp.
    public var first: Timestamp?
    /// Its newest timestamp.
    public var newest: Timestamp?
    /// The size of its file in bytes.
    public var bytes: Int64 = 0

    /// A report of how reading went; everything else is for the store to fill in.
    public init(_ device: DeviceID, in store: String, state: State, problem: String? = nil) {
        self.device = device
        self.store = store
        self.state = state
        self.problem = problem
    }

    /// What a store has of a device, as its follower knows it.
    init(_ status: DeviceStatus, in store: String, format: String?) {
        self.init(
            status.device, in: store, state: State(rawValue: status.state.rawValue) ?? .unreadable,
            problem: status.problem)
        self.format = format
        isOwn = status.isOwn
        isEarly = status.isEarly
        rows = status.rows
        keys = status.keys
        first = status.first
        newest = status.last
        hasClockProblem = status.hasClockProblem
        bytes = status.bytes
    }

    /// Notes what is wrong with a file of which reading it has met nothing.
    fileprivate mutating func note(_ finding: Finding) {
        guard state == .ok else { return }
        notes = (problem.map { [$0] } ?? []) + notes
        (state, problem) = (.damaged, finding.problem)
    }

    /// All that is wrong, each thing by itself.
    fileprivate var problems: [String] { (problem.map { [$0] } ?? []) + notes + copies }

    /// A problem as it is told beside those of other stores.
    fileprivate func told(_ problem: String) -> String {
        isPlain ? problem : "\(store): \(problem)"
    }
}

extension SessionStatus {
    /// What all stores together know of one device.
    public struct Device: Hashable, Sendable {
        /// The device, by the name of its folder.
        public var id: DeviceID
        /// What people call the device.
        public var name: String
        /// `ok`, `damaged`, `incomplete`, `unreadable`, `absent`: the worst of its stores.
        public var state: String
        /// Why it is not `ok`.
        public var problem: String?
        /// How many rows of it are read, in all stores.
        public var rows: Int
        /// Its newest timestamp.
        public var newest: Timestamp?
        /// Whether it is the device that writes go to as.
        public var isOwn: Bool
        /// What each store has of it.
        public var stores: [DeviceReport]

        /// A device as its stores tell of it.
        public init(
            id: DeviceID, name: String, state: String, problem: String? = nil, rows: Int = 0,
            newest: Timestamp? = nil, isOwn: Bool = false, stores: [DeviceReport] = []
        ) {
            self.id = id
            self.name = name
            self.state = state
            self.problem = problem
            self.rows = rows
            self.newest = newest
            self.isOwn = isOwn
            self.stores = stores
        }

        /// One device, of which there is at least one report.
        private init(_ first: DeviceReport, _ stores: [DeviceReport]) {
            // A device that has entities is not absent just because it has no keys.
            let state = stores.map(\.state).max() ?? first.state
            self.init(
                id: first.device,
                name: stores.lazy.compactMap(\.name).first ?? first.device.name,
                state: state.rawValue,
                // What one store cannot read is wrong though the others can be.
                problem: stores.first { $0.state == state && $0.problem != nil }?.problem
                    ?? stores.lazy.compactMap { report in report.problem.map(report.told) }.first,
                rows: stores.reduce(0) { $0 + $1.rows },
                newest: stores.compactMap(\.newest).max(), isOwn: stores.contains(where: \.isOwn),
                stores: stores)
        }

        /// One row a device, in the order in which the devices are told of first. This device is
        /// none of them before its first write.
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
                    !group.allSatisfy({ $0.isOwn && $0.state == .absent })
                else { return nil }
                return Self(first, group)
            }
        }

        /// One row a device, with what looking at all files has found besides.
        ///
        /// - Complexity: O(*n*) in the number of devices and findings.
        static func merging(_ parts: [PartStatus]) -> [Self] {
            var reports = parts.flatMap(\.devices)
            let errors = parts.flatMap { $0.findings ?? [] }.filter { $0.severity == .error }
            guard !errors.isEmpty else { return merging(reports) }
            let found = Dictionary(
                errors.map { ($0.place, $0) }, uniquingKeysWith: { first, _ in first })
            for index in reports.indices {
                let place = [reports[index].device.name, reports[index].store]
                if let finding = found[place] { reports[index].note(finding) }
            }
            return merging(reports)
        }

        /// Why it is not `ok`, as it is told below the device's name: by the names that its files
        /// have in its folder.
        package func problem(inStoreAt path: String) -> String? {
            problem.map { problem in
                ["Devices", "devices"].reduce(problem.told(inStoreAt: path)) {
                    $0.replacing("\($1)/\(id.name)/", with: "")
                }
            }
        }

        /// All that is wrong with it, in any store; what several stores say alike is told once.
        var problems: [String] {
            var known: Set<String> = []
            return stores.flatMap { report in
                report.problems.filter { known.insert($0).inserted }.map(report.told)
            }
        }
        /// Whether a store has rows of it that only a wrong clock can have written.
        var hasClockProblem: Bool { stores.contains(where: \.hasClockProblem) }
        /// Whether a store has yet to look at its file for a second time.
        var isEarly: Bool { stores.contains(where: \.isEarly) }
        /// What else there is to say of it where it is looked at.
        var remarks: [String] { stores.flatMap(\.remarks) }
        /// The form of its files; of several, that of its keys.
        public var format: String? { stores.lazy.compactMap(\.format).first }
        /// Its oldest timestamp.
        public var first: Timestamp? { stores.compactMap(\.first).min() }
        /// How many keys it has rows of.
        public var keys: Int { stores.reduce(0) { $0 + $1.keys } }
        /// The size of its files in bytes.
        public var bytes: Int64 { stores.reduce(0) { $0 &+ $1.bytes } }
    }
}

extension Finding {
    /// The device whose file it is about, and what its store is called.
    fileprivate var place: [String] {
        let kind = file.split(separator: "/").last.flatMap { DatabaseKind(fileName: String($0)) }
        let store: PaneID? =
            switch kind {
            case .logs: .keys
            case .entities: .entities
            case .documents: .documents
            case .catalog, nil: nil
            }
        return [device?.name ?? "", store?.part ?? ""]
    }
}
