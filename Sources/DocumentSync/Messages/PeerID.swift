import Replication

/// The name of a peer: any text, compared by its bytes.
///
/// JavaScript programs create a new name for each run. A server keeps its name.
public struct PeerID: Hashable, Sendable {
    private let name: Name

    /// Creates a name from a text.
    public init(_ text: String) { name = Name(text) }

    /// Returns a new random name that starts with the kind of program.
    public static func random(_ kind: String = "tideline") -> PeerID {
        let characters = "0123456789abcdefghijklmnopqrstuvwxyz"
        return PeerID("\(kind)-" + String((0..<12).compactMap { _ in characters.randomElement() }))
    }

    /// The text of the name.
    public var text: String { name.text }
}

extension PeerID: CustomStringConvertible, Comparable, ExpressibleByStringLiteral {
    public var description: String { text }
    public init(stringLiteral value: String) { self.init(value) }
    /// Compares the names by their bytes.
    public static func < (first: Self, second: Self) -> Bool { first.name < second.name }
}

/// The information about itself that a peer sends when joining.
public struct PeerMetadata: Sendable, Equatable {
    /// The identifier of the peer's store, or `nil` if the peer stores nothing.
    public var storageID: String?
    /// Whether the peer doesn't return after its connection ends.
    public var isEphemeral: Bool

    /// Creates metadata for a peer with or without a store.
    public init(storageID: String? = nil, isEphemeral: Bool? = nil) {
        self.storageID = storageID
        self.isEphemeral = isEphemeral ?? (storageID == nil)
    }
}
