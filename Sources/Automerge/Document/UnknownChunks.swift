/// Chunks of types that later versions of the format may have. They say nothing to this one, and are
/// saved again with the document that they came with.
struct UnknownChunks: Sendable {
    struct Chunk: Sendable {
        let type: UInt8
        let hash: ChangeHash
        let contents: [UInt8]
    }

    /// Each once, in the order in which they came.
    private(set) var all: [Chunk] = []
    private var hashes: Set<ChangeHash> = []

    var isEmpty: Bool { all.isEmpty }

    mutating func keep(_ chunk: Chunk) {
        if hashes.insert(chunk.hash).inserted { all.append(chunk) }
    }
}
