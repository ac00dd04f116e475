import EntityStore
import Replication

/// The writers of the words in an entity's properties, found by comparing the values that each
/// write replaced.
extension EntityContext {
    /// The maximum number of values of a property to compare. Words that are older than these
    /// values have an unknown writer.
    private static let comparedWrites = 200

    /// Whether the log records the writer of each value. Files of the original Datastore don't.
    var hasAuthors: Bool {
        if case .coreData = place { false } else { true }
    }

    /// Returns the texts of an entity's properties with the device that wrote each word; `nil` if
    /// the entity or the property doesn't exist.
    ///
    /// - Parameter key: The property; `nil` for all properties.
    /// - Complexity: The complexity of reading all logs, and of comparing up to 200 values per
    ///   property word by word.
    func writtenTexts(
        ofEntity identifier: String, key: String?, at instant: Timestamp?
    ) async throws -> WrittenTexts? {
        let reference = EntityReference.identifier(identifier)
        guard hasAuthors, let store = try await store(at: instant),
            let record = try await store.records(of: [reference])[0]
        else { return nil }
        let lineages = try await store.lineages(
            of: reference, keys: key.map { [$0] }, limit: Self.comparedWrites)
        if key != nil, lineages.isEmpty { return nil }
        let values = lineages.flatMap { key, lineage in
            lineage.currentValues.map { (key: key, value: $0) }
        }
        let texts = try await named(
            values.flatMap { $0.value.texts(in: $0.key) }, ofRelationsOf: record, in: store)
        let title = key.map { record.title(of: $0) } ?? record.title
        return WrittenTexts(title, texts, isCut: values.contains(where: \.value.isCut)) {
            $0.name { name(of: $0) }
        }
    }

    /// Returns the texts with the names of related entities instead of their identifiers.
    private func named(
        _ texts: [WrittenText], ofRelationsOf record: EntityRecord, in store: EntityStore
    ) async throws -> [WrittenText] {
        let relations = record.properties.filter { $0.property.value.relationship != nil }
        let keys = Set(relations.map { Name($0.key) })
        let targets = record.targets
        let records = try await store.records(of: targets, keys: EntityRecord.nameKeys)
        var names: [String: String] = [:]
        for (target, record) in zip(targets, records) {
            names[EntityValue.relationship(target).shortText] = record.map { "→ \($0.name)" }
        }
        return texts.map { text in
            var text = text
            if keys.contains(Name(text.label)), text.parts.count == 1,
                let name = names[text.parts[0].text]
            {
                text.parts[0].text = name
            }
            return text
        }
    }
}

extension EntityStore.Lineage {
    /// The property's current values, newest first, with the writer of each word.
    fileprivate var currentValues: [AuthoredValue<EntityValue>] {
        var versions: [Int: AuthoredValue<EntityValue>] = [:]
        // Each write is listed before the writes that it replaced.
        for (place, write) in writes.enumerated().reversed() {
            let writer = TextWriter(.device(write.entry.author), at: write.entry.authored)
            versions[place] = AuthoredValue(
                write.entry.property.value, by: write.replacesOthers ? .unknown : writer,
                after: write.parents.compactMap { versions[$0] })
        }
        return writes.indices.filter { writes[$0].side != nil }
            .sorted { (writes[$0].side ?? 0) < (writes[$1].side ?? 0) }
            .compactMap { versions[$0] }
    }
}
