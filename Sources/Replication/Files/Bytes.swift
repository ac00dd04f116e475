extension [UInt8] {
    /// Returns the four bytes from `offset` as a big-endian number, or `nil` past the end.
    func bigEndian(at offset: Int) -> UInt32? {
        guard offset >= 0, offset <= count - 4 else { return nil }
        return self[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Returns the two bytes from `offset` as a big-endian number, or `nil` past the end.
    func bigEndian16(at offset: Int) -> UInt16? {
        guard offset >= 0, offset <= count - 2 else { return nil }
        return self[offset..<offset + 2].reduce(0) { $0 << 8 | UInt16($1) }
    }
}
