import KeyValueStore
import Replication

/// The output of `tideline info`.
public struct StoreInfo: Sendable {
    /// The path as given.
    public var path: String
    /// The kind of store, as in ``StoreKind/name``.
    public var kind: String
    /// The format of the logs, or `mixed`.
    public var format: String
    /// The devices of a package, in byte order of their ids.
    public var devices: [SessionStatus.Device] = []
    /// The counts, by their JSON names: `keys`, `rows`, `conflicts`, …
    public var counts: [String: Int] = [:]
    /// All problems, one line each.
    public var problems: [String] = []
    /// The damage of a store that is a single file, if a part of the file can't be read; otherwise
    /// `nil`. The chunks of a damaged store and their problems are still counted and listed.
    public var damage: String?

    /// Reads the store at `path`, including every log. Writes nothing.
    ///
    /// - Parameter models: The data models that a package may contain.
    /// - Throws: ``CoreError``, `ReplicationError`.
    /// - Complexity: Opens all logs, and reads the rows of every conflict.
    package init(of path: String, models: [any DataModel] = DataModels.standard) throws {
        let kind = try StoreKind(of: path, models: models)
        self.path = path
        self.kind = kind.name
        format = kind.format ?? ""
        switch kind {
        case .package(let package):
            add(try models.map { try $0.info(of: package) } + [.package(package)])
            counts["rows"] = devices.reduce(0) { $0 + $1.rows }
            // List conflict copies that no other problem names.
            problems += try package.devices().flatMap { folder in
                folder.findings.filter { finding in
                    !problems.contains {
                        $0.hasPrefix("\(folder.id.name):") && $0.contains(finding.name)
                    }
                }.map { "\(folder.id): \($0.name.quoted) is \($0.explanation)" }
            }
        case .single(let store): add([try store.info()])
        }
    }

    /// Merges the contributions of all data models.
    private mutating func add(_ sections: [Section]) {
        devices = SessionStatus.Device.merging(sections.flatMap(\.devices))
            .sorted { $0.id < $1.id }
        var known = Set(problems)
        for section in sections {
            counts.merge(section.counts) { $0 + $1 }
            let ofDevices = section.devices.flatMap { report in
                ((report.problem.map { [$0] } ?? []) + report.notes)
                    .map { "\(report.device): \($0)" }
            }
            // A problem that several stores report is listed once.
            problems += ofDevices.filter { known.insert($0).inserted } + section.problems
            damage = damage ?? section.damage
        }
        guard format.isEmpty else { return }
        format = Self.format(of: Set(devices.compactMap(\.format)))
    }

    /// Returns the format of a package whose devices have these formats.
    static func format(of formats: Set<String>) -> String {
        switch formats.count {
        case 0: LogFormat.tideline2.rawValue
        case 1: formats.first ?? ""
        default: "mixed"
        }
    }
}

extension StoreInfo {
    /// The contribution of one data model to the output.
    package struct Section {
        /// The counts, by their JSON names: `keys`, `rows`, `conflicts`, …
        package var counts: [String: Int] = [:]
        /// The state of each device in this store.
        package var devices: [DeviceReport] = []
        /// Problems that don't belong to a device, one line each.
        package var problems: [String] = []
        /// The damage of a store that is a single file; `nil` if the file isn't damaged.
        package var damage: String?
    }
}
