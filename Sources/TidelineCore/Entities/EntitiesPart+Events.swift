import EntityStore
import Foundation
import Replication

/// The events of a session about entities.
extension EntitiesPart {
    /// The maximum number of entities that an event names.
    private static let namedCount = 3
    /// The maximum number of properties that an event names.
    private static let namedKeyCount = 4

    /// Emits the event of the session for an event of the store.
    func report(_ event: EntityStore.Event.Kind, of store: EntityStore) async {
        switch event {
        case .loaded: lifecycle.emit(.status)
        case .changed(let changes): lifecycle.emit(await changed(changes, in: store))
        case .conflict(let conflict, let writer):
            lifecycle.emit(await conflicted(conflict, by: writer, in: store))
        case .resolved(let identifier, let key):
            let what = await Self.title(of: key, of: identifier, in: store)
            lifecycle.emit(
                SessionEvent(
                    .resolved(.entities, RowID(identifier)), date: Date(),
                    summary: "resolved \(what)",
                    report: EventReport(
                        "resolved", store: PaneID.entities.part,
                        ["key": .string(identifier), "property": .string(key)],
                        text: "resolved: \(what)")))
        case .unconfirmed(let message): lifecycle.emit(.status, message)
        case .device: lifecycle.emit(.devices)
        case .deleted: lifecycle.setMissing(true)
        case .returned: lifecycle.setMissing(false)
        }
    }

    /// Returns the event of written entities.
    private func changed(_ changes: EntityChanges, in store: EntityStore) async -> SessionEvent {
        let own = context.device
        let (device, latency): (DeviceID?, Duration?) =
            switch changes.origin {
            case .local: (own, nil)
            case .device(let device):
                (device, arrivals?.latency(of: DeviceFile(device, .entities)))
            case .reload: (nil, nil)
            }
        var marks: [RowID: RowMark] = [:]
        for (references, mark) in [
            (changes.added, RowMark.new), (changes.changed, .changed), (changes.deleted, .deleted),
        ] {
            for reference in references {
                if let identifier = reference.identifier { marks[RowID(identifier)] = mark }
            }
        }
        let summary = Self.summary(changes, await Self.names(of: changes, in: store))
        func identifiers(_ references: [EntityReference]) -> [String] {
            references.compactMap(\.identifier).sorted { Name($0) < Name($1) }
        }
        var event = SessionEvent(
            .changed(.entities, rows: marks, isOwn: changes.origin == .local), date: Date(),
            device: device, summary: summary,
            written: changes.origin == .local ? nil : changes.written, rowCount: changes.rowCount,
            report: EventReport(
                writtenBy: device, own: own, store: PaneID.entities.part, rows: changes.rowCount,
                keys: identifiers(changes.added + changes.changed + changes.deleted),
                removed: identifiers(changes.deleted), summary: summary, latency: latency,
                late: device == own ? nil : changes.written?.lateness(at: Timestamp(Date()))))
        if context.readsParts {
            event.parts = await Self.parts(of: changes, own: own, in: store)
        }
        return event
    }

    /// Returns the event of a new conflict. Its part is a change from another side's value to the
    /// value of `writer`, which caused the conflict.
    private func conflicted(
        _ conflict: EntityConflict, by writer: DeviceID?, in store: EntityStore
    ) async -> SessionEvent {
        let title = await Self.title(of: conflict.key, of: conflict.identifier, in: store)
        let devices = conflict.sides.map(\.author)
        var event = SessionEvent(
            .conflict(.entities, RowID(conflict.identifier)), date: Date(), device: writer,
            summary: "≠ \(title): " + devices.map(context.name(of:)).joined(separator: ", "),
            report: EventReport(
                "conflict", store: PaneID.entities.part,
                [
                    "key": .string(conflict.identifier), "property": .string(conflict.key),
                    "devices": .array(devices.map { .string($0.name) }),
                ],
                text: "conflict: \(title): \(devices.map(\.name).joined(separator: ", "))"))
        if let side = conflict.sides.first(where: { $0.author == writer }) {
            let other = conflict.sides.first { $0.author != writer }
            event.parts = [
                EditPreview.Change(
                    subject: "≠ \(title)", old: other?.value.shown, new: side.value.shown)
            ]
        }
        return event
    }

    /// Returns the summary of written entities and their properties.
    ///
    /// - Parameter names: The names of the first of these entities; see ``names(of:in:)``.
    private static func summary(_ changes: EntityChanges, _ names: [String]) -> String {
        let isSingle = changes.areOfOneEntity
        let removed = isSingle ? changes.removedKeys : []
        let keys = changes.keys.sorted().prefix(namedKeyCount)
            .map { (removed.contains($0) ? "-" : "") + $0.text }.joined(separator: ", ")
        // Mention deletions first, because the lists no longer show the deleted entities.
        let parts = [
            summary(
                deleted: changes.deleted.count, changes.deleted.compactMap(\.identifier)),
            summary(new: changes.added.count, changed: changes.changed.count, names),
        ].compactMap(\.self)
        return parts.joined(separator: ", ")
            + (keys.isEmpty ? "" : (isSingle ? " › " : ": ") + keys)
    }

    /// Returns the summary of entities: `+1 ~2 entities (book Ulysses, …)`; `nil` for none.
    private static func summary(
        new: Int = 0, changed: Int = 0, deleted: Int = 0, _ names: [String]
    ) -> String? {
        let total = new + changed + deleted
        guard total > 0 else { return nil }
        let named = names.prefix(namedCount)
        let list = named.joined(separator: ", ") + (total > named.count ? ", …" : "")
        let signs = Counted.signs(new: new, changed: changed, deleted: deleted)
        if total == 1 { return "\(signs) \(list)" }
        return "\(signs) entities" + (named.isEmpty ? "" : " (\(list))")
    }

    /// Returns the names of the first entities that were written. If the event is about the
    /// properties of one entity, its name has no type, as in the title of a property.
    private static func names(of changes: EntityChanges, in store: EntityStore) async -> [String] {
        var names: [String] = []
        for reference in (changes.added + changes.changed).prefix(namedCount) {
            guard let identifier = reference.identifier else { continue }
            names.append(
                await name(of: identifier, in: store, hasType: !changes.areOfOneEntity))
        }
        return names
    }

    /// Returns the title of a property, as in the list of all conflicts: `Moby-Dick › stars`.
    private static func title(
        of key: String, of identifier: String, in store: EntityStore
    ) async -> String {
        "\(await name(of: identifier, in: store, hasType: false)) › \(key)"
    }

    /// Returns an entity's name as lists show it, optionally with its type. For a deleted entity,
    /// returns the identifier.
    ///
    /// - Complexity: Reads the properties of the entity.
    private static func name(
        of identifier: String, in store: EntityStore, hasType: Bool
    ) async -> String {
        let records = try? await store.records(
            of: [.identifier(identifier)], keys: EntityRecord.nameKeys)
        guard let record = records?.first ?? nil else { return identifier }
        return hasType && !record.type.isEmpty ? "\(record.type) \(record.title)" : record.title
    }

    /// Returns the properties that another device changed, with their values. Returns none if the
    /// device changed several entities.
    ///
    /// - Complexity: O(*n*) in the number of entries in the properties' history.
    private static func parts(
        of changes: EntityChanges, own: DeviceID?, in store: EntityStore
    ) async -> [EditPreview.Change] {
        guard case .device(let device) = changes.origin, device != own, changes.areOfOneEntity,
            changes.deleted.isEmpty, let written = changes.written,
            let identifier = changes.changed.first?.identifier
        else { return [] }
        let keys = changes.keys.sorted().prefix(namedKeyCount).map(\.text)
        let found = try? await store.entries(of: [.identifier(identifier)], keys: keys)
        guard let entries = found?.first else { return [] }
        let name = await name(of: identifier, in: store, hasType: false)
        return keys.map { key in
            let history = entries.filter { $0.key == key }
            return EditPreview.Change(
                subject: "\(name) › \(key)",
                old: history.first { $0.written < written }?.value.shown,
                new: history.first(where: \.isCurrent)?.value.shown)
        }
    }
}

extension EntityChanges {
    /// Whether only properties of a single entity have changed.
    fileprivate var areOfOneEntity: Bool {
        changed.count == 1 && added.isEmpty && !keys.isEmpty
    }
}
