/// A filter for the byte order mark that a file in UTF-8 can start with.
struct ByteOrderMark {
    private static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The number of bytes of the mark so far; `nil` after the beginning of the file.
    private var length: Int? = 0

    /// Returns the number of bytes of the mark at the start of the file's next piece.
    ///
    /// - Throws: ``TablesError``, `.unreadable`, for a part of a mark.
    mutating func prefix(of piece: UnsafeRawBufferPointer) throws(TablesError) -> Int {
        var count = 0
        while let length, count < piece.count {
            guard length < Self.bytes.count, piece[count] == Self.bytes[length] else {
                if length > 0, length < Self.bytes.count {
                    throw ImportPlace().error("the text isn't UTF-8")
                }
                self.length = nil
                break
            }
            self.length = length + 1
            count += 1
        }
        return count
    }
}
