public import Foundation

/// The identifier of a document in automerge-repo programs: random bytes, normally the 16 bytes of
/// a UUID, in base58check.
///
/// A client that knows an identifier can request the document from a server. If the document is
/// secret, also keep its identifier secret.
public struct DocumentID: Hashable, Sendable {
    /// The bytes of the identifier. Normally, there are 16 bytes.
    public let bytes: [UInt8]
    /// The base58check form, such as `4NMNnkMhL8jXrdJ9jamS58PAVdXu`.
    public let text: String

    /// The maximum length of an identifier in bytes.
    static let longest = 64

    /// Creates a random identifier.
    public init() { self.init(UUID()) }

    /// Creates the identifier with the 16 bytes of a UUID.
    public init(_ uuid: UUID) {
        self.init(checked: withUnsafeBytes(of: uuid.uuid) { Array($0) })
    }

    /// Creates an identifier from bytes.
    ///
    /// - Returns: `nil` for an empty sequence, or for more than 64 bytes.
    public init?(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes.prefix(Self.longest + 1))
        guard !bytes.isEmpty, bytes.count <= Self.longest else { return nil }
        self.init(checked: bytes)
    }

    private init(checked bytes: [UInt8]) {
        self.bytes = bytes
        text = Base58Check.text(bytes)
    }

    /// Parses an identifier in base58check form or as a UUID, with or without the prefix
    /// `automerge:`.
    ///
    /// - Returns: `nil` for any other text. The checksum detects mistyped characters. The address
    ///   of a part or a state of a document (`/…`, `#…`) is not the identifier of a document.
    public init?(_ text: String) {
        var name = text[...]
        if name.hasPrefix("automerge:") { name = name.dropFirst("automerge:".count) }
        if let uuid = UUID(uuidString: String(name.prefix(37))) {
            self.init(uuid)
            return
        }
        guard let bytes = Base58Check.payload(name), !bytes.isEmpty, bytes.count <= Self.longest
        else { return nil }
        self.init(checked: bytes)
    }

    /// The UUID with the same bytes; `nil` if there aren't exactly 16 bytes.
    public var uuid: UUID? {
        guard bytes.count == 16 else { return nil }
        return UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }

    /// The address in automerge-repo programs: `automerge:` followed by the identifier.
    public var address: String { "automerge:" + text }

    public static func == (first: Self, second: Self) -> Bool { first.bytes == second.bytes }
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension DocumentID: CustomStringConvertible, Comparable {
    public var description: String { text }

    /// Returns whether the base58check form of `first` precedes that of `second` by bytes, as in a
    /// folder listing.
    public static func < (first: Self, second: Self) -> Bool {
        first.text.utf8.lexicographicallyPrecedes(second.text.utf8)
    }
}
