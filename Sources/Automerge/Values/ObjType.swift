/// What kind of object: a map, a list, or a text.
public enum ObjType: Hashable, Sendable {
    /// Values by string keys.
    case Map
    /// Values in order.
    case List
    /// Characters in order, with marks.
    case Text
}
