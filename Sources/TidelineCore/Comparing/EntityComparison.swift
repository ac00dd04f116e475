import EntityStore
import Replication

/// The comparison of the entities of two stores, or of one store at two instants, property by
/// property. The type of an entity counts as a property.
struct EntityComparison: Comparison {
    let from: DatedStore<EntityStore>
    let to: DatedStore<EntityStore>
    /// The comparison is limited to entities whose identifiers have this prefix.
    var prefix = ""
    /// The number of entities to read at a time.
    private static let window = 256

    func forEach(
        _ body: (StoreDifference) throws -> Void, warn: (ComparedSide, String) -> Void
    ) async throws {
        let (old, new) = (try await from.state, try await to.state)
        let identifiers = try await identifiers(of: old).union(identifiers(of: new)).sorted()
        let late = LateEntries(await from.store.devices, await to.store.devices, at: to.instant)
        for start in stride(from: 0, to: identifiers.count, by: Self.window) {
            let some = identifiers[start..<min(start + Self.window, identifiers.count)].map(\.text)
            let before = try await EntityState.states(of: some, in: old)
            let after = try await EntityState.states(of: some, in: new)
            for (place, identifier) in some.enumerated() {
                let (from, to) = (before[place], after[place])
                for var difference in differences(identifier, from, to, late) {
                    difference.itemTitle = to.title ?? from.title
                    try body(difference)
                }
            }
        }
    }

    private func identifiers(of store: EntityStore) async throws -> Set<Name> {
        Set(
            try await store.entities().compactMap { $0.identifier.map { Name($0) } }
                .filter { $0.hasPrefix(prefix) })
    }

    private func differences(
        _ entity: String, _ from: EntityState, _ to: EntityState, _ late: LateEntries
    ) -> [StoreDifference] {
        var differences: [StoreDifference] = []
        if from.type.map({ Name($0) }) != to.type.map({ Name($0) }) {
            differences.append(
                StoreDifference(
                    .property(entity: entity, "type"),
                    from: .init(from.type.map { .init(type: $0) }),
                    to: .init(to.type.map { .init(type: $0) }),
                    isLate: late.contain(from.newest, newerThan: to.newest)))
        }
        let keys = Set(from.properties.keys).union(to.properties.keys).sorted()
        for key in keys {
            let (old, new) = (from.properties[key] ?? [], to.properties[key] ?? [])
            guard old.map(\.property.comparable) != new.map(\.property.comparable) else { continue }
            differences.append(
                StoreDifference(
                    .property(entity: entity, key.text),
                    from: .init(StoreDifference.Value(old), device: old.first?.author),
                    to: .init(StoreDifference.Value(new), device: new.first?.author),
                    isLate: late.contain(old.first, newerThan: new.first)))
        }
        return differences
    }
}

extension DatedStore<EntityStore> {
    fileprivate var state: EntityStore {
        get async throws {
            if let instant { try await store.snapshot(at: instant) } else { store }
        }
    }
}

/// The rows of the first store that have not arrived in the second.
private struct LateEntries {
    private let ends: LogEnds
    /// Whether all rows of the second store are also in the first store.
    private let isBehind: Bool

    init(_ from: [DeviceStatus], _ to: [DeviceStatus], at instant: Timestamp?) {
        func newest(_ devices: [DeviceStatus]) -> [DeviceID: Timestamp] {
            Dictionary(devices.map { ($0.device, $0.last ?? .distantPast) }) { $1 }
        }
        let (old, new) = (newest(from), newest(to))
        ends = LogEnds(newest: new, instant: instant)
        isBehind =
            instant == nil && new.allSatisfy { $0.value <= old[$0.key] ?? .distantPast }
            && old.contains { $0.value > new[$0.key] ?? .distantPast }
    }

    /// Returns whether an entry of the first store has not arrived in the second store. `other` is
    /// the second store's newest entry in the same place.
    func contain(_ entry: PropertyEntry?, newerThan other: PropertyEntry?) -> Bool {
        // Removals have no entries. If one store is behind the other, assume that the removal has
        // not arrived either.
        if isBehind { return true }
        guard let entry,
            other.map({ ($0.written, $0.id.device) < (entry.written, entry.id.device) }) ?? true
        else { return false }
        return ends.lack(entry.written, of: entry.id.device)
    }
}

/// The type and title of an entity and the visible values of its properties; all empty if the
/// entity doesn't exist.
private struct EntityState {
    let type: String?
    let title: String?
    /// The entries of each property, newest first.
    var properties: [Name: [PropertyEntry]] = [:]

    /// The newest entry of any property.
    var newest: PropertyEntry? {
        properties.values.compactMap(\.first).max { $0.written < $1.written }
    }

    static func states(
        of identifiers: [String], in store: EntityStore
    ) async throws -> [EntityState] {
        let references = identifiers.map { EntityReference.identifier($0) }
        let records = try await store.records(of: references, keys: EntityRecord.nameKeys)
        let entries = try await store.entries(of: references)
        return zip(records, entries).map { record, entries in
            var state = EntityState(type: record?.type, title: record?.title)
            for entry in entries where !entry.isRemoved {
                state.properties[Name(entry.key), default: []].append(entry)
            }
            return state
        }
    }
}

extension Property {
    /// The parts that determine whether two values are equal.
    fileprivate var comparable: Comparable { Comparable(value: value, type: Name(type)) }

    fileprivate struct Comparable: Hashable {
        let value: EntityValue
        let type: Name
    }
}

extension StoreDifference.Value {
    fileprivate init(type: String) { self.init(.string(type), TypedText(.string, type)) }

    /// Creates the value of a property. Returns `nil` if the property has no value.
    fileprivate init?(_ entries: [PropertyEntry]) {
        guard let newest = entries.first?.property else { return nil }
        let values = entries.map { JSONValue.verbatim($0.property.value.json) }
        if values.count == 1 {
            let typed = TypedText(newest.value)
            self.init(
                values[0], text: typed.text, type: newest.type,
                hasWords: [.string, .json].contains(typed.kind))
        } else {
            let texts = entries.map { TypedText($0.property.value).text }
            self.init(
                .array(values), text: texts.joined(separator: "\n"), type: newest.type,
                hasWords: true)
        }
    }
}
