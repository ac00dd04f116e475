/// An encoder's policy for objects that are missing from the document or have another type.
public enum SchemaStrategy: Hashable, Sendable {
    /// Creates missing objects. Another value in the place of an object is an error.
    case createWhenNeeded
    /// Creates missing objects and replaces other values in their place.
    case override
    /// Creates no objects. A missing object is an error, and so is another value in its place.
    case readonly
}
