/// The trailer of a binary property list, which states where the objects are.
struct BinaryPlistTrailer {
    /// The offset of the trailer.
    let start: Int
    /// The number of bytes of each offset in the table of offsets.
    let offsetWidth: Int
    /// The number of bytes of each reference to an object.
    let referenceWidth: Int
    /// The number of objects.
    let count: Int
    /// The index of the root.
    let root: Int
    /// The offset of the table of offsets.
    let tableStart: Int

    /// Reads the trailer of a list with at least 42 bytes. Returns `nil` if it is not valid.
    init?(_ bytes: UnsafeRawBufferPointer) {
        let start = bytes.count - 32
        func number(at offset: Int) -> Int? {
            let number = bytes.loadUnaligned(fromByteOffset: start + offset, as: UInt64.self)
            return Int(exactly: number.bigEndian)
        }
        let (offsetWidth, referenceWidth) = (Int(bytes[start + 6]), Int(bytes[start + 7]))
        guard (1...8).contains(offsetWidth), (1...8).contains(referenceWidth),
            let count = number(at: 8), let root = number(at: 16),
            let tableStart = number(at: 24), root < count, tableStart >= 9, tableStart < start,
            count <= (start - tableStart) / offsetWidth
        else { return nil }
        self.start = start
        self.offsetWidth = offsetWidth
        self.referenceWidth = referenceWidth
        self.count = count
        self.root = root
        self.tableStart = tableStart
    }

    /// Returns the place of an object's offset in the table of offsets.
    func place(ofObject index: Int) -> Int { tableStart + index * offsetWidth }
}
