/// The name of a device's folder in a store package, and so of the device itself.
///
/// Any folder name that cannot lead elsewhere: one to 255 bytes of UTF-8, no `/`, no NUL, no
/// leading dot (hidden folders belong to sync services). PARStore used UUIDs; any other name that
/// obeys these rules is as good.
///
/// Devices are ordered, and told apart, by the bytes of their names: `é` in its two encodings names
/// two devices. Of two rows with one timestamp the one of the greater device wins (data rule 6).
public struct DeviceID: Hashable, Sendable {
    private let bytes: Name

    /// The folder's name. Compared as a `String`, it equals its other canonical spellings.
    public var name: String { bytes.text }

    /// - Throws: ``ReplicationError`` with code `.invalidDevice` for a name that breaks the rules.
    public init(_ name: String) throws(ReplicationError) {
        guard Self.isValid(name) else {
            throw ReplicationError(
                .invalidDevice,
                "\(name.quoted) is not a device identifier: 1 to 255 bytes, "
                    + "no slash, no NUL, no leading dot")
        }
        bytes = Name(name)
    }

    /// Whether `name` can be a device's folder.
    public static func isValid(_ name: String) -> Bool {
        let bytes = name.utf8
        return (1...255).contains(bytes.count) && bytes.first != UInt8(ascii: ".")
            && !bytes.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }
}

extension DeviceID {
    /// Whether the name can be written in one way only.
    var isASCII: Bool { name.utf8.allSatisfy { $0 < 0x80 } }
}

extension DeviceID: Comparable {
    /// Whether the bytes of the name of `lhs` come first; the greater device wins a tie of
    /// timestamps.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.bytes < rhs.bytes
    }
}

extension DeviceID: Codable {
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
