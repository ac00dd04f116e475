import Automerge

/// The actors as whom a device edits, as the row of a chunk names them: in hexadecimal digits,
/// separated by commas. Listing documents reads past them; they are made out where somebody asks.
struct ActorList: Hashable, Sendable {
    /// Each opening of a document draws an actor; beyond so many, some are not named.
    private static let longest = 1_000
    /// Bytes of a name and its comma at most: two digits for each of the actor's 128.
    private static let longestName = 257

    /// `nil` where it names nobody.
    let text: String?

    init(_ actors: some Sequence<ActorId> = []) {
        let names = actors.sorted().prefix(Self.longest).map(\.hexadecimal)
        text = names.isEmpty ? nil : names.joined(separator: ",")
    }

    /// A list as a row has it.
    init(text: (some Collection<UInt8>)?) {
        self.text = text.map {
            String(decoding: $0.prefix(Self.longest * Self.longestName), as: UTF8.self)
        }
    }

    /// Those among the names that are actors.
    var all: Set<ActorId> {
        guard let text else { return [] }
        return Set(
            text.split(separator: ",").prefix(Self.longest).compactMap(ActorId.init(hexadecimal:)))
    }
}
