public import Replication

/// The format of a device's log.
public enum LogFormat: String, Sendable, CaseIterable {
    /// This library's own format.
    case tideline2 = "tideline-2"
    /// Core Data's format, as written by PARStore 1.
    case parstore1 = "parstore-1"
}

extension DeviceStatus {
    /// The format of the device's log; `nil` until it was read once.
    public var format: LogFormat? { form.flatMap(LogFormat.init) }
}
