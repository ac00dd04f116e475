extension Engine {
    mutating func applyBundle(_ contents: UnsafeBufferPointer<UInt8>) throws(FormatError) {
        throw FormatError(.badChunk, "bundles cannot be read yet")
    }
}
