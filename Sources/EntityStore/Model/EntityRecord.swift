public import Replication

/// An entity with its current properties.
public struct EntityRecord: Hashable, Sendable {
    /// The identifier of the entity, the same on every device.
    @Name public var identifier: String
    /// The type of the entity; empty if the row that created it hasn't arrived yet.
    @Name public var type: String
    /// The creation date, as set by the creator.
    public var datestamp: Timestamp
    /// The newest datestamp of the entity's properties, or ``datestamp`` if it has no properties.
    public var modified: Timestamp
    /// The current values of the requested properties.
    public var properties: PropertyDictionary
    /// Older values of properties with several values, newest first; empty if not requested.
    public var further: [Name: [EntityValue]] = [:]
    /// The properties that are in conflict, including those that weren't requested.
    public var conflicts: Set<Name> = []

    /// A reference to the entity by its identifier.
    public var reference: EntityReference { .identifier(identifier) }

    /// The current value of a requested property with its semantic type and metadata; `nil` if it
    /// has none.
    public subscript(key: String) -> Property? { properties[key] }

    /// The current value of a requested property; `nil` if it has none.
    public subscript(value key: String) -> EntityValue? { properties[value: key] }
}

/// A relationship, seen from either end.
public struct EntityRelation: Hashable, Sendable {
    /// The entity that holds the property.
    public var source: EntityReference
    /// The key of the property that holds the relationship.
    @Name public var key: String
    /// The entity that the relationship points to.
    public var target: EntityReference
    /// The semantic type, which is the kind of relationship.
    @Name public var type: String
    /// The date of the relationship.
    public var datestamp: Timestamp
    /// The device that wrote the relationship.
    public var device: DeviceID
    /// Whether the target hasn't arrived, so that only its identifier is known.
    public var isTargetMissing: Bool
}
