/// The name of a device's folder in a store package, and so of the device itself.
///
/// Any folder name that cannot lead elsewhere: one to 255 bytes of UTF-8, no `/`, no NUL, no
/// leading dot (hidden folders belong to sync services). PARStore used UUIDs; any other name that
/// obeys these rules is as good.
///
/// Devices are ordered by the bytes of their names; of two rows with one timestamp the one of the
/// greater device wins (data rule 6).
public struct DeviceID: Hashable, Sendable {
    public let name: String

    /// - Throws: ``ReplicationError`` with code `.invalidDevice` for a name that breaks the rules.
    public init(_ name: String) throws(ReplicationError) {
        guard Self.isValid(name) else {
            throw ReplicationError(
                .invalidDevice,
                "\(name.debugDescription) is not a device identifier: 1 to 255 bytes, "
                    + "no slash, no NUL, no leading dot")
        }
        self.name = name
    }

    /// Whether `name` can be a device's folder.
    public static func isValid(_ name: String) -> Bool {
        let bytes = name.utf8
        return (1...255).contains(bytes.count) && bytes.first != UInt8(ascii: ".")
            && !bytes.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }
}

extension DeviceID: Comparable {
    public static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.name.utf8.lexicographicallyPrecedes(rhs.name.utf8)
    }
}

extension DeviceID: CustomStringConvertible {
    public var description: String { name }
}
