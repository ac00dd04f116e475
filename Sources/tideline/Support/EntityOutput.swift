import EntityStore
import Replication
import TidelineCore

/// The JSON output of entities.
extension EntityRecord {
    var json: JSONValue {
        [
            "identifier": .string(identifier), "type": .string(type),
            "datestamp": .string(datestamp.iso8601), "modified": .string(modified.iso8601),
            "properties": properties.asJSON,
        ]
    }
}

extension PropertyEntry {
    /// The row with its writer.
    var json: JSONValue { json(by: id.device, at: written) }
    /// The value with its original writer.
    var jsonOfSide: JSONValue { json(by: author, at: authored) }

    private func json(by device: DeviceID, at written: Timestamp) -> JSONValue {
        [
            "key": .string(key), "value": .verbatim(property.value.json),
            "type": .string(property.type), "datestamp": .optional(property.datestamp?.iso8601),
            "device": .string(device.name), "written": .string(written.iso8601),
            "current": .boolean(isCurrent), "removed": .boolean(isRemoved),
        ]
    }
}

extension EntityRelation {
    var json: JSONValue {
        [
            "source": .string(source.identifier ?? ""), "key": .string(key),
            "target": .string(target.identifier ?? ""), "type": .string(type),
            "datestamp": .string(datestamp.iso8601), "device": .string(device.name),
            "missing": .boolean(isTargetMissing),
        ]
    }
}

extension EntityValue {
    /// Returns the values that a text on the command line can mean.
    static func spelled(_ text: String) -> [EntityValue] {
        var values: [EntityValue] = [.string(text), .relationship(.identifier(text))]
        if let number = Int64(text) { values.append(.integer(number)) }
        if let number = Double(text) { values.append(.double(number)) }
        if let truth = Bool(text) { values.append(.boolean(truth)) }
        if Int64(text) == nil, let instant = try? Timestamp(parsing: text) {
            values.append(.date(instant))
        }
        return values
    }

    /// The value in one line. A string has quotation marks only if it is ambiguous without them,
    /// and a relationship starts with an arrow.
    var line: String {
        switch self {
        case .relationship(let target): "→ \(target)"
        case .string(let text):
            text.isEmpty || EntityValue.looksTyped(text) ? text.quoted : text
        default: json
        }
    }

    private static func looksTyped(_ text: String) -> Bool {
        Double(text) != nil || text == "true" || text == "false" || text.hasPrefix("{")
            || text.hasPrefix("[") || text.hasPrefix("→")
    }
}
