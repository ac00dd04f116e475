import Foundation
import GRDB
import KeyValueStore
public import Replication

/// What `tideline info` says of a path.
public struct StoreInfo: Sendable {
    public struct Device: Sendable {
        public var id: DeviceID
        public var name: String
        public var format: String?
        public var rows: Int
        public var keys: Int
        public var first: Timestamp?
        public var last: Timestamp?
        public var bytes: Int64
        public var state: String
        public var problem: String?
    }

    public var path: String
    public var kind: String
    public var format: String
    public var devices: [Device] = []
    /// By the names of the contract: `keys`, `rows`, `conflicts`, …
    public var counts: [String: Int] = [:]
    public var problems: [String] = []

    /// Looks at what is at `path`. Reads every log, changes nothing.
    ///
    /// - Throws: ``CoreError``, `ReplicationError`.
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
            try describeCatalogs(package)
        case .coreDataEntities, .entities: try describeEntities(kind, path)
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
            for finding in status.findings
            where status.problem?.contains(finding.name) != true {
                problems.append("\(status.device): \(finding.role.rawValue): \(finding.name)")
            }
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

    private mutating func describe(_ file: AutomergeFile) throws {
        let check = file.check()
        counts = ["documents": 1, "chunks": check.chunks.count]
        problems = check.warnings
        for chunk in check.chunks {
            guard let problem = chunk.problem else { continue }
            problems.append("byte \(chunk.problemOffset ?? chunk.offset): \(problem)")
        }
        // Of a damaged file the rest cannot be told.
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
