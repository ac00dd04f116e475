import CommandSupport
import Replication
import TidelineCore

extension Failure {
    /// Returns the failure to find an item of a store.
    ///
    /// If a device's file can't be read completely, the item may be in the part that isn't read. In
    /// this case, the failure doesn't claim that the item doesn't exist, and has the category of
    /// the error that prevented reading.
    ///
    /// - Parameter unread: The logs whose rows are missing from the result, with the problems.
    static func missing(
        _ what: String, _ message: String, among devices: [DeviceStatus],
        unread: [DeviceID: String] = [:]
    ) -> Failure {
        var files = devices.compactMap { status in
            status.unreadCategory.map { (device: status.device, category: $0) }
        }
        for device in unread.keys.sorted() { files.append((device, .badData)) }
        return missing(what, message, unread: files.first)
    }

    /// Returns the failure to find an item of an open store.
    static func missing(_ what: String, _ message: String, in status: SessionStatus) -> Failure {
        let files = status.devices.flatMap(\.stores).compactMap { report in
            report.unreadCategory.map { (device: report.device, category: $0) }
        }
        return missing(what, message, unread: files.first)
    }

    private static func missing(
        _ what: String, _ message: String, unread: (device: DeviceID, category: ErrorCategory)?
    ) -> Failure {
        guard let unread else { return Failure(.noSuchItem, what, message) }
        return Failure(
            unread.category, what,
            "\(message) in the readable part of the store: the file of \(unread.device) can't be "
                + "read completely",
            suggestion: unread.category == .inputOutput ? "try again later" : nil)
    }

    /// Throws a failure if a name is empty, for example because a variable in a script is unset.
    /// Don't call this to find an existing item: other programs can have written an empty key.
    static func refuseEmpty(_ name: String, to verb: String, _ what: String = "key") throws {
        guard name.isEmpty else { return }
        throw Failure(.invalidRequest, "\(verb) \(name.quoted)", "the \(what) is empty")
    }
}
