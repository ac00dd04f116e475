/// An encoder's policy for objects that are missing from the document or have another type.
public enum SchemaStrategy: Hashable, Sendable {
    /// Creates missing objects. Another value in the place of an object is an error.
    case createWhenNeeded
    /// Creates missing objects and replaces other values in their place.
    case override
    /// Doesn't create objects. A missing object, or another value in its place, is an error.
    case readonly
}
