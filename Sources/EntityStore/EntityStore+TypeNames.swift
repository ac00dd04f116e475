// Names of types for programs that have a type of the same name. Swift looks up
// `EntityStore.Property` in the actor `EntityStore`, not in the module of the same name. An alias
// can't have the name of the type that it refers to, so each type has two aliases.

/// The type ``Property``.
public typealias EntityProperty = Property
/// The type ``PropertyDictionary``.
public typealias EntityPropertyDictionary = PropertyDictionary
/// The type ``PropertyEntry``.
public typealias EntityPropertyEntry = PropertyEntry
/// The type ``PropertyKey``.
public typealias EntityPropertyKey = PropertyKey

extension EntityStore {
    /// The type ``Property`` of this module.
    public typealias Property = EntityProperty
    /// The type ``PropertyDictionary`` of this module.
    public typealias PropertyDictionary = EntityPropertyDictionary
    /// The type ``PropertyEntry`` of this module.
    public typealias PropertyEntry = EntityPropertyEntry
    /// The type ``PropertyKey`` of this module.
    public typealias PropertyKey = EntityPropertyKey
}
