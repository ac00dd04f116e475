public import Replication

/// A property that several devices set concurrently.
///
/// A property with several values that were added to each other isn't in conflict.
public struct EntityConflict: Hashable, Sendable {
    /// The identifier of the entity.
    @Name public var identifier: String
    /// The type of the entity.
    @Name public var type: String
    /// The key of the property.
    @Name public var key: String
    /// The concurrent values, newest first. The newest is the current value.
    public var sides: [PropertyEntry]
    /// The common ancestor: the newest value that every side replaced. `nil` if there was none, or
    /// if it hasn't arrived.
    public var base: PropertyEntry?

    /// A reference to the entity by its identifier.
    public var reference: EntityReference { .identifier(identifier) }

    /// Returns the semantic types that distinguish sides with equal text. The result is `nil` for a
    /// side if no other side has the same text, or if all sides with this text have the same type.
    ///
    /// - Parameter text: Formats a value.
    package func distinguishingTypes(_ text: (EntityValue) -> String) -> [String?] {
        let texts = sides.map { text($0.property.value) }
        var types: [String: Set<Name>] = [:]
        for (text, side) in zip(texts, sides) {
            types[text, default: []].insert(Name(side.property.type))
        }
        return zip(texts, sides).map { text, side in
            types[text].map { $0.count > 1 } == true ? side.property.type : nil
        }
    }
}
