import EntityStore
import Replication

/// What was written about entities at an instant of the past.
extension EntityContext {
    /// More than these nobody reads in one line.
    private static let shownWrites = 20

    /// The rows of an instant, each with the value that its property had before. Entities are called
    /// what they were called then.
    func writes(at instant: Timestamp, device: DeviceID?) async throws -> [PastWrite] {
        guard let store else { return [] }
        let writes = await store.writes(at: instant, device: device, limit: Self.shownWrites)
        guard !writes.isEmpty else { return [] }
        let names = try await names(of: Set(writes.map { Name($0.identifier) }), at: instant)
        return writes.map { write in
            let name = names[Name(write.identifier)] ?? write.identifier
            let isDeletion = if case .deleted = write.kind { true } else { false }
            let (lead, values) = Self.told(write.kind, of: name)
            return PastWrite(
                .device(write.device), lead, values: values,
                link: isDeletion
                    ? nil : Detail.Link(pane: .entities, row: RowID(write.identifier)))
        }
    }

    /// What entities were called at an instant; those that were deleted then, right before it.
    private func names(
        of identifiers: Set<Name>, at instant: Timestamp
    ) async throws -> [Name: String] {
        var names: [Name: String] = [:]
        func note(_ store: EntityStore?) async throws {
            let missing = identifiers.filter { names[$0] == nil }.map(\.text)
            guard let store, !missing.isEmpty else { return }
            let records = try await store.records(
                of: missing.map { .identifier($0) }, keys: EntityRow.nameKeys)
            for record in records.compactMap(\.self) {
                names[Name(record.identifier)] =
                    EntityRow(record: record, now: .distantPast, deviceName: \.name).name
            }
        }
        // The state that is shown at the instant, and kept for that.
        try await note(store(at: instant))
        if identifiers.count > names.count, instant > .distantPast {
            let before = Timestamp(microseconds: instant.microseconds - 1)
            try await note(store?.snapshot(at: before))
        }
        return names
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
