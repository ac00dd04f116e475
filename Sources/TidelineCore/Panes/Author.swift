public import Replication

/// Who wrote a value.
public enum Author: Hashable, Sendable, Comparable {
    /// A device of a package.
    case device(DeviceID)
    /// An actor of a document, in hexadecimal digits.
    case actor(String)
    /// Nobody whom the store could name.
    case nobody

    /// What it is called where nothing better is known.
    public var name: String {
        switch self {
        case .device(let device): device.name
        case .actor(let actor): actor
        case .nobody: "nobody"
        }
    }

    /// What it is called, where people gave its device a name.
    func name(of deviceName: (DeviceID) -> String) -> String {
        if case .device(let device) = self { deviceName(device) } else { name }
    }

    /// In the byte order of their names.
    public static func < (lhs: Self, rhs: Self) -> Bool { Name(lhs.name) < Name(rhs.name) }
}
