package import DocumentStore
package import Replication
package import TidelineCore

/// Warnings about parts of a store that are unreadable or incomplete.
package enum Warnings {
    /// Prints the problems of each device.
    ///
    /// - Parameters:
    ///   - ofRead: Whether to include devices that are readable.
    ///   - path: The path of the store, if the command reads several.
    package static func report(
        _ status: SessionStatus, ofRead: Bool = true, in path: String? = nil
    ) {
        for device in status.devices where ofRead || !isOK(device.state) {
            report((path.map { "\($0): " } ?? "") + "\(device.id)", device.state, device.problem)
        }
    }

    /// Prints the problems of each device of a document store, and of other files in it.
    package static func report(_ store: AutomergeStore, _ path: String) {
        for device in store.devices {
            report("\(device.device)", device.state.rawValue, device.advisedProblem)
        }
        report(store.unexpectedItems, path)
    }

    /// Prints problems of a store or a document that don't belong to a device.
    package static func report(_ problems: [String], _ path: String) {
        for problem in problems { Output.note("tideline: \(path): \(problem)") }
    }

    /// Prints the logs whose rows are missing from a result.
    package static func report(unread: [DeviceID: String]) {
        for (device, problem) in unread.sorted(by: { $0.key < $1.key }) {
            Output.note("tideline: the log of \(device) can't be read: \(problem)")
        }
    }

    private static func report(_ device: String, _ state: String, _ problem: String?) {
        guard let problem else { return }
        Output.note("tideline: \(device)\(isOK(state) ? "" : " is \(state)"): \(problem)")
    }

    private static func isOK(_ state: String) -> Bool { state == DeviceReport.State.ok.rawValue }
}
