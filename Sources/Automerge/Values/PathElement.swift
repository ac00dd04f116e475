/// The position of a value in an object: a key or an index.
public enum Prop: Hashable, Sendable {
    /// A key of a map.
    case Key(String)
    /// An index of a list or text.
    case Index(UInt64)
}

/// One step of a path from the root of a document to an object.
public struct PathElement: Hashable, Sendable {
    /// The key or index in `obj`.
    public let prop: Prop
    /// The object that contains the key or index.
    public let obj: ObjId

    /// Creates the step from `obj` to the value at `prop`.
    public init(obj: ObjId, prop: Prop) {
        self.prop = prop
        self.obj = obj
    }
}
