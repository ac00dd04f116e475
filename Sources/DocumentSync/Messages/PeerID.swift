import Replication

/// The name of one of the programs that talk to each other: any text, compared by its bytes.
///
/// Programs in JavaScript make a new one for each run; a server keeps its own.
public struct PeerID: Hashable, Sendable {
    private let name: Name

    /// The name spelled `text`.
    public init(_ text: String) { name = Name(text) }

    /// A new name that begins with what kind of program this is.
    public static func random(_ kind: String = "tideline") -> PeerID {
        let characters = "0123456789abcdefghijklmnopqrstuvwxyz"
        return PeerID("\(kind)-" + String((0..<12).compactMap { _ in characters.randomElement() }))
    }

    /// The name's text.
    public var text: String { name.text }
}

extension PeerID: CustomStringConvertible, Comparable, ExpressibleByStringLiteral {
    public var description: String { text }
    public init(stringLiteral value: String) { self.init(value) }
    /// By bytes.
    public static func < (first: Self, second: Self) -> Bool { first.name < second.name }
}

/// What a peer says of itself as it joins.
public struct PeerMetadata: Sendable, Equatable {
    /// The identifier of the store behind the peer; `nil` for one that keeps nothing.
    public var storageID: String?
    /// Whether the peer is gone for good when its connection ends.
    public var isEphemeral: Bool

    /// A peer with a store of its own, or without one.
    public init(storageID: String? = nil, isEphemeral: Bool? = nil) {
        self.storageID = storageID
        self.isEphemeral = isEphemeral ?? (storageID == nil)
    }
}
