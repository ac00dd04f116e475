import KeyValueStore

/// What `tideline info` says of a path.
public struct StoreInfo: Sendable {
    /// The path as it was given.
    public var path: String
    /// What is there, by ``StoreKind/name``.
    public var kind: String
    /// The form that its logs have: one's name, or `mixed`.
    public var format: String
    /// Each device of a package, in byte order of identifiers.
    public var devices: [SessionStatus.Device] = []
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
            add([
                try .keyValue(package), try .entities(package), try .documents(package),
                try .catalogs(package), try .package(package),
            ])
            // What sync services left is named where no other problem names it.
            problems += try Section.findings(package).filter { finding in
                !problems.contains {
                    $0.hasPrefix("\(finding.subject):") && $0.contains(finding.name)
                }
            }.map(\.text)
        case .coreDataEntities, .entities: add([try .entities(kind, path)])
        case .coreDataDocuments, .storageFolder: add([try .documents(at: path)])
        case .automerge: add([try .document(path)])
        case .catalog: add([try .tables(path), .catalog(path)])
        default: add([try .tables(path)])
        }
    }

    /// Merges what each data model says.
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
            // What several stores say alike is told once.
            problems += ofDevices.filter { known.insert($0).inserted } + section.problems
        }
        guard format.isEmpty else { return }
        let formats = Set(devices.compactMap(\.format))
        format =
            switch formats.count {
            case 0: LogFormat.tideline2.rawValue
            case 1: formats.first ?? ""
            default: "mixed"
            }
    }
}
