import Automerge

/// The Automerge actors that a device uses for its edits, in the form stored in a chunk's row:
/// hexadecimal digits, separated by commas. The list is parsed only on demand, not when documents
/// are listed.
struct ActorList: Hashable, Sendable {
    /// The maximum number of actors; further actors are omitted. Opening a document creates one.
    private static let longest = 1_000
    /// The maximum size of a name and its comma. A name has two digits for each byte, and an actor
    /// has at most 128 bytes.
    private static let longestName = 257

    /// The stored text; `nil` for an empty list.
    let text: String?

    init(_ actors: some Sequence<ActorId> = []) {
        let names = actors.sorted().prefix(Self.longest).map(\.hexadecimal)
        text = names.isEmpty ? nil : names.joined(separator: ",")
    }

    /// Creates a list from the text stored in a row.
    init(text: (some Collection<UInt8>)?) {
        self.text = text.map {
            String(decoding: $0.prefix(Self.longest * Self.longestName), as: UTF8.self)
        }
    }

    /// The actors in the list, without malformed names.
    var all: Set<ActorId> {
        guard let text else { return [] }
        return Set(
            text.split(separator: ",").prefix(Self.longest).compactMap(ActorId.init(hexadecimal:)))
    }
}
