import Foundation
import GRDB
import KeyValueStore
public import Replication

/// What `tideline info` says of a path.
public struct StoreInfo: Sendable {
    /// What is known of one device's file.
    public struct Device: Sendable {
        /// The device, by the name of its folder.
        public var id: DeviceID
        /// What people call it.
        public var name: String
        /// The form of its log; `nil` where it has none that can be read.
        public var format: String?
        /// How many rows are read.
        public var rows: Int
        /// How many keys it has rows of.
        public var keys: Int
        /// Its oldest timestamp.
        public var first: Timestamp?
        /// Its newest timestamp.
        public var last: Timestamp?
        /// The size of its file in bytes.
        public var bytes: Int64
        /// `ok`, `incomplete`, `unreadable` or `absent`.
        public var state: String
        /// Why it is not `ok`, or what else is wrong.
        public var problem: String?
    }

    /// The path as it was given.
    public var path: String
    /// What is there, by ``StoreKind/name``.
    public var kind: String
    /// The form that its logs have: one's name, or `mixed`.
    public var format: String
    /// Each device of a package, in byte order of identifiers.
    public var devices: [Device] = []
    /// By the names of the contract: `keys`, `rows`, `conflicts`, …
    public var counts: [String: Int] = [:]
    /// What is wrong, each thing in one line.
    public var problems: [String] = []

    /// Looks at what is at `path`. Reads every log, changes nothing.
    ///
    /// - Throws: ``CoreError``, `ReplicationError`.
    /// - Complexity: All logs are opened; of each conflict the rows are looked at.
    public init(of path: String) throws {
        let kind = try StoreKind(of: path)
        self.path = path
        self.kind = kind.name
        let path = StoreKind.resolved(path)
        format = kind.format ?? ""
        switch kind {
        case .package(let package):
            try describe(package)
            try describeEntities(package)
            try describeDocuments(package)
            try describeCatalogs(package)
            try describeFindings(package)
        case .coreDataEntities, .entities: try describeEntities(kind, path)
        case .coreDataDocuments, .storageFolder: try describeDocuments(at: path)
        case .automerge: try describe(try AutomergeFile(path))
        case .catalog:
            try countTables(path)
            describeCatalog(path)
        default: try countTables(path)
        }
    }

    private mutating func describe(_ package: StorePackage) throws {
        var configuration = KeyValueStore.Configuration()
        configuration.watchesFolder = false
        let store = KeyValueStore(package: package, device: nil, configuration: configuration)
        try store.load()
        var formats: Set<String> = []
        for status in store.devices {
            if let format = status.format { formats.insert(format.rawValue) }
            devices.append(
                Device(
                    id: status.device, name: status.name, format: status.format?.rawValue,
                    rows: status.rows, keys: status.keys, first: status.first, last: status.last,
                    bytes: status.bytes, state: status.state.rawValue, problem: status.problem))
            if let problem = status.problem { problems.append("\(status.device): \(problem)") }
            if status.hasClockProblem {
                problems.append("\(status.device): its clock is more than a day ahead")
            }
        }
        problems += try package.undecodableNames().map {
            "\($0): its name is not UTF-8, so it is not read; rename it"
        }
        format =
            switch formats.count {
            case 0: LogFormat.tideline2.rawValue
            case 1: formats.first ?? ""
            default: "mixed"
            }
        counts = [
            "keys": store.count, "rows": store.rowCount,
            "conflicts": store.conflictCount,
        ]
        do {
            counts["blobs"] = try package.blobs.entries().count
        } catch {
            problems.append("blobs: \(error.message)")
        }
    }

    /// Names what sync services left, where no other problem does.
    private mutating func describeFindings(_ package: StorePackage) throws {
        for folder in try package.devices() {
            for finding in folder.findings
            where !problems.contains(where: {
                $0.hasPrefix("\(folder.id):") && $0.contains(finding.name)
            }) {
                problems.append(
                    "\(folder.id): \(finding.name.debugDescription) is \(finding.explanation)")
            }
        }
        do {
            problems += try package.blobs.conflictCopies().map { copy in
                "blobs: \(copy.name.debugDescription) is \(copy.explanation); it is not read as a "
                    + "blob: look at it with tideline blobs get, then delete it with tideline blobs delete"
            }
        } catch {
            problems.append("blobs: \(error.message)")
        }
    }

    private mutating func describe(_ file: AutomergeFile) throws {
        let check = file.check()
        counts = ["documents": 1, "chunks": check.chunks.count]
        problems = check.warnings
        for chunk in check.chunks {
            guard let problem = chunk.problem else { continue }
            problems.append("byte \(chunk.problemOffset ?? chunk.offset): \(problem)")
        }
        // Nothing more can be said of a damaged file.
        guard let view = try? file.view() else { return }
        counts["conflicts"] = try view.conflictCount()
    }

    private mutating func countTables(_ path: String) throws {
        let outcome = try ForeignDatabase.read(path) { db in
            try Int.fetchOne(
                db,
                sql: """
                    SELECT count(*) FROM sqlite_master
                    WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
                    """)
        }
        if case .read(let count?, _) = outcome { counts["tables"] = count }
    }
}
