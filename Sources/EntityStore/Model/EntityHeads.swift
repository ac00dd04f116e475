import Replication

/// The state of an entity that a reader had seen: for each device, the last row about the entity in
/// the device's log.
package struct EntityHeads: Hashable, Sendable {
    private var rows: [DeviceID: UInt32] = [:]

    /// Heads of a reader that had seen nothing.
    package init() {}

    /// Parses the format of ``text``. Returns `nil` for any other text.
    package init?(text: String) {
        // A device's name has no slash.
        for part in text.split(separator: "/") {
            guard let end = part.firstIndex(of: ":"), let row = UInt32(part[..<end]),
                let device = try? DeviceID(String(part[part.index(after: end)...]))
            else { return nil }
            note(device, row)
        }
    }

    /// The heads as one line of text.
    package var text: String {
        rows.sorted { $0.key < $1.key }.map { "\($0.value):\($0.key.name)" }
            .joined(separator: "/")
    }

    mutating func note(_ device: DeviceID, _ row: UInt32) {
        rows[device] = max(rows[device] ?? 0, row)
    }

    /// Returns whether the reader had seen an entry.
    package func includes(_ entry: PropertyEntry.ID) -> Bool {
        rows[entry.device].map { entry.row <= $0 } ?? false
    }
}
