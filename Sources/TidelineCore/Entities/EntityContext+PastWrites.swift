import EntityStore
import Replication

/// What was written about entities at an instant of the past.
extension EntityContext {
    /// More than these nobody reads in one line.
    private static let shownWrites = 20

    /// The rows of an instant, each with the value that its property had before.
    func writes(at instant: Timestamp, device: DeviceID?) async throws -> [PastWrite] {
        guard let store else { return [] }
        let writes = await store.writes(at: instant, device: device, limit: Self.shownWrites)
        let records = try await store.records(
            of: writes.map { .identifier($0.identifier) }, keys: EntityRow.nameKeys)
        return zip(writes, records).map { write, record in
            let name =
                record.map { EntityRow(record: $0, now: .distantPast, deviceName: \.name).name }
                ?? write.identifier
            let isDeletion = if case .deleted = write.kind { true } else { false }
            let (lead, values) = Self.told(write.kind, of: name)
            return PastWrite(
                .device(write.device), lead, values: values,
                link: isDeletion
                    ? nil : Detail.Link(pane: .entities, row: RowID(write.identifier)))
        }
    }

    private static func told(
        _ kind: EntityWrite.Kind, of name: String
    ) -> (lead: String, values: [String]) {
        switch kind {
        case .made(let type): ("made \(name)" + (type.isEmpty ? "" : ", a \(type)"), [])
        case .deleted: ("deleted \(name)", [])
        case .set(let key, let value, let before?):
            ("set \(key) of \(name): ", [before.shortText, value.shortText])
        case .set(let key, let value, nil): ("set \(key) of \(name): ", [value.shortText])
        }
    }
}
