/// An encoder's policy for objects that are missing from the document or have another type.
public enum SchemaStrategy: Hashable, Sendable {
    /// Creates missing objects. Another value in the place of an object is an error.
    case createWhenNeeded
    /// Creates missing objects and replaces other values in their place.
    case override
    /// Creates no objects. It is an error if an object is missing or another value is in its place.
    case readonly
}
