/// One step of a change from an earlier content of a document to its current content.
///
/// Apply patches in order. A patch's indexes assume that all earlier patches have been applied.
public struct Patch: Equatable, Sendable {
    /// The change, and the object that it applies to.
    public let action: PatchAction
    /// The path from the root to the object of `action`; empty for the root itself.
    public let path: [PathElement]

    /// Creates a patch in the form that ``Document/difference(from:to:)`` returns.
    public init(action: PatchAction, path: [PathElement]) {
        self.action = action
        self.path = path
    }
}

/// A change to an object.
public enum PatchAction: Equatable, Sendable {
    /// The value of a key or index was set.
    case Put(ObjId, Prop, Value)
    /// Values were inserted at an index of a list. `marks` is empty.
    case Insert(obj: ObjId, index: UInt64, values: [Value], marks: [String: Value])
    /// Characters were inserted at a position of a text, in units of the document's
    /// ``TextEncoding``. `marks` contains the marks that cover all of them.
    case SpliceText(obj: ObjId, index: UInt64, value: String, marks: [String: Value])
    /// A counter was incremented.
    case Increment(ObjId, Prop, Int64)
    /// A key was deleted from a map.
    case DeleteMap(ObjId, String)
    /// Elements were deleted from a list or text.
    case DeleteSeq(DeleteSeq)
    /// Marks were set. A mark with a null value was removed.
    case Marks(ObjId, [Mark])
    /// A key or index has concurrent values. Its winner is unchanged.
    case Conflict(ObjId, Prop)
}

/// A range of elements deleted from a list or text.
public struct DeleteSeq: Hashable, Sendable {
    /// The list or text.
    public let obj: ObjId
    /// The index of the first deleted element.
    public let index: UInt64
    /// The number of deleted elements. For texts, it is in units of the document's
    /// ``TextEncoding``.
    public let length: UInt64

    /// Creates a range of deleted elements.
    public init(obj: ObjId, index: UInt64, length: UInt64) {
        self.obj = obj
        self.index = index
        self.length = length
    }
}
