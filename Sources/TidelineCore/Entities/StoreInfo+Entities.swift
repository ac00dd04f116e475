import EntityStore
import KeyValueStore
import Replication

extension StoreInfo.Section {
    /// Reads the counts of a package's `Entities.db` files, if any.
    static func entities(_ package: StorePackage) throws -> Self {
        guard EntitiesPart.isPresent(in: package) else { return Self() }
        return Self(
            try EntitySummary.read(package: package), format: "tideline-2",
            names: package.deviceNames())
    }

    /// Reads the counts of a single file of entities.
    static func entities(_ kind: StoreKind, _ path: String) throws -> Self {
        let summary =
            kind == .coreDataEntities
            ? try EntitySummary.read(coreData: path) : try EntitySummary.read(log: path)
        return Self(summary, format: kind.format, names: [:])
    }

    private init(_ summary: EntitySummary, format: String?, names: [DeviceID: String]) {
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
