/// The identity of a map, list or text in a document.
///
/// It stays the same in every copy of the document, across saves and merges. It means nothing in a
/// document that does not have the object.
public struct ObjId: Sendable {
    /// The counter of the operation that made the object; 0 for the root.
    let counter: UInt64
    /// Who made the object; empty for the root.
    let actor: ActorId
    /// Where `actor` stood in the actor table of the document that gave this identifier. A table may
    /// have changed since: it is a place to look first, and no part of the identity.
    let actorHint: UInt32

    init(counter: UInt64, actor: ActorId, actorHint: UInt32) {
        self.counter = counter
        self.actor = actor
        self.actorHint = actorHint
    }

    /// The map at the top of every document.
    public static let ROOT = ObjId(counter: 0, actor: ActorId(bytes: []), actorHint: 0)

    /// Whether this is ``ROOT``. No operation has the counter 0.
    var isRoot: Bool { counter == 0 }
}

extension ObjId: Hashable {
    /// Whether both name one object, in whatever copies of a document.
    public static func == (lhs: ObjId, rhs: ObjId) -> Bool {
        lhs.counter == rhs.counter && lhs.actor == rhs.actor
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(counter)
        hasher.combine(actor)
    }
}

extension ObjId: CustomStringConvertible {
    /// `_root`, or the counter and the actor as `42@06a2b97e`.
    public var description: String {
        isRoot ? "_root" : "\(counter)@\(Hexadecimal.string(actor.bytes))"
    }
}

extension ObjId: CustomDebugStringConvertible {
    public var debugDescription: String { isRoot ? "ObjId.ROOT" : "ObjId(\(description))" }
}
