public import Foundation

/// The name of a document among others, as automerge-repo's programs give it: random bytes,
/// normally the 16 of a UUID, written in base58check.
///
/// Whoever knows an identifier may ask a server for the document: treat it as a secret where the
/// document is one.
public struct DocumentID: Hashable, Sendable {
    /// What the identifier stands for; 16 bytes in all but hand-made ones.
    public let bytes: [UInt8]
    /// The base58check form: `4NMNnkMhL8jXrdJ9jamS58PAVdXu`.
    public let text: String

    /// Payloads longer than this are nobody's identifiers.
    static let longest = 64

    /// A new, random identifier.
    public init() { self.init(UUID()) }

    /// The identifier of the same 16 bytes as a UUID.
    public init(_ uuid: UUID) {
        self.init(checked: withUnsafeBytes(of: uuid.uuid) { Array($0) })
    }

    /// An identifier of given bytes.
    ///
    /// - Returns: `nil` for none, and for more than 64.
    public init?(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes.prefix(Self.longest + 1))
        guard !bytes.isEmpty, bytes.count <= Self.longest else { return nil }
        self.init(checked: bytes)
    }

    private init(checked bytes: [UInt8]) {
        self.bytes = bytes
        text = Base58Check.text(bytes)
    }

    /// Reads the base58check form, a UUID's, or either behind `automerge:`.
    ///
    /// - Returns: `nil` for anything else: a mistyped character is noticed by the checksum. An
    ///   address of a part of a document, or of a state of it (`/…`, `#…`), names no document alone.
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

    /// The UUID of the same bytes; `nil` where they are not 16.
    public var uuid: UUID? {
        guard bytes.count == 16 else { return nil }
        return UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }

    /// The address that automerge-repo's programs show: `automerge:` and the identifier.
    public var address: String { "automerge:" + text }

    public static func == (first: Self, second: Self) -> Bool { first.bytes == second.bytes }
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension DocumentID: CustomStringConvertible, Comparable {
    public var description: String { text }

    /// By the bytes of the base58check form, as a folder lists it.
    public static func < (first: Self, second: Self) -> Bool {
        first.text.utf8.lexicographicallyPrecedes(second.text.utf8)
    }
}
