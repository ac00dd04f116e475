package import ArgumentParser
import Foundation
import KeyValueStore
package import Replication
import TidelineCore
import TidelineUI

/// The option for the writing device.
package struct DeviceOption: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: """
            The device that writes, by identifier or name (default: $TIDELINE_DEVICE, the device \
            of the settings, or your device id).
            """)
    package var device: String?

    @Flag(help: "Write as the device of --device even if the store doesn't have it yet.")
    package var newDevice = false

    package init() {}

    /// Returns the device that writes to the store at `path`.
    ///
    /// - Parameter path: The store; `nil` if it doesn't exist yet.
    /// - Throws: ``Failure`` if the option names a device that the store doesn't have, or if the
    ///   settings are needed but invalid. With invalid settings, the command could write as an
    ///   unintended device.
    package func forWriting(to path: String?) throws -> DeviceID {
        try UserState().deviceForWriting(
            option: try named(in: path), configured: try Settings().deviceForCommands())
    }

    /// Returns the identifier of the device that the option names.
    private func named(in path: String?) throws -> String? {
        guard let device, let path, let package = try? StoreKind.package(at: path) else {
            return device
        }
        return try Failure.of("--device \(device)") {
            if let known = try package.device(named: device) { return known.name }
            let own = try? UserState().device(option: nil, configured: Settings().device)?.name
            guard newDevice || own == device else {
                // Report an invalid identifier rather than a missing device.
                _ = try DeviceID(device)
                throw Failure(
                    .invalidRequest, "--device \(device)", "the store has no such device",
                    suggestion: (package.deviceList.map { "\($0); " } ?? "")
                        + "--new-device adds a device")
            }
            return device
        }
    }

    /// Returns the device that the browser writes as. The browser itself shows problems of the
    /// settings, and shows the device before each write.
    package func forBrowser(of path: String?, isReadOnly: Bool) throws -> DeviceID? {
        let settings = Settings()
        let device = try named(in: path)
        return isReadOnly
            ? try UserState().device(option: device, configured: settings.device)
            : try UserState().deviceForWriting(option: device, configured: settings.device)
    }

    /// Returns the user's own device, for commands that only read; `nil` if it isn't known.
    ///
    /// - Parameter option: The identifier of the device named on the command line.
    package static func forReading(_ option: String? = nil) throws -> DeviceID? {
        try UserState().deviceForReading(option: option, configured: Settings().device)
    }

    /// Returns the user's own device, for commands that repair its files; `nil` if there is none.
    ///
    /// - Parameter option: The identifier of the device named on the command line.
    /// - Throws: ``Failure`` if the settings are needed but invalid.
    package static func forRepairing(_ option: String?) throws -> DeviceID? {
        try UserState().device(option: option, configured: try Settings().deviceForCommands())
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
                .badData, "the setting 'device'", problem,
                suggestion: "correct the settings, or specify a device with --device")
        }
    }
}

/// The notice about a device that is new to a store.
package enum NewDevice {
    /// Returns the observer that prints a notice before the writing device's folder is created in
    /// the package at `path`.
    package static func notice(_ own: DeviceID, _ path: String) -> StorePackage.DeviceObserver {
        { package, device in
            guard device == own else { return }
            Output.note("tideline: \(device) is new to \(path): creating its folder")
            if UserState().isGenerated(device), package.deviceNames()[device] == nil {
                Output.note("  to name it: tideline devices \(ShellCommand.word(path)) --name NAME")
            }
            for problem in (try? package.nameProblems(ofNew: device)) ?? [] {
                Output.note("tideline: \(problem.path.quoted) \(problem.explanation)")
            }
        }
    }
}
