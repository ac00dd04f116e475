/// What an encoder does where a document lacks the objects that a value needs, or has others there.
public enum SchemaStrategy: Hashable, Sendable {
    /// Makes the objects that are missing; anything else in their place is an error.
    case createWhenNeeded
    /// Makes the objects that are missing and replaces whatever else is in their place.
    case override
    /// Makes nothing: a missing object is an error, and so is another in its place.
    case readonly
}
