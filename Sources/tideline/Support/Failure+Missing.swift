import CommandSupport
import Replication
import TidelineCore

extension Failure {
    /// Returns the failure to find an item of a store.
    ///
    /// If a device's file is being written or has only arrived in part, the item may be in the
    /// missing part. In this case, the failure doesn't claim that the item doesn't exist.
    static func missing(
        _ what: String, _ message: String, among devices: [DeviceStatus]
    ) -> Failure {
        missing(what, message, incomplete: devices.first { $0.state == .incomplete }?.device)
    }

    /// Returns the failure to find an item of an open store.
    static func missing(_ what: String, _ message: String, in status: SessionStatus) -> Failure {
        let incomplete = status.devices.first {
            $0.state == DeviceReport.State.incomplete.rawValue
        }
        return missing(what, message, incomplete: incomplete?.id)
    }

    private static func missing(
        _ what: String, _ message: String, incomplete device: DeviceID?
    ) -> Failure {
        guard let device else { return Failure(.noSuchItem, what, message) }
        return Failure(
            .inputOutput, what,
            "\(message) in the readable part of the store: the file of \(device) is incomplete",
            suggestion: "try again when the file is complete")
    }

    /// Throws a failure if a name is empty, for example because a variable in a script is unset.
    /// Don't call this to find an existing item: other programs can have written an empty key.
    static func refuseEmpty(_ name: String, to verb: String, _ what: String = "key") throws {
        guard name.isEmpty else { return }
        throw Failure(.invalidRequest, "\(verb) \(name.quoted)", "the \(what) is empty")
    }
}
