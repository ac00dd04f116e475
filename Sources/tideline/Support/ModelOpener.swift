import CommandSupport
import Replication
import TidelineCore

/// Functions that open one data model of a store for a command.
enum ModelOpener {
    /// Opens a store for reading. If the model needs a device, opens the store as the given device.
    /// Warns about unreadable devices.
    static func reading<Part: StandalonePart>(
        _ model: Part.Type, of path: String, as device: DeviceID? = nil
    ) async throws -> Part.Store {
        try await open(model, path, StoreOpener(device: device))
    }

    /// Opens a store for reading and returns its session, with the panes of one data model. Warns
    /// about unreadable devices.
    static func session<Part: StandalonePart>(
        _ model: Part.Type, of path: String
    ) async throws -> any StoreSession {
        try await Failure.of(path) {
            let (session, _) = try await StoreOpener(device: nil).open(model, of: path)
            Warnings.report(session.status)
            return session
        }
    }

    /// Opens a store, runs `body` and saves. Prints a notice if writing adds this device to the
    /// package.
    ///
    /// The change journal doesn't record these writes: imports and merges have too much undo data,
    /// and the other writes add, compact or delete whole documents. To write an edit that can be
    /// undone, use ``EditRunner``.
    ///
    /// - Parameter warnsOfRead: Whether to print the warnings about readable devices, too, for
    ///   example about other versions of their files.
    static func writing<Part: StandalonePart, Result>(
        _ model: Part.Type, of path: String, as option: DeviceOption, warnsOfRead: Bool = true,
        _ body: (Part.Store) async throws -> Result
    ) async throws -> Result {
        let device = try option.forWriting(to: path)
        let store = try await open(
            model, path,
            StoreOpener(
                device: device, isWritable: true, willAddDevice: NewDevice.notice(device, path)),
            warnsOfRead: warnsOfRead)
        let result = try await body(store)
        try await Failure.of(path) { try await model.finish(store) }
        return result
    }

    private static func open<Part: StandalonePart>(
        _ model: Part.Type, _ path: String, _ opener: StoreOpener, warnsOfRead: Bool = true
    ) async throws -> Part.Store {
        try await Failure.of(path) {
            let (session, store) = try await opener.open(model, of: path)
            Warnings.report(session.status, ofRead: warnsOfRead)
            return store
        }
    }
}
