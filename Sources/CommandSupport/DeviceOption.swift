package import ArgumentParser
import Foundation
package import Replication
import TidelineCore
import TidelineUI

/// The option for the writing device.
package struct DeviceOption: ParsableArguments {
    @Option(
        name: .long,
        help: """
            The device to write as (default: $TIDELINE_DEVICE, the device of the settings, or your \
            device id).
            """)
    package var device: String?

    package init() {}

    /// Returns the writing device.
    ///
    /// - Throws: ``Failure`` if the settings are needed but invalid, so that nothing is written as
    ///   an unintended device.
    package func forWriting() throws -> DeviceID {
        let settings = Settings()
        return try UserState().deviceForWriting(
            option: device, configured: try settings.deviceForCommands())
    }

    /// Returns the writing device for the browser, which shows problems of the settings, and the
    /// device before each write.
    package func forBrowser(isReadOnly: Bool) throws -> DeviceID? {
        let settings = Settings()
        return isReadOnly
            ? try UserState().device(option: device, configured: settings.device)
            : try UserState().deviceForWriting(option: device, configured: settings.device)
    }

    /// The settings, read on demand.
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
                suggestion: "correct the settings, or specify a device with --device")
        }
    }
}

package enum NewDevice {
    /// Returns the observer of the package at `path` that prints a notice before the writing
    /// device's folder is created.
    package static func notice(_ own: DeviceID, _ path: String) -> StorePackage.DeviceObserver {
        { package, device in
            guard device == own else { return }
            Output.note("tideline: \(device) is new to \(path): creating its folder")
            for problem in (try? package.nameProblems(ofNew: device)) ?? [] {
                Output.note("tideline: \(problem.path.quoted) \(problem.explanation)")
            }
        }
    }
}
