public import Foundation

extension PropertyList {
    /// Decodes a binary property list, version 1: the format of values in a log.
    ///
    /// - Throws: ``PropertyListError`` for anything else, including damaged or malicious bytes.
    /// - Complexity: O(*n*) in the number of bytes, in time and memory, even if objects are shared.
    public init(binary bytes: some ContiguousBytes) throws(PropertyListError) {
        self = try Self.decode(bytes)
    }

    /// Decodes a binary property list that may be a keyed archive. Its references to objects become
    /// dictionaries with a single member `CF$UID`.
    ///
    /// - Throws: As ``init(binary:)``.
    package init(archive bytes: some ContiguousBytes) throws(PropertyListError) {
        self = try Self.decode(bytes, takesIdentifiers: true)
    }

    private static func decode(
        _ bytes: some ContiguousBytes, takesIdentifiers: Bool = false
    ) throws(PropertyListError) -> PropertyList {
        let result: Result<PropertyList, PropertyListError> = bytes.withUnsafeBytes { bytes in
            Result { () throws(PropertyListError) in
                try BinaryPlistReader.decode(bytes, takesIdentifiers: takesIdentifiers)
            }
        }
        return try result.get()
    }

    /// Returns the value as a binary property list, version 1. Equal values result in equal bytes.
    ///
    /// - Throws: ``PropertyListError`` with code `.tooDeep`.
    public func binary() throws(PropertyListError) -> Data {
        Data(try binaryBytes())
    }

    func binaryBytes() throws(PropertyListError) -> [UInt8] {
        try BinaryPlistWriter.encode(self)
    }

    /// Decodes the content of a property list file, XML or binary.
    ///
    /// - Throws: ``PropertyListError`` for anything else, for XML that declares entities, and for
    ///   unsupported values.
    public init(propertyListFile content: Data) throws(PropertyListError) {
        if content.starts(with: Data("bplist".utf8)) {
            try self.init(binary: content)
        } else {
            var reader = XMLPlistReader(Array(content))
            self = try reader.document()
        }
    }
}
