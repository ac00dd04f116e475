// Names of types for programs that have a type of the same name. Swift looks up
// `KeyValueStore.PropertyList` in the class `KeyValueStore`, not in the module of the same name.
// An alias can't have the name of the type that it refers to, so each type has two aliases.

/// The type ``Change``.
public typealias KeyValueChange = Change
/// The type ``LogFormat``.
public typealias KeyValueLogFormat = LogFormat
/// The type ``LogRow``.
public typealias KeyValueLogRow = LogRow
/// The type ``PropertyList``.
public typealias KeyValuePropertyList = PropertyList

extension KeyValueStore {
    /// The type ``Change`` of this module.
    public typealias Change = KeyValueChange
    /// The type ``LogFormat`` of this module.
    public typealias LogFormat = KeyValueLogFormat
    /// The type ``LogRow`` of this module.
    public typealias LogRow = KeyValueLogRow
    /// The type ``PropertyList`` of this module.
    public typealias PropertyList = KeyValuePropertyList
}
