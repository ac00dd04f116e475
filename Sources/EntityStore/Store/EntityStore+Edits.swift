public import Replication

/// A write that can be undone.
public enum EntityEdit: Sendable {
    /// Creates an entity.
    case make(type: String, identifier: String?, PropertyDictionary)
    /// Sets each property to one value. With `keepsOthers`, adds the value to the property's other
    /// values.
    case set(EntityReference, PropertyDictionary, keepsOthers: Bool)
    /// Sets properties of several entities to one value each.
    case setEach([(entity: EntityReference, properties: PropertyDictionary)])
    /// Removes every entry of these properties that this store has seen.
    case remove(keys: [String], of: EntityReference)
    /// Removes these values of a property. Fails if the property has none of them.
    case removeValues([EntityValue], key: String, of: EntityReference)
    /// Removes single entries of a property with several values, and adds another entry. If this
    /// removes all visible entries, it has the same effect as setting the property.
    case replace([PropertyEntry.ID], key: String, with: Property?, of: EntityReference)
    /// Deletes entities. Fails if one is missing.
    case delete([EntityReference])
    /// Gives entities an earlier state.
    case restore([EntityRestoration])
    /// Undoes a write.
    case revert(EntityUndo)
}

/// An earlier state that an entity is restored to.
public struct EntityRestoration: Hashable, Sendable {
    /// The entity.
    @Name public var identifier: String
    /// The entity's type and creation date; `nil` if the entity didn't exist at that time, so that
    /// restoring deletes it.
    public var creation: Creation?
    /// The values of the properties to restore, newest last. A property without values is removed;
    /// other properties stay unchanged.
    public var properties: [Name: [Property]]

    /// The type and creation date of an entity.
    public struct Creation: Hashable, Sendable {
        /// The type.
        @Name public var type: String
        /// The date.
        public var datestamp: Timestamp

        /// Creates a type and a date.
        public init(type: String, datestamp: Timestamp) {
            self.type = type
            self.datestamp = datestamp
        }
    }

    /// Creates an earlier state.
    public init(
        _ identifier: String, creation: Creation?, properties: [Name: [Property]] = [:]
    ) {
        self.identifier = identifier
        self.creation = creation
        self.properties = properties
    }
}

/// A record that undoes a write. Using the record returns another record, which redoes the write.
/// You can encode a record, and use it after the store was closed and opened again.
public struct EntityUndo: Equatable, Sendable, Codable {
    /// Entities to restore, and entries to restore with their original datestamps.
    var restored: [EntityOperation] = []
    /// Entries to remove.
    var removed: [Removed] = []
    var deleted: Set<Name> = []
    /// The time of the write to undo.
    var written = Timestamp.distantPast

    struct Removed: Equatable, Sendable, Codable {
        @Name var identifier: String
        @Name var key: String
        var entries: [PropertyEntry.ID]
        /// The datestamps of the entries, because an entry that was removed and restored keeps its
        /// datestamp.
        var dates: [Timestamp] = []
    }

    /// Whether there is nothing to undo.
    public var isEmpty: Bool { restored.isEmpty && removed.isEmpty && deleted.isEmpty }

    /// The affected entities.
    public var entities: [EntityReference] {
        let written = restored.map { Name($0.identifier) } + removed.map { Name($0.identifier) }
        return deleted.union(written).sorted().map { .identifier($0.text) }
    }

    /// The properties that are in conflict again after undoing, by entity and key, with the devices
    /// of their sides, newest first.
    public var conflicts: [(identifier: String, key: String, devices: [DeviceID])] {
        var devices: [[Name]: [DeviceID]] = [:]
        for operation in restored.reversed() {
            guard case .entry(let key, _, _) = operation.action,
                let original = operation.side?.original
            else { continue }
            devices[[Name(operation.identifier), Name(key)], default: []].append(original.device)
        }
        return devices.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .filter { $0.value.count > 1 }
            .map { ($0.key[0].text, $0.key[1].text, $0.value) }
    }
}

extension EntityStore {
    /// Performs an edit in one transaction.
    ///
    /// - Returns: The affected entities, and a record that undoes the edit. Undoing removes only
    ///   entries that the edit added, and restores only entries that it removed, even if other
    ///   devices have written since the edit.
    /// - Throws: The errors of ``add(_:)``; ``EntityStoreError`` with code `.exists` if the entity
    ///   to create exists.
    /// - Complexity: O(*n*) in the number of entries that it writes or removes, and one
    ///   transaction.
    @discardableResult
    public func perform(_ edit: EntityEdit) throws -> (
        entities: [EntityReference], undo: EntityUndo
    ) {
        var draft = WriteDraft()
        var undo = EntityUndo()
        var entities: [EntityReference] = []
        switch edit {
        case .make(let type, let identifier, let properties):
            let made = try existing(
                .new(type, identifier: identifier, properties: properties), &draft)
            entities = [.identifier(made)]
        case .set(let reference, let properties, let keepsOthers):
            entities = [
                try set(
                    properties, of: reference, keepsOthers: keepsOthers, &draft, &undo)
            ]
        case .setEach(let changes):
            entities = try changes.map { reference, properties in
                try set(properties, of: reference, keepsOthers: false, &draft, &undo)
            }
        case .remove(let keys, let reference):
            let identifier = try existing(reference, &draft)
            entities = [.identifier(identifier)]
            for key in keys {
                undo.restored += current(identifier, key)
                draft.removeAll(key, of: identifier, in: graph)
            }
        case .removeValues(let values, let key, let reference):
            let identifier = try existing(reference, &draft)
            entities = [.identifier(identifier)]
            undo.restored = try remove(values, key, of: identifier, &draft)
            guard !undo.restored.isEmpty else {
                throw EntityStoreError(
                    .noSuchValue, "\(key.quoted) of \(reference) doesn't have this value")
            }
        case .replace(let entries, let key, let property, let reference):
            let identifier = try existing(reference, &draft)
            entities = [.identifier(identifier)]
            let visible = visible(entries, of: identifier, key)
            undo.restored += graph.restoration(of: visible.numbers)
            let areAll = !visible.numbers.isEmpty && visible.numbers == counting(identifier, key)
            if property == nil || !areAll {
                draft.remove(visible.entries, key: key, of: identifier, in: graph)
            }
            if let property {
                if !areAll, visible.numbers.contains(where: { graph.entries[Int($0)].wasSet }) {
                    draft.begin(sideOf: key, of: identifier)
                }
                var properties = PropertyDictionary()
                properties[key] = property
                try draft.add(properties, to: identifier, replacing: areAll, in: &graph)
            }
        case .delete(let references):
            var nodes: [UInt32] = []
            for reference in references {
                let identifier = try existing(reference, &draft)
                guard let node = graph.find(identifier), !nodes.contains(node) else { continue }
                nodes.append(node)
                draft.delete(identifier, in: graph)
            }
            entities = nodes.map { graph.reference(to: $0) }
            undo.restored = graph.restoration(ofEntities: nodes)
        case .restore(let states):
            // Entities can be related to each other, so create all of them before their properties.
            for state in states { try restoreExistence(of: state, &draft, &undo) }
            for state in states { try restoreProperties(of: state, &draft, &undo) }
            entities = states.map { .identifier($0.identifier) }
        case .revert(let taken):
            try revert(taken, &draft, &undo)
            entities = taken.entities
        }
        let firstEntry = graph.entries.count
        undo.deleted.formUnion(draft.made)
        try write(draft)
        noteWritten(from: firstEntry, &undo)
        undo.written = newestOwn ?? .distantPast
        return (entities, undo)
    }

    private func restoreExistence(
        of state: EntityRestoration, _ draft: inout WriteDraft, _ undo: inout EntityUndo
    ) throws {
        let node = graph.find(state.identifier)
        if let creation = state.creation {
            guard node == nil else { return }
            try draft.create(
                state.identifier, type: creation.type, date: creation.datestamp, in: graph)
        } else if let node {
            undo.restored += graph.restoration(ofEntities: [node])
            draft.delete(state.identifier, in: graph)
        }
    }

    private func restoreProperties(
        of state: EntityRestoration, _ draft: inout WriteDraft, _ undo: inout EntityUndo
    ) throws {
        guard state.creation != nil else { return }
        let identifier = state.identifier
        for (key, values) in state.properties.sorted(by: { $0.key < $1.key }) {
            undo.restored += current(identifier, key.text)
            guard !values.isEmpty else {
                draft.removeAll(key.text, of: identifier, in: graph)
                continue
            }
            for (index, value) in values.enumerated() {
                var properties = PropertyDictionary()
                properties[key.text] = value
                try draft.add(properties, to: identifier, replacing: index == 0, in: &graph)
            }
        }
    }

    private func set(
        _ properties: PropertyDictionary, of reference: EntityReference, keepsOthers: Bool,
        _ draft: inout WriteDraft, _ undo: inout EntityUndo
    ) throws -> EntityReference {
        let identifier = try existing(reference, &draft)
        if !keepsOthers {
            undo.restored += properties.keys.flatMap { current(identifier, $0) }
        }
        try draft.add(properties, to: identifier, replacing: !keepsOthers, in: &graph)
        return .identifier(identifier)
    }

    /// Returns operations that restore the visible entries of a property.
    private func current(_ identifier: String, _ key: String) -> [EntityOperation] {
        graph.restoration(of: counting(identifier, key))
    }

    /// Returns the visible entries of a property, newest first.
    private func counting(_ identifier: String, _ key: String) -> [UInt32] {
        slot(identifier, key).map { graph.visibleEntries(of: $0) } ?? []
    }

    /// Returns the visible entries among `entries`: their identifiers, and their numbers in the
    /// graph.
    func visible(
        _ entries: [PropertyEntry.ID], of identifier: String, _ key: String
    ) -> (entries: [PropertyEntry.ID], numbers: [UInt32]) {
        guard let slot = slot(identifier, key) else { return ([], []) }
        let wanted = Set(entries)
        let numbers = graph.visibleEntries(of: slot).filter {
            wanted.contains(graph.id(ofEntry: $0))
        }
        return (numbers.map { graph.id(ofEntry: $0) }, numbers)
    }

    private func revert(
        _ taken: EntityUndo, _ draft: inout WriteDraft, _ undo: inout EntityUndo
    ) throws {
        let deleted = taken.deleted.sorted().texts
        let nodes = deleted.compactMap { graph.find($0) }
        let ofDeleted = graph.restoration(ofEntities: nodes)
        undo.restored += ofDeleted
        for identifier in deleted { draft.delete(identifier, in: graph) }
        for removed in taken.removed where !taken.deleted.contains(removed.identifier) {
            guard let slot = slot(removed.identifier, removed.key) else { continue }
            let numbers = written(removed, in: slot)
            // Deleting an entity removed its incoming relationships, which are among the restored
            // entries.
            undo.restored += graph.restoration(of: numbers).filter { operation in
                !ofDeleted.contains(operation)
            }
            draft.remove(
                numbers.map { graph.id(ofEntry: $0) }, key: removed.key, of: removed.identifier,
                in: graph)
        }
        for operation in taken.restored {
            guard case .creation = operation.action else { continue }
            guard graph.find(operation.identifier) == nil else {
                throw EntityStoreError(
                    .exists, "the entity \(operation.identifier.quoted) exists again")
            }
            undo.deleted.insert(operation.identifier)
        }
        draft.append(taken.restored, in: graph)
    }

    /// Records the entries that a write added to existing entities.
    private func noteWritten(from first: Int, _ undo: inout EntityUndo) {
        for entry in graph.entries[first...] where entry.device == ownNumber {
            let slot = graph.slots[Int(entry.slot)]
            let identifier = graph.identifier(of: slot.node)
            let id = graph.id(of: entry)
            if undo.deleted.contains(identifier) { continue }
            let key = graph.names[slot.key]
            if let last = undo.removed.indices.last, Name(undo.removed[last].key) == Name(key),
                Name(undo.removed[last].identifier) == Name(identifier)
            {
                undo.removed[last].entries.append(id)
                undo.removed[last].dates.append(Timestamp(microseconds: entry.date))
            } else {
                undo.removed.append(
                    EntityUndo.Removed(
                        identifier: identifier, key: key, entries: [id],
                        dates: [Timestamp(microseconds: entry.date)]))
            }
        }
    }

    /// Returns the visible entries of an edit. If none is visible, returns this device's visible
    /// entries that restored them, with the same datestamps.
    func written(_ removed: EntityUndo.Removed, in slot: UInt32) -> [UInt32] {
        let visible = graph.visibleEntries(of: slot)
        let named = visible.filter { removed.entries.contains(graph.id(ofEntry: $0)) }
        guard named.isEmpty else { return named }
        return visible.filter { number in
            let entry = graph.entries[Int(number)]
            return entry.device == ownNumber
                && removed.dates.contains(Timestamp(microseconds: entry.date))
        }
    }

    private var ownNumber: UInt16? { ownDevice.flatMap { graph.deviceNumbers[$0] } }
}
