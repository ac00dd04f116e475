public import Replication

/// A property that devices set without knowing of each other.
///
/// A property that has several values because they were added one to the other is in none.
public struct EntityConflict: Hashable, Sendable {
    /// The entity whose property it is.
    @Name public var identifier: String
    /// The entity's type.
    @Name public var type: String
    /// The property.
    @Name public var key: String
    /// What each device set it to. The newest comes first: it counts until somebody decides.
    public var sides: [PropertyEntry]
    /// The newest value that all of them took the place of; `nil` where there was none, or it has not
    /// arrived.
    public var base: PropertyEntry?

    /// The entity by its identifier.
    public var reference: EntityReference { .identifier(identifier) }
}
