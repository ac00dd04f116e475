import Glibc

/// The identifier of a device: the name of its folder in a store package.
///
/// An identifier is any safe folder name: one to 255 bytes of UTF-8, without `/`, NUL, or a leading
/// dot. Folders with a leading dot are hidden and belong to sync services. PARStore used UUIDs, but
/// any name that follows these rules is valid.
///
/// Devices are compared by the bytes of their names: the two encodings of `é` name two devices. If
/// two rows have the same timestamp, the row of the greater device wins (data rule 6).
public struct DeviceID: Hashable, Sendable {
    private let bytes: Name

    /// The folder's name. As a `String`, it is equal to canonically equivalent texts.
    public var name: String { bytes.text }

    /// Creates an identifier.
    ///
    /// - Throws: ``ReplicationError`` with code `.invalidDevice` for a name that breaks the rules.
    public init(_ name: String) throws(ReplicationError) {
        guard Self.isValid(name) else {
            throw ReplicationError(
                .invalidDevice,
                "\(name.quoted) is not a device identifier: it must have 1 to 255 bytes, "
                    + "and no slash, NUL or leading dot")
        }
        bytes = Name(name)
    }

    /// Returns whether `name` is a valid identifier.
    public static func isValid(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { bytes in
            guard (1...255).contains(bytes.count), let start = bytes.baseAddress else {
                return false
            }
            return bytes[0] != UInt8(ascii: ".")
                && memchr(start, Int32(UInt8(ascii: "/")), bytes.count) == nil
                && memchr(start, 0, bytes.count) == nil
        }
    }
}

extension DeviceID {
    /// Whether the name has only one possible encoding.
    var isASCII: Bool { name.utf8.allSatisfy { $0 < 0x80 } }
}

extension DeviceID: Comparable {
    /// Returns whether `lhs` comes before `rhs` in byte order. The greater device wins if
    /// timestamps are equal.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.bytes < rhs.bytes
    }
}

extension DeviceID: Codable {
    /// Decodes a name.
    ///
    /// - Throws: `DecodingError` for a name that breaks the rules.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let name = try container.decode(String.self)
        do {
            try self.init(name)
        } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.message)
        }
    }

    /// Encodes the name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

extension DeviceID: CustomStringConvertible {
    public var description: String { name }
}
