public import Foundation
public import KeyValueStore

extension PropertyList {
    /// A value from the contents of a property list file, XML or binary.
    ///
    /// - Throws: ``EditError`` with code `.invalid`.
    public init(plistFile data: Data) throws(EditError) {
        do {
            self =
                data.starts(with: Array("bplist".utf8))
                ? try PropertyList(binary: data) : try Self.decodedByFoundation(data)
        } catch {
            throw EditError(.invalid, "not a property list: \(error)")
        }
    }

    /// XML goes through Foundation and out of it again as binary, which keeps the kinds apart.
    private static func decodedByFoundation(_ data: Data) throws -> PropertyList {
        let value = try PropertyListSerialization.propertyList(from: data, format: nil)
        let binary = try PropertyListSerialization.data(
            fromPropertyList: value, format: .binary, options: 0)
        return try PropertyList(binary: binary)
    }
}
