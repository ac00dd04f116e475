/// The identity of a map, list or text in a document.
///
/// The identity is the same in every copy of the document, and saving and merging don't change it.
/// It is valid only in documents that have the object.
public struct ObjId: Sendable {
    /// The counter of the operation that created the object; 0 for the root.
    let counter: UInt64
    /// The actor that created the object; empty for the root.
    let actor: ActorId
    /// The index of `actor` in the actor table of the document that returned this identifier. Only
    /// a hint, not part of the identity, because the table may have changed since then.
    let actorHint: UInt32

    /// The root map of every document.
    public static let ROOT = ObjId(counter: 0, actor: ActorId(bytes: []), actorHint: 0)

    /// Whether this identity is ``ROOT``. No operation has the counter 0.
    var isRoot: Bool { counter == 0 }
}

extension ObjId: Hashable {
    /// Returns whether both identifiers name the same object, in any copy of a document.
    public static func == (lhs: ObjId, rhs: ObjId) -> Bool {
        lhs.counter == rhs.counter && lhs.actor == rhs.actor
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(counter)
        hasher.combine(actor)
    }
}

extension ObjId: CustomStringConvertible {
    /// `_root`, or the counter and the actor, such as `42@06a2b97e`.
    public var description: String {
        isRoot ? "_root" : "\(counter)@\(Hexadecimal.string(actor.bytes))"
    }
}

extension ObjId: CustomDebugStringConvertible {
    public var debugDescription: String { isRoot ? "ObjId.ROOT" : "ObjId(\(description))" }
}
