public import Foundation

extension PropertyList {
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
