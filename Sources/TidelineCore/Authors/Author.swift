public import Replication

/// The writer of a value.
public enum Author: Hashable, Sendable, Comparable {
    /// A device of a package.
    case device(DeviceID)
    /// An actor of a document, as hexadecimal digits.
    case actor(String)
    /// The name of a file whose writer is unknown.
    case file(String)
    /// An unknown writer.
    case unknown

    /// The name to show if no better name is known.
    public var name: String {
        switch self {
        case .device(let device): device.name
        case .actor(let actor): actor
        case .file(let name): name
        case .unknown: "unknown"
        }
    }

    /// Returns the name to show, using the devices' display names.
    func name(of deviceName: (DeviceID) -> String) -> String {
        if case .device(let device) = self { deviceName(device) } else { name }
    }

    /// Orders authors by the bytes of their names.
    public static func < (lhs: Self, rhs: Self) -> Bool { Name(lhs.name) < Name(rhs.name) }
}
