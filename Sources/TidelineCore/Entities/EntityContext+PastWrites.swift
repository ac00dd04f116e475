import EntityStore
import Replication

/// The writes to entities at an instant of the past.
extension EntityContext {
    /// The maximum number of writes to show.
    private static let shownWrites = 20

    /// Returns the rows of an instant, each with the previous value of its property. The entities
    /// have their names at the instant.
    func writes(at instant: Timestamp, device: DeviceID?) async throws -> [PastWrite] {
        guard let store else { return [] }
        let writes = await store.writes(at: instant, device: device, limit: Self.shownWrites)
        guard !writes.isEmpty else { return [] }
        let names = try await names(of: Set(writes.map { Name($0.identifier) }), at: instant)
        return writes.map { write in
            let name = names[Name(write.identifier)] ?? write.identifier
            let isDeletion = if case .deleted = write.kind { true } else { false }
            let (lead, values) = Self.description(write.kind, of: name)
            return PastWrite(
                .device(write.device), lead, values: values,
                link: isDeletion
                    ? nil : Detail.Link(pane: .entities, row: RowID(write.identifier)))
        }
    }

    /// Returns the names of entities at an instant. An entity that was deleted at the instant has
    /// its last name.
    private func names(
        of identifiers: Set<Name>, at instant: Timestamp
    ) async throws -> [Name: String] {
        var names: [Name: String] = [:]
        func note(_ store: EntityStore?) async throws {
            let missing = identifiers.filter { names[$0] == nil }.map(\.text)
            guard let store, !missing.isEmpty else { return }
            let records = try await store.records(
                of: missing.map { .identifier($0) }, keys: EntityRecord.nameKeys)
            for record in records.compactMap(\.self) {
                names[Name(record.identifier)] = record.title
            }
        }
        // The screen shows the snapshot of this instant, so the snapshot is cached.
        try await note(store(at: instant))
        if identifiers.count > names.count, instant > .distantPast {
            let before = Timestamp(microseconds: instant.microseconds - 1)
            try await note(store?.snapshot(at: before))
        }
        return names
    }

    private static func description(
        _ kind: EntityWrite.Kind, of name: String
    ) -> (lead: String, values: [String]) {
        switch kind {
        case .made(let type): ("created \(name)" + (type.isEmpty ? "" : " (\(type))"), [])
        case .deleted: ("deleted \(name)", [])
        case .set(let key, let value, let before?):
            ("set \(name) › \(key): ", [before.shortText, value.shortText])
        case .set(let key, let value, nil): ("set \(name) › \(key): ", [value.shortText])
        }
    }
}
