import EntityStore
import Replication

extension StoreInfo.Section {
    /// Reads the counts of a single file of entities.
    static func entities(_ kind: StoreKind, _ path: String) throws -> Self {
        let summary =
            kind == .coreDataEntities
            ? try EntitySummary.read(coreData: path) : try EntitySummary.read(log: path)
        return Self(summary, format: kind.format, names: [:])
    }

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
