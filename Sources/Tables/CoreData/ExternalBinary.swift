public import Foundation

/// A binary value of Core Data in an attribute that may be kept in files of its own.
public enum ExternalBinary: Hashable, Sendable {
    /// The value itself.
    case inline(Data)
    /// The value is in the file of that name, in the folder ``folder(of:)``.
    case file(String)

    /// Reads what is in the column.
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

    /// A value as the column has it.
    public static func stored(_ data: Data) -> Data { Data([1]) + data }

    /// The folder beside a store that files are in.
    public static func folder(of store: String) -> String {
        let url = URL(filePath: store)
        let name = url.deletingPathExtension().lastPathComponent
        return url.deletingLastPathComponent()
            .appending(path: ".\(name)_SUPPORT/_EXTERNAL_DATA").path
    }
}
