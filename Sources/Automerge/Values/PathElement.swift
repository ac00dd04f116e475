/// Where a value stands in an object: under a key, or at an index.
public enum Prop: Hashable, Sendable {
    /// A key of a map.
    case Key(String)
    /// A position in a list or text.
    case Index(UInt64)
}

/// One step of the way from the root of a document to an object.
public struct PathElement: Hashable, Sendable {
    /// Where in `obj` the next step leads.
    public let prop: Prop
    /// The object that the step starts from.
    public let obj: ObjId

    /// The step from `obj` to what stands at `prop` in it.
    public init(obj: ObjId, prop: Prop) {
        self.prop = prop
        self.obj = obj
    }
}
