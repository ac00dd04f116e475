package import ArgumentParser
import Foundation
package import Replication
import Synchronization
import TidelineCore
import TidelineUI

/// Who writes.
package struct DeviceOption: ParsableArguments {
    @Option(
        name: .long,
        help: """
            The device to write as (else $TIDELINE_DEVICE, else that of the settings, else this \
            user's own).
            """)
    package var device: String?

    package init() {}

    package func forWriting() throws -> DeviceID {
        try UserState().deviceForWriting(option: device, configured: configured)
    }

    package func ifKnown() throws -> DeviceID? {
        try UserState().device(option: device, configured: configured)
    }

    private var configured: String? {
        ConfigurationFile(environment: ProcessInfo.processInfo.environment).configuration().device
    }
}

/// Says on standard error that a device is new to a package, before its folder is made.
package enum NewDevice {
    package static func isTold(_ own: DeviceID, _ path: String) {
        StorePackage.folderObserver.withLock { observer in
            observer = { _, device in
                guard device == own else { return }
                Output.note("tideline: \(device) is new to \(path): making its folder")
            }
        }
    }
}
