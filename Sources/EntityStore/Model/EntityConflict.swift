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

    /// By side its semantic type, where another side is written alike and is of another type.
    ///
    /// - Parameter text: How values are written.
    package func typesOfSidesAlike(_ text: (EntityValue) -> String) -> [String?] {
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
