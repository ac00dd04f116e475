public import KeyValueStore
public import Replication

extension PropertyList: CellContent {
    public var asJSON: JSONValue { .verbatim(description) }

    public var asNumber: FilterNumber? {
        switch self {
        case .integer(let number): FilterNumber(integer: Int128(number))
        case .unsigned(let number): FilterNumber(integer: Int128(number))
        case .real(let number): FilterNumber(number)
        default: nil
        }
    }

    public var asText: String? { if case .string(let text) = self { text } else { nil } }
    public var asInstant: Timestamp? {
        if case .date(let date) = self { Timestamp(date) } else { nil }
    }
}

/// The value of a log row; null for a deletion.
extension LogRow: CellContent {
    private var decoded: PropertyList? { (try? value()) ?? nil }

    public var asJSON: JSONValue { decoded?.asJSON ?? .null }
    public var asNumber: FilterNumber? { decoded?.asNumber }
    public var asText: String? { decoded?.asText }
    public var asInstant: Timestamp? { decoded?.asInstant }
}

/// The values of several devices.
struct DeviceValues: CellContent {
    let rows: [LogRow]

    var asJSON: JSONValue {
        .array(rows.map { ["device": .string($0.device.name), "value": $0.asJSON] })
    }
}

extension PropertyList: VersionedValue {
    var members: [Name: PropertyList]? {
        if case .dictionary(let all) = self { all } else { nil }
    }
    var items: [PropertyList]? { if case .array(let all) = self { all } else { nil } }

    init(members: [Name: PropertyList]) { self = .dictionary(members) }
    init(items: [PropertyList]) { self = .array(items) }
}
