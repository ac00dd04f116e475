package import KeyValueStore
package import Replication

extension PropertyList: CellContent {
    package var asJSON: JSONValue { .verbatim(description) }
}

/// The value of a log row; null for a deletion.
extension LogRow: CellContent {
    private var decoded: PropertyList? { (try? value()) ?? nil }

    package var asJSON: JSONValue { decoded?.asJSON ?? .null }
    package var asNumber: FilterNumber? { decoded?.asNumber }
    package var asText: String? { decoded?.asText }
    package var asInstant: Timestamp? { decoded?.asInstant }
}

/// The values of several devices.
struct DeviceValues: CellContent {
    let rows: [LogRow]

    var asJSON: JSONValue {
        .array(rows.map { ["device": .string($0.device.name), "value": $0.asJSON] })
    }
}

extension PropertyList: StructuredValue {
    init(members: [Name: PropertyList]) { self = .dictionary(members) }
    init(items: [PropertyList]) { self = .array(items) }
}
