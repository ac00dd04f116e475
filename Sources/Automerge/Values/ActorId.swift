public import Foundation

/// The identity of a writer: one document instance, on one device, in one process.
///
/// The changes of an actor are numbered 1, 2, 3 … and never branch. A new or forked ``Document``
/// uses a random actor, and so should your program.
///
/// - Warning: Two instances that write concurrently with the same actor create two different
///   changes with the same number. A document can't contain both. If you choose actors yourself,
///   make sure that two instances never use the same actor concurrently.
///
/// Actors are ordered by their bytes. If two concurrent operations have the same counter, the one
/// with the greater actor wins.
public struct ActorId: Hashable, Sendable {
    let bytes: [UInt8]

    /// The maximum length of an actor made with this API. Files may contain longer ones.
    static let longestData = 128

    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// Creates a random actor of 16 bytes.
    public init() { self.init(uuid: UUID()) }

    /// Creates an actor from the 16 bytes of `uuid`.
    public init(uuid: UUID) {
        bytes = withUnsafeBytes(of: uuid.uuid) { Array($0) }
    }

    /// Creates an actor from the bytes of `data`, or returns `nil` if there are more than 128.
    public init?(data: Data) {
        guard data.count <= Self.longestData else { return nil }
        bytes = Array(data)
    }

    /// The bytes that identify this actor.
    public var data: Data { Data(bytes) }
}

extension ActorId: Comparable {
    /// Returns whether the bytes of `lhs` precede those of `rhs` in lexicographic order.
    public static func < (lhs: ActorId, rhs: ActorId) -> Bool {
        lhs.bytes.lexicographicallyPrecedes(rhs.bytes)
    }
}

extension ActorId: CustomStringConvertible {
    /// The bytes as uppercase hexadecimal digits.
    public var description: String { Hexadecimal.string(bytes, uppercase: true) }
}
