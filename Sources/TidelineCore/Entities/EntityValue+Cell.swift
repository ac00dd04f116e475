public import EntityStore
public import Replication

extension EntityValue: CellContent {
    public var asJSON: JSONValue { .verbatim(json) }
    public var asNumber: FilterNumber? {
        switch self {
        case .integer(let number): FilterNumber(integer: Int128(number))
        case .double(let number): FilterNumber(number)
        default: nil
        }
    }
    public var asText: String? { string }
    public var asInstant: Timestamp? {
        if case .date(let instant) = self { instant } else { nil }
    }
}

extension PropertyDictionary: CellContent {
    public var asJSON: JSONValue {
        .object(
            Dictionary(
                map { (Name($0.key), $0.property.value.asJSON) },
                uniquingKeysWith: { first, _ in first }))
    }
}

extension EntityValue: VersionedValue {
    var line: String { shortText }

    var members: [Name: EntityValue]? { if case .dictionary(let all) = self { all } else { nil } }
    var items: [EntityValue]? { if case .array(let all) = self { all } else { nil } }

    init(members: [Name: EntityValue]) { self = .dictionary(members) }
    init(items: [EntityValue]) { self = .array(items) }
}
