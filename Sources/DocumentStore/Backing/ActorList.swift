import Automerge

/// How a row of a chunk names the actors as whom its device edits: in hexadecimal digits, separated
/// by commas.
enum ActorList {
    /// Each opening of a document draws an actor; beyond so many, some are not named.
    static let longest = 1_000

    /// - Returns: `nil` for none.
    static func text(_ actors: Set<ActorId>) -> String? {
        if actors.isEmpty { return nil }
        return actors.sorted().prefix(longest).map(\.hexadecimal).joined(separator: ",")
    }

    /// Those among the names that are actors.
    static func actors(_ text: (some Collection<UInt8>)?) -> Set<ActorId> {
        guard let text else { return [] }
        return Set(
            text.split(separator: UInt8(ascii: ",")).prefix(longest).compactMap {
                ActorId(hexadecimal: String(decoding: $0, as: UTF8.self))
            })
    }
}
