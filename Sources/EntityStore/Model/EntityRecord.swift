public import Replication

/// An entity with what it currently holds.
public struct EntityRecord: Hashable, Sendable {
    /// The entity's identifier, the same on every device.
    @Name public var identifier: String
    /// Empty where the row that made the entity has not arrived yet.
    @Name public var type: String
    /// When the entity was made, as its maker says.
    public var datestamp: Timestamp
    /// The newest datestamp of its properties; its own when it has none.
    public var modified: Timestamp
    /// The current value of each property that was asked for.
    public var properties: PropertyDictionary
    /// The values that properties have beside their newest one, newest first; empty where they were
    /// not asked for.
    public var further: [Name: [EntityValue]] = [:]
    /// The properties that devices set without knowing of each other, also those that were not asked
    /// for.
    public var conflicts: Set<Name> = []

    /// The entity by its identifier.
    public var reference: EntityReference { .identifier(identifier) }
}

/// A relationship, seen from either end.
public struct EntityRelation: Hashable, Sendable {
    /// The entity that holds the property.
    public var source: EntityReference
    /// The property that holds the relationship.
    @Name public var key: String
    /// The entity that it points to.
    public var target: EntityReference
    /// The semantic type: what kind of relationship it is.
    @Name public var type: String
    /// When the relationship came to be.
    public var datestamp: Timestamp
    /// Who wrote it.
    public var device: DeviceID
    /// The target's identifier is known, the target itself has not arrived.
    public var isTargetMissing: Bool
}
