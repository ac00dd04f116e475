/// Chunks of types from later versions of the format. This version doesn't interpret them, but
/// saves them again with the document.
struct UnknownChunks: Sendable {
    struct Chunk: Sendable {
        let type: UInt8
        let hash: ChangeHash
        let contents: [UInt8]
    }

    /// The chunks in the order of their arrival, without duplicates.
    private(set) var all: [Chunk] = []
    private var hashes: Set<ChangeHash> = []

    var isEmpty: Bool { all.isEmpty }

    mutating func keep(_ chunk: Chunk) {
        if hashes.insert(chunk.hash).inserted { all.append(chunk) }
    }
}
