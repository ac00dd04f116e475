/// The type of an object: map, list or text.
public enum ObjType: Hashable, Sendable {
    /// Values with string keys.
    case Map
    /// Values in order.
    case List
    /// Characters in order, with marks.
    case Text
}
