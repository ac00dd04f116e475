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

    /// The device to write as.
    ///
    /// - Throws: ``Failure`` where the settings would say which, and have it wrong: nobody is to
    ///   write as another device than they meant.
    package func forWriting() throws -> DeviceID {
        let settings = Settings()
        return try UserState().deviceForWriting(
            option: device, configured: try settings.deviceForCommands())
    }

    /// As ``forWriting()`` for the browser, which tells what is wrong with the settings itself, and
    /// before each write as whom it is.
    package func forBrowser(isReadOnly: Bool) throws -> DeviceID? {
        let settings = Settings()
        return isReadOnly
            ? try UserState().device(option: device, configured: settings.device)
            : try UserState().deviceForWriting(option: device, configured: settings.device)
    }

    /// The settings, read when somebody asks for their device.
    private struct Settings {
        private var configuration: Configuration {
            ConfigurationFile(environment: ProcessInfo.processInfo.environment).configuration()
        }

        var device: String? { configuration.device }

        func deviceForCommands() throws -> String? {
            let configuration = configuration
            guard let problem = configuration.deviceProblem else { return configuration.device }
            throw Failure(
                .badData, "the device of the settings", problem,
                wayOut: "Correct it there, or name a device with --device.")
        }
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
