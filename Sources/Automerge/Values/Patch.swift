/// One step that turns what a document showed before into what it shows now.
///
/// Patches apply in the order given: each index counts with the patches before it applied.
public struct Patch: Equatable, Sendable {
    /// What happened, and in which object.
    public let action: PatchAction
    /// The way from the root to the object that `action` names; empty for the root itself.
    public let path: [PathElement]

    /// A step as ``Document/difference(from:to:)`` gives it.
    public init(action: PatchAction, path: [PathElement]) {
        self.action = action
        self.path = path
    }
}

/// What happened to an object.
public enum PatchAction: Equatable, Sendable {
    /// A key or index has another value.
    case Put(ObjId, Prop, Value)
    /// Values were inserted before an index of a list. `marks` is empty.
    case Insert(obj: ObjId, index: UInt64, values: [Value], marks: [String: Value])
    /// Characters were inserted before a position of a text, counted in the document's
    /// ``TextEncoding``; `marks` are those over all of them.
    case SpliceText(obj: ObjId, index: UInt64, value: String, marks: [String: Value])
    /// A counter changed by an amount.
    case Increment(ObjId, Prop, Int64)
    /// A key is gone from a map.
    case DeleteMap(ObjId, String)
    /// Elements are gone from a list or text.
    case DeleteSeq(DeleteSeq)
    /// Marks were set; one whose value is null was removed.
    case Marks(ObjId, [Mark])
    /// A key or index, whose winning value stays, has concurrent values now.
    case Conflict(ObjId, Prop)
}

/// Elements that are gone from a list or text.
public struct DeleteSeq: Hashable, Sendable {
    /// The list or text.
    public let obj: ObjId
    /// The first of them.
    public let index: UInt64
    /// How many; in a text, in units of the document's ``TextEncoding``.
    public let length: UInt64

    /// Elements that are gone, by where the first of them was.
    public init(obj: ObjId, index: UInt64, length: UInt64) {
        self.obj = obj
        self.index = index
        self.length = length
    }
}
