package import EntityStore
import KeyValueStore
import Replication

extension EntityValue: CellContent {
    package var asJSON: JSONValue { .verbatim(json) }
}

extension PropertyDictionary: CellContent {
    package var asJSON: JSONValue {
        .object(Dictionary(keepingFirst: map { (Name($0.key), $0.property.value.asJSON) }))
    }
}

extension EntityValue: StructuredValue {
    var line: String { shortText }

    init(members: [Name: EntityValue]) { self = .dictionary(members) }
    init(items: [EntityValue]) { self = .array(items) }
}

extension EntityValue {
    /// The name of the type, as lists show it.
    package var typeName: String { PropertyList(converting: self)?.typeName ?? "relationship" }
}
