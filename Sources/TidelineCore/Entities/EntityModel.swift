import EntityStore
import GRDB
import KeyValueStore
import Replication

/// Entities: `Entities.db`.
struct EntityModel: DataModel {
    let kind = DatabaseKind.entities
    let table: LogTable? = LogTable(name: "log", mark: "timestamp")

    func parts(
        of package: StorePackage, in session: PackageSession
    ) -> [any SessionPart] {
        [
            EntitiesPart(
                package: package, device: session.device, isWritable: session.isWritable,
                arrivals: session.arrivals)
        ]
    }

    func singleStore(at path: String, bytes: [UInt8], tables: Set<String>) -> SingleStore? {
        let isCoreData = tables.contains("zentityrecord")
        guard isCoreData || tables.isSuperset(of: ["meta", "names", "log"]) else { return nil }
        let place: EntityContext.Place = isCoreData ? .coreData(path) : .log(path)
        let summary: @Sendable () throws -> EntitySummary = {
            try isCoreData ? .read(coreData: path) : .read(log: path)
        }
        return SingleStore(
            name: "entities", format: place.format, place: place,
            parts: { _ in
                [EntitiesPart(EntityContext(place: place, device: nil, isWritable: false))]
            },
            info: { StoreInfo.Section(try summary(), format: place.format, names: [:]) },
            comparisons: comparisons,
            examine: { doctor, findings in
                doctor.examineDatabaseFile(&findings) {
                    _ = try summary()
                    if !isCoreData { try doctor.examineLog(at: $0, &$1) }
                }
            })
    }

    func info(of package: StorePackage) throws -> StoreInfo.Section {
        guard EntitiesPart.isPresent(in: package) else { return StoreInfo.Section() }
        return StoreInfo.Section(
            try EntitySummary.read(package: package), format: "tideline-2",
            names: package.deviceNames())
    }

    func suggestion(forCopyAt path: String, in package: StorePackage) -> Suggestion {
        .importEntities(ofCopyAt: path, into: package)
    }

    func suggestion(forRestAt path: String, in package: StorePackage) -> Suggestion? {
        let copied = suggestion(forCopyAt: path, in: package)
        return Suggestion("merge its rows", copied.action, paths: copied.paths)
    }

    func comparisons(of stores: ComparedStores) async throws -> [any Comparison] {
        guard try stores.contain(kind) else { return [] }
        let (from, to) = try await stores.open(EntitiesPart.self, as: .entities)
        return [EntityComparison(from: from, to: to, prefix: stores.prefix)]
    }

    var tables: [Set<String>] { [["meta", "log", "names"]] }

    func examination(of db: Database) throws -> LogExamination? {
        try LogExamination(entityLog: db)
    }

    func examine(
        _ package: StorePackage, by doctor: Doctor, _ findings: inout DoctorFindings
    ) {
        let read = Result { try EntitySummary.read(package: package) }
        doctor.note(kind, package, &findings) { try read.get().devices }
        guard let own = doctor.own, let summary = try? read.get(),
            let row = summary.missingRows[own],
            summary.devices.first(where: { $0.device == own })?.unreadProblem == nil
        else { return }
        findings.add(
            "unknown-rows", .warning,
            (try? package.name(of: kind, of: own)) ?? kind.fileName, of: own,
            "another device has seen row \(row) of this log, which is missing, so no rows can be "
                + "added",
            advice: "if this log was deleted or restored from an older copy, replace it with a "
                + "newer copy; otherwise write as another device with --device")
    }

    func salvage(ofFileAt path: String) -> (any Salvage.Type)? { SalvagedEntityLog.self }
}

extension StoreInfo.Section {
    init(_ summary: EntitySummary, format: String?, names: [DeviceID: String]) {
        self.init(
            counts: [
                "entities": summary.entityCount, "properties": summary.propertyCount,
                "rows": summary.rowCount, "conflicts": summary.conflictCount,
            ],
            devices: summary.devices.map { status in
                var report = DeviceReport(
                    status, of: .entities, in: PaneID.entities.part, format: format,
                    name: names[status.device])
                report.oldest = summary.first[status.device]
                return report
            })
    }
}
