package import EntityStore
import Replication

extension EntityValue: CellContent {
    package var asJSON: JSONValue { .verbatim(json) }
}

extension PropertyDictionary: CellContent {
    package var asJSON: JSONValue {
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
