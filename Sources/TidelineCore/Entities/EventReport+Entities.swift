import EntityStore
import Foundation
import Replication

extension EventReport {
    /// Creates the report of written entities.
    ///
    /// - Parameter summary: The summary in the Events panel.
    init(_ changes: EntityChanges, own: DeviceID?, latency: Duration?, summary: String) {
        let identifiers = (changes.added + changes.changed + changes.deleted)
            .compactMap(\.identifier).sorted { Name($0) < Name($1) }
        self.init(
            writtenBy: changes.device(own: own), own: own, store: PaneID.entities.part,
            rows: changes.rowCount, keys: identifiers,
            removed: changes.deleted.compactMap(\.identifier).sorted { Name($0) < Name($1) },
            summary: summary, latency: latency,
            late: changes.device(own: own) == own
                ? nil : changes.written?.lateness(at: Timestamp(Date())))
    }

    /// Creates the report of a new conflict.
    init(_ conflict: EntityConflict, title: String) {
        let devices = conflict.sides.map(\.author.name)
        self.init(
            "conflict", store: PaneID.entities.part,
            [
                "key": .string(conflict.identifier), "property": .string(conflict.key),
                "devices": .array(devices.map { .string($0) }),
            ],
            text: "conflict: \(title): \(devices.joined(separator: ", "))")
    }

    /// Creates the report of a resolved conflict.
    init(resolved property: String, of identifier: String, title: String) {
        self.init(
            "resolved", store: PaneID.entities.part,
            ["key": .string(identifier), "property": .string(property)],
            text: "resolved: \(title)")
    }

    /// Creates the report of the first load.
    init(loadedEntities count: Int, deviceCount: Int) {
        self.init(
            "loaded", store: PaneID.entities.part,
            ["devices": .count(deviceCount), "entities": .count(count)],
            text: "loaded: \(Counted.text(deviceCount, "device")), "
                + Counted.text(count, "entity", "entities"))
    }
}

extension EntityChanges {
    /// Returns the writing device; `nil` if the entities were reloaded.
    func device(own: DeviceID?) -> DeviceID? {
        switch origin {
        case .local: own
        case .device(let device): device
        case .reload: nil
        }
    }
}
