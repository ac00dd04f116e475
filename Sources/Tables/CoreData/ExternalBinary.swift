public import Foundation

/// A Core Data binary value whose attribute allows external storage.
public enum ExternalBinary: Hashable, Sendable {
    /// The value itself.
    case inline(Data)
    /// The name of a file in the ``ExternalFolder`` that contains the value.
    case file(String)

    /// Decodes the content of the column.
    ///
    /// - Returns: `nil` for bytes in another form.
    public init?(stored data: Data) {
        switch data.first {
        case 1: self = .inline(Data(data.dropFirst()))
        case 2:
            let bytes = data.dropFirst().prefix { $0 != 0 }
            guard data.count <= 64, let name = String(validating: bytes, as: UTF8.self),
                UUID(uuidString: name) != nil
            else { return nil }
            self = .file(name)
        default: return nil
        }
    }

    /// Encodes a value for the column.
    public static func stored(_ data: Data) -> Data { Data([1]) + data }
}
