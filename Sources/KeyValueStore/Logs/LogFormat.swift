public import Replication

/// The form of a device's log.
public enum LogFormat: String, Sendable, CaseIterable {
    /// This library's own.
    case tideline2 = "tideline-2"
    /// Core Data's, as PARStore 1 wrote it.
    case parstore1 = "parstore-1"
}

extension DeviceStatus {
    /// The form of the device's log; `nil` until it was read once.
    public var format: LogFormat? { form.flatMap(LogFormat.init) }
}
