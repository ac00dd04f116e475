/// Extracts messages from a stream of bytes. Each is preceded by its length in four bytes,
/// big-endian.
struct FrameReader {
    static let headCount = 4

    private var buffer: [UInt8] = []

    mutating func append(_ bytes: UnsafeRawBufferPointer) { buffer.append(contentsOf: bytes) }

    /// Returns the next message, or `nil` if it is incomplete.
    ///
    /// - Throws: `SyncError` with code `.tooLarge`, as soon as the length is known.
    mutating func next(limit: Int) throws(SyncError) -> [UInt8]? {
        guard buffer.count >= Self.headCount else { return nil }
        let length = buffer[..<Self.headCount].reduce(0) { $0 << 8 | Int($1) }
        guard length <= limit else {
            throw SyncError(
                .tooLarge, "a message has \(length) bytes; the limit is \(limit)")
        }
        guard buffer.count - Self.headCount >= length else { return nil }
        let message = Array(buffer[Self.headCount..<(Self.headCount + length)])
        buffer.removeFirst(Self.headCount + length)
        return message
    }

    /// Returns the length that precedes a message.
    ///
    /// - Returns: The bytes of the length, or `nil` if the message is too long for the format.
    static func head(of message: [UInt8]) -> [UInt8]? {
        guard let length = UInt32(exactly: message.count) else { return nil }
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
    }
}
