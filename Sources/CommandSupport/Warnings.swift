package import DocumentStore
package import Replication
package import TidelineCore

/// Says on standard error what of a store cannot be read, or not whole.
package enum Warnings {
    /// What is wrong with each device.
    ///
    /// - Parameter ofRead: Whether also with those that can be read.
    package static func tell(_ status: SessionStatus, ofRead: Bool = true) {
        for device in status.devices where ofRead || !isOK(device.state) {
            tell("\(device.id)", device.state, device.problem)
        }
    }

    /// What is wrong with each device of a store of documents, and with other files in it.
    package static func tell(_ store: AutomergeStore, _ path: String) {
        for device in store.devices {
            tell("\(device.device)", device.state.rawValue, device.problem)
        }
        tellOddities(of: store, path)
    }

    /// What else is odd about the files of a store of documents.
    package static func tellOddities(of store: AutomergeStore, _ path: String) {
        for oddity in store.oddities { Output.note("tideline: \(path): \(oddity)") }
    }

    /// The logs whose rows an answer lacks.
    package static func tell(unread: [DeviceID: String]) {
        for (device, problem) in unread.sorted(by: { $0.key < $1.key }) {
            Output.note("tideline: the log of \(device) cannot be read: \(problem)")
        }
    }

    private static func tell(_ device: String, _ state: String, _ problem: String?) {
        guard let problem else { return }
        Output.note("tideline: \(device)\(isOK(state) ? "" : " is \(state)"): \(problem)")
    }

    private static func isOK(_ state: String) -> Bool { state == DeviceReport.State.ok.rawValue }
}
