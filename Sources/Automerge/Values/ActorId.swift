public import Foundation

/// Who writes: one document instance, on one device, in one process.
///
/// Changes of one actor are numbered 1, 2, 3 … and never branch. A new or forked ``Document`` draws
/// a random actor, and that is what a program should use.
///
/// > Warning: Two instances that write concurrently under one actor make two different changes with
/// > one number, which no document can hold both of. Whoever chooses actors rules that out.
///
/// Actors order by their bytes; the greater one wins where two concurrent operations have the same
/// counter.
public struct ActorId: Hashable, Sendable {
    let bytes: [UInt8]

    /// An actor of at most 128 bytes is what this API makes; files may hold longer ones.
    static let longestData = 128

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// A random actor of 16 bytes.
    public init() { self.init(uuid: UUID()) }

    /// The 16 bytes of `uuid`.
    public init(uuid: UUID) {
        bytes = withUnsafeBytes(of: uuid.uuid) { Array($0) }
    }

    /// The bytes of `data`, or `nil` where there are more than 128.
    public init?(data: Data) {
        guard data.count <= Self.longestData else { return nil }
        bytes = Array(data)
    }

    /// The bytes that tell this actor from others.
    public var data: Data { Data(bytes) }
}

extension ActorId: Comparable {
    /// Whether the bytes of `lhs` come first in lexicographic order.
    public static func < (lhs: ActorId, rhs: ActorId) -> Bool {
        lhs.bytes.lexicographicallyPrecedes(rhs.bytes)
    }
}

extension ActorId: CustomStringConvertible {
    /// The bytes as uppercase hexadecimal digits.
    public var description: String { Hexadecimal.string(bytes, uppercase: true) }
}
