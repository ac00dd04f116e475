public import Foundation

extension PropertyList {
    /// Reads a binary property list, version 1: the form that values have in a log.
    ///
    /// - Throws: ``PropertyListError`` for anything else, damaged or hostile bytes included.
    /// - Complexity: O(*n*) in the number of bytes, in time and memory, however objects are shared.
    public init(binary bytes: some ContiguousBytes) throws(PropertyListError) {
        let result: Result<PropertyList, PropertyListError> = bytes.withUnsafeBytes { bytes in
            Result { () throws(PropertyListError) in try BinaryPlistReader.decode(bytes) }
        }
        self = try result.get()
    }

    /// Reads a binary property list that may be a keyed archive: the number by which that names an
    /// object is a dictionary with one member, `CF$UID`.
    ///
    /// - Throws: As ``init(binary:)``.
    package init(archive bytes: some ContiguousBytes) throws(PropertyListError) {
        let result: Result<PropertyList, PropertyListError> = bytes.withUnsafeBytes { bytes in
            Result { () throws(PropertyListError) in try BinaryPlistReader.decodeArchive(bytes) }
        }
        self = try result.get()
    }

    /// The value as a binary property list, version 1. Equal values give equal bytes.
    ///
    /// - Throws: ``PropertyListError`` with code `.tooDeep`.
    public func binary() throws(PropertyListError) -> Data {
        Data(try binaryBytes())
    }

    func binaryBytes() throws(PropertyListError) -> [UInt8] {
        try BinaryPlistWriter.encode(self)
    }
}
